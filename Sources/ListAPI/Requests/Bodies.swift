internal import Access
internal import HTTPTypes
internal import JSONValue
internal import ListDiff
internal import ListStore
internal import ListWire
internal import Microhttpd
internal import Texts

extension API {
    /// A method of `WireDecoder` that reads a body.
    typealias Decoding<Input, Value> = (WireDecoder, Input) throws(WireError) -> WriteBody<Value>

    /// Reads the body of a write that needs one.
    func decode<Value>(
        _ call: Call, _ decode: Decoding<JSONSlice, Value>
    ) throws(Problem) -> WriteBody<Value> {
        guard let value = try json(call) else {
            // `Content-Type` announces JSON, and an empty body is not JSON.
            let example = WireError.example(at: call.endpoint)
            guard call.head.field(.contentType) == nil else {
                throw Problem(.notJSON, "The body is not JSON: it is empty. \(example)")
            }
            throw Problem(.invalid, "A body is needed, with Content-Type: application/json. \(example)")
        }
        return try read(value, call, decode)
    }

    /// Reads the body of a write that brings a whole list, whose body may be long.
    ///
    /// - Parameter read: Reads the bytes in one pass. It also gets the greatest number of arrays and objects that can
    ///   enclose a content. If it returns nil, `decode` reads the body, and finds what is wrong.
    func decode<Value>(
        _ call: Call, inOnePass read: (WireDecoder, [UInt8], Int) -> WriteBody<Value>?,
        orElse decode: Decoding<JSONSlice, Value>
    ) throws(Problem) -> WriteBody<Value> {
        if let body = read(decoder, call.body.bytes, call.endpoint.levelsAroundContent) { return body }
        return try self.decode(call, decode)
    }

    /// Reads the body of a write that may come without one.
    func decodeOptional<Value>(
        _ call: Call, _ decode: Decoding<JSONSlice?, Value>
    ) throws(Problem) -> WriteBody<Value> {
        try read(try json(call), call, decode)
    }

    /// Reads the body of a write that has no members of its own, only those that every write may have.
    func plainBody(_ call: Call) throws(Problem) -> WriteBody<Void> {
        try decodeOptional(call) { decoder, body throws(WireError) in try decoder.plainBody(body) }
    }

    /// Reads a body. A body with an error is decoded once more, to collect all of its errors.
    private func read<Input, Value>(
        _ value: Input, _ call: Call, _ decode: Decoding<Input, Value>
    ) throws(Problem) -> WriteBody<Value> {
        do throws(WireError) { return try decode(decoder, value) } catch {
            let errors = WireErrors()
            errors.collect { () throws(WireError) in _ = try decode(decoder.telling(errors), value) }
            var error = error
            let sent = (value as? JSONSlice)?.shown
            if error.code == "wrong_type", error.pointer.isEmpty {
                let ids = call.endpoint == .putSection ? sent.flatMap(WireError.ids) : nil
                let example = ids.map { #"{"items":\#($0)}"# } ?? "\(call.endpoint.exampleBody)"
                error = error.advising("For example: \(example).")
            }
            throw Problem(error.warning(of: call.endpoint, sent), all: errors.errors)
        }
    }

    private func json(_ call: Call) throws(Problem) -> JSONSlice? {
        guard !call.body.isEmpty else { return nil }
        do throws(JSONError) {
            return try JSONSlice(checking: call.body.bytes, levelsAround: call.endpoint.levelsAroundContent)
        } catch {
            var problem = Problem(error, in: call.body.bytes)
            // JSON goes wrong at the first byte, so the body is a form or plain text: the client needs an example of
            // the whole body.
            if error.offset == 0 { problem.detail += " \(WireError.example(at: call.endpoint))" }
            throw problem
        }
    }

    /// The write for the store: the intent from the body, and the conditions and flags from the path, query and fields.
    func write<Value>(_ intent: WriteIntent, _ body: WriteBody<Value>, _ call: Call) throws(Problem) -> Write {
        let caller = call.caller.actor
        var write = Write(
            intent, base: body.base, match: try call.match(), isStrict: try call.query.flag(.strict),
            isDryRun: try call.query.flag(.dryRun), view: try call.query.view(), caller: caller, label: body.label,
            isAnimated: body.isAnimated, key: try call.receiptKey(caller: caller))
        write.number = call.number
        switch body.onLostBase {
        case .refuse: write.onLostBase = .refuse
        case .reapply: write.onLostBase = .reapply
        }
        write.isBaseOfSnapshot = body.isBaseOfSnapshot
        if case .put = call.endpoint.rule { write.permits = call.caller.permits(on: try call.listID()) }
        // Many a short write has come to a worker only because its list was busy.
        let isShort = call.body.bytes.count <= Self.bodyBytesOnLoopMax
        write.pace = call.pace == .long && isShort ? .patient : call.pace
        write.waitsElsewhere = call.retry != nil && workers != nil
        // A brief write may have to be done again, and is short anyway.
        if call.pace != .brief { call.body.drop() }
        return write
    }
}
