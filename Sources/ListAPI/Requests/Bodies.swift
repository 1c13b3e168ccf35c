internal import HTTPTypes
internal import JSONValue
internal import ListStore
internal import Microhttpd
internal import Texts

extension API {
    /// Reads the body of a write that needs one.
    func decode<Value>(
        _ call: Call, _ decode: (JSONValue) throws(WireError) -> WriteBody<Value>
    ) throws(Problem) -> WriteBody<Value> {
        guard let value = try json(call) else {
            // A client that says JSON and sends nothing has sent no JSON.
            guard call.head.field(.contentType) == nil else { throw Problem(JSONError(reason: .empty, offset: 0)) }
            throw Problem(.invalid, "A body is needed.")
        }
        do throws(WireError) { return try decode(value) } catch { throw Problem(error) }
    }

    /// Reads the body of a write that may come without one.
    func decodeOptional<Value>(
        _ call: Call, _ decode: (JSONValue?) throws(WireError) -> WriteBody<Value>
    ) throws(Problem) -> WriteBody<Value> {
        let value = try json(call)
        do throws(WireError) { return try decode(value) } catch { throw Problem(error) }
    }

    private func json(_ call: Call) throws(Problem) -> JSONValue? {
        guard !call.body.isEmpty else { return nil }
        do throws(JSONError) {
            return try JSONValue(parsing: call.body, levelsAround: call.endpoint.levelsAroundContent)
        } catch { throw Problem(error) }
    }

    /// A write as the store wants it: the intent, and what path, query and fields say of it.
    func write<Value>(_ intent: Write.Intent, _ body: WriteBody<Value>, _ call: Call) throws(Problem) -> Write {
        let caller: ByteText = "anonymous"
        var write = Write(
            intent, base: body.base, match: try call.match(), isStrict: try call.query.flag(.strict),
            isDryRun: try call.query.flag(.dryRun), view: try call.query.view(), caller: caller, label: body.label,
            isAnimated: body.isAnimated, key: try call.receiptKey(caller: caller))
        write.isBaseOfSnapshot = body.isBaseOfSnapshot
        return write
    }
}
