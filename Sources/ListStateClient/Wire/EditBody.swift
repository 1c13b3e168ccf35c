import JSONValue
import ListDiff
import ListModel
import ListWire
import Texts

/// The JSON of edits, written and read by the code that the server has for it.
enum EditBody {
    /// The operations as an array.
    static func operations(_ operations: [ListModel.Operation]) -> [UInt8] {
        Array(WriteIntent.operations(operations).members.dropFirst("\"operations\":".utf8.count))
    }

    /// The operations of an array that `operations(_:)` has written; none if the bytes are damaged.
    static func operations(in bytes: [UInt8]) -> [ListModel.Operation] {
        let limits = WireDecoder.Limits(contentBytesMax: 65_536, operationsMax: .max)
        let decoder = WireDecoder(limits: limits) { "" }
        let body = Array("{\"operations\":".utf8) + bytes + Array("}".utf8)
        guard let slice = try? JSONSlice(checking: body, levelsAround: 8) else { return [] }
        return (try? decoder.transactionBody(slice).value) ?? []
    }

    /// The body with which an edit is sent.
    static func body(of edit: StoredEdit) -> [UInt8] {
        var body = Array("{\"operations\":".utf8) + edit.operations
        if let base = edit.base { body += Array(",\"base\":\"\(base)\",\"onLostBase\":\"reapply\"".utf8) }
        if let label = edit.label { body += Array(",\"label\":".utf8) + JSONText(.string(ByteText(label))).bytes }
        return body + Array("}".utf8)
    }
}
