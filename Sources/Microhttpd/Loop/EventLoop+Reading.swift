internal import CMicrohttpd
internal import CReading
internal import Glibc

/// A `HeadReader` for each connection stands between the engine of a loop and its sockets.
///
/// The engine has no hook for this. But it reads only with `recv`, and the program defines a function of that name. An
/// engine that also speaks TLS would read decrypted bytes with another function, which would be defined instead.
extension EventLoop {
    /// From now on the bytes that the engine reads on this thread go through the readers.
    func beginReading() {
        reading_begin(readForEngine, Unmanaged.passUnretained(self).toOpaque())
    }

    func endReading() {
        reading_begin(nil, nil)
    }

    /// The reason why the head that has just arrived must not be served; nil if engine and reader agree on its bytes.
    ///
    /// They would not agree if the engine read past the reader. Then nothing is served.
    func headFault(_ exchange: Exchange, _ call: EngineCall) -> Refusal? {
        if let fault = exchange.reader.fault { return fault.refusal }
        let isSame = exchange.reader.headBytes == mhd_head_bytes(call.connection)
        return isSame ? nil : .badFraming(.unclearEnd)
    }

    /// Tells the reader about the body behind the head that has just arrived.
    func follow(_ exchange: Exchange, _ call: EngineCall) {
        let end = UnsafeMutableRawPointer(mutating: call.method) + exchange.reader.headBytes
        exchange.answerRoom = headLimits.answerRoom(besides: exchange.reader)
        exchange.reader.follow(exchange.framing, end.assumingMemoryBound(to: UInt8.self))
    }

    /// Lets the engine read the rest of an ending before the next request of a connection. The engine reads when the
    /// socket has something to read, and the end of the client's bytes counts as that.
    func finishEnding(_ exchange: Exchange) {
        if exchange.reader.hasMoreToSay { shutdown(exchange.descriptor, Int32(SHUT_RD)) }
    }
}

extension HeadReader.Fault {
    /// Nil if the request is refused as one with a body that is too long.
    var refusal: Refusal? {
        switch self {
        case .bareLineFeed: .badFraming(.bareLineFeed)
        case .foldedField: .badFraming(.foldedField)
        case .nul: .badFraming(.nul)
        case .emptyName: .badFraming(.emptyName)
        case .badLength: .badFraming(.badLength)
        case .badChunk: .badFraming(.badChunk)
        case .longLength: nil
        case .longTarget: .targetTooLong
        case .longHead: .headTooLarge
        }
    }
}

extension Exchange {
    /// Reads for the engine. The engine takes a read that does not fill its buffer as a sign that nothing more has
    /// come. So there is a further read if that is only because credentials were taken out.
    fileprivate func read(_ buffer: UnsafeMutableRawPointer, _ size: Int) -> Int {
        let bytes = buffer.assumingMemoryBound(to: UInt8.self)
        if reader.isOver {
            let count = reader.readEnding(bytes, room: size)
            return count > 0 ? count : reading_fail(EAGAIN)
        }
        var filled = 0
        while true {
            let room = size - filled
            let received = reading_system(descriptor, buffer + filled, room)
            guard received > 0 else { return filled > 0 ? filled : received }
            let count = reader.read(bytes + filled, count: received, room: room, isBetweenRequests: isIdle)
            filled += count
            if count >= received || reader.isOver || received < room && filled > 0 { return filled }
        }
    }
}

private let readForEngine: reading_function = { loop, descriptor, buffer, size in
    guard let loop, let buffer else { return reading_fail(EFAULT) }
    return Unmanaged<EventLoop>.fromOpaque(loop)._withUnsafeGuaranteedRef { loop in
        // A descriptor that is no connection of the engine is read by the system alone.
        guard let exchange = loop.exchange(at: descriptor) else { return reading_system(descriptor, buffer, size) }
        return exchange._withUnsafeGuaranteedRef { $0.read(buffer, size) }
    }
}
