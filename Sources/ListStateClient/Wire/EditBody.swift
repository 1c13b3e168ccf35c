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
        let limits = WireDecoder.Limits(contentBytesMax: .max, operationsMax: .max)
        let decoder = WireDecoder(limits: limits) { "" }
        let body = Array("{\"operations\":".utf8) + bytes + Array("}".utf8)
        guard let slice = try? JSONSlice(checking: body, levelsAround: 8) else { return [] }
        return (try? decoder.transactionBody(slice).value) ?? []
    }

    /// The place below the list and the body with which edits are sent as one write. They have one label and one base, and are animated or not.
    static func request(of edits: [StoredEdit]) -> (place: String, body: [UInt8]) {
        var body = Array("{".utf8)
        let place: String
        if let version = edits.first?.undoneVersion {
            place = "undo"
            body += Array("\"transaction\":\"\(version)\"".utf8)
        } else {
            place = "transactions"
            // Each is an array with brackets around.
            let operations = edits.map { $0.operations.dropFirst().dropLast() }.joined(separator: ",".utf8)
            body += Array("\"operations\":[".utf8) + operations + Array("]".utf8)
            if edits.first?.isAnimated == false { body += Array(",\"animated\":false".utf8) }
            if let base = edits.first?.base { body += Array(",\"base\":\"\(base)\",\"onLostBase\":\"reapply\"".utf8) }
        }
        if let label = edits.first?.label {
            body += Array(",\"label\":".utf8) + JSONText(.string(ByteText(label))).bytes
        }
        return (place, body + Array("}".utf8))
    }
}
