import JSONValue
import ListModel
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

@Suite struct WirePointerProperties {
    static let rows = WireOperationTests.sections + WireOperationTests.items + WireOperationTests.wholeStates

    /// A correct operation is changed at random. It is read or refused, and a refusal points to a place in the body.
    @Test(arguments: Soak.seeds(60))
    func refusalsPointIntoTheBody(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var refusals = 0
        for row in Self.rows {
            var operation: JSONValue = try json(row.text)
            operation.spoil(using: &random)
            let body: JSONValue = ["operations": [operation]]
            guard let error = wireError({ _ = try decoder.transactionBody(JSONSlice(body)) }) else { continue }
            refusals += 1
            try #require(error.operation == 0)
            let tokens = error.pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let path = tokens.dropFirst().map { String(Substring($0)) }
            let target = error.fault == .missingMember ? path.dropLast() : path[...]
            try #require(body.value(at: target) != nil, "\(error.pointer) in \(text(body.bytes))")
        }
        // Most changes make an operation invalid.
        #expect(refusals > Self.rows.count / 3)
    }
}

extension JSONValue {
    /// Replaces, removes or adds a value at a random place.
    fileprivate mutating func spoil(using random: inout SeededGenerator) {
        switch self {
        case .object(var object) where !object.isEmpty && !random.once(in: 6):
            let member = random.pick(object.members)
            switch random.below(5) {
            case 0: object.remove(member.key)
            case 1: object.set(1, for: random.pick(["x", "a/b", "~"]))
            default:
                var value = member.value
                value.spoil(using: &random)
                object.set(value, for: member.key)
            }
            self = .object(object)
        case .array(var array) where !array.isEmpty && !random.once(in: 6):
            let index = random.below(array.count)
            if random.once(in: 3) { array.append(array[index]) } else { array[index].spoil(using: &random) }
            self = .array(array)
        case .null, .bool, .number, .string, .array, .object:
            self = random.pick([.null, true, 1, -1, "", "x\u{0}", "a", [], [1], [:], ["x": 1]])
        }
    }

    /// The value at a JSON pointer (RFC 6901), which is given as its tokens.
    fileprivate func value(at path: ArraySlice<String>) -> JSONValue? {
        guard let token = path.first else { return self }
        switch self {
        case .array: return Int(token).flatMap { self[$0] }?.value(at: path.dropFirst())
        case .object:
            let key = token.replacing("~1", with: "/").replacing("~0", with: "~")
            return self[key]?.value(at: path.dropFirst())
        case .null, .bool, .number, .string: return nil
        }
    }
}
