internal import HTTPTypes

/// Room for the head of an answer, without which the engine closes the connection and says nothing.
///
/// The engine keeps the head of a request, its notes of each field and the head of the answer in one pool.
extension HeadReader.Limits {
    /// The bytes for the head of an answer; nil if the request's head is so short that every answer has room.
    func answerRoom(besides reader: HeadReader) -> Int? {
        guard reader.headBytes > notedBytesMax / 8 else { return nil }
        return notedBytesMax + EngineOptions.answerRoom - reader.headBytes - reader.noteBytes
    }
}

extension EventLoop {
    /// The answer, or a refusal if it repeats so much of the request that its head does not fit.
    func fitting(_ response: Response, _ exchange: Exchange) -> Response {
        guard let room = exchange.answerRoom, response.headBytes > room else { return response }
        return handler.refusal(.headTooLarge, head: nil)
    }
}

extension Response {
    /// A bound on the bytes of the head, with the fields that the engine adds.
    fileprivate var headBytes: Int {
        let more = (others ?? [:]).reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
        return lines.lineBytes + more + 256
    }
}
