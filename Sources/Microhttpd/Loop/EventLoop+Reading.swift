internal import CMicrohttpd
internal import CReading
internal import Glibc

/// What stands between the engine of a loop and its sockets: a `HeadReader` for each connection.
///
/// The engine has no such place. But it reads with `recv` and nothing else, and finds that name in the program. With an
/// engine that also speaks TLS, the name would be that of the function that reads what has been decrypted.
extension EventLoop {
    /// From now on what the engine reads on this thread is looked at.
    func beginReading() {
        reading_begin(readForEngine, Unmanaged.passUnretained(self).toOpaque())
    }

    func endReading() {
        reading_begin(nil, nil)
    }

    /// Why the head that has just arrived must not be served, whatever it says; nil if engine and reader agree on it.
    ///
    /// They would not if the engine read past the reader: then nothing is served.
    func headFault(_ exchange: Exchange, _ call: EngineCall) -> Refusal? {
        if let fault = exchange.reader.fault { return fault.refusal }
        let isSame = exchange.reader.headBytes == mhd_head_bytes(call.connection)
        return isSame ? nil : .badFraming(.unclearEnd)
    }

    /// What stands behind the head that has just arrived.
    func follow(_ exchange: Exchange, _ call: EngineCall) {
        let end = UnsafeMutableRawPointer(mutating: call.method) + exchange.reader.headBytes
        exchange.answerRoom = headLimits.answerRoom(besides: exchange.reader)
        exchange.reader.follow(exchange.framing, end.assumingMemoryBound(to: UInt8.self))
    }

    /// The engine goes on to the next request of a connection. What it lacks of an ending it reads when it hears that
    /// there is something to read, as the end of what the client sends is.
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
    /// Reads for the engine, which takes less than it has room for as a sign that nothing more has come.
    fileprivate func read(_ buffer: UnsafeMutableRawPointer, _ size: Int) -> Int {
        let bytes = buffer.assumingMemoryBound(to: UInt8.self)
        if reader.isOver {
            let count = reader.readEnding(bytes, room: size)
            return count > 0 ? count : reading_fail(EAGAIN)
        }
        var filled = 0
        while true {
            let received = reading_system(descriptor, buffer + filled, size - filled)
            guard received > 0 else { return filled > 0 ? filled : received }
            let count = reader.read(bytes + filled, count: received, room: size - filled)
            filled += count
            if count >= received || reader.isOver { return filled }
        }
    }
}

private let readForEngine: reading_function = { loop, descriptor, buffer, size in
    guard let loop, let buffer else { return reading_fail(EFAULT) }
    return Unmanaged<EventLoop>.fromOpaque(loop)._withUnsafeGuaranteedRef { loop in
        // The system's answer if it is no connection of the engine.
        guard let exchange = loop.exchange(at: descriptor) else { return reading_system(descriptor, buffer, size) }
        return exchange._withUnsafeGuaranteedRef { $0.read(buffer, size) }
    }
}
