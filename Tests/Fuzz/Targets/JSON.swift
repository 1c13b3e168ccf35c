import Foundation
import JSONValue

/// All readers agree whether some bytes are JSON, and on what they are. What is written is read again as the same, and
/// Foundation, which is less strict, takes it too.
func tryJSON(_ input: [UInt8]) throws -> Bool {
    let slice = try? JSONSlice(checking: input)
    let isRead =
        (try? JSONCursor.read(input, levelsAround: 0) { cursor throws(JSONCursor.Refusal) in try cursor.skip() }) != nil
    guard let value = try? JSONValue(parsing: input) else {
        try require(slice == nil && !isRead, "some take it")
        return false
    }
    try require(isRead, "some do not take it")
    guard let slice else { throw BrokenRule(description: "some do not take it") }
    try require(JSONValue(slice) == value, "it is taken for another value")
    let written = value.bytes
    try require(written == JSONValue(slice).bytes, "the same value is written in another way")
    try require(MinifiedJSON.isValid(written.span), "what was written is not minified")
    try require(JSONScan.end(ofValueAt: 0, in: written.span) == written.count, "the value ends elsewhere")
    guard let again = try? JSONValue(parsing: written) else {
        throw BrokenRule(description: "what was written cannot be read")
    }
    try require(again == value, "what was written is read as another value")
    try require(again.bytes == written, "what was written is written in another way")
    try require(written.count <= 6 * input.count, "what was written is long")
    if case .object = value { try require(copy(input) == written, "a copy is another object") }
    let isKnown = (try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)) != nil
    try require(isKnown || hasGreatNumber(value), "Foundation does not take it")
    return true
}

/// The object as it is copied into a list.
private func copy(_ input: [UInt8]) throws -> [UInt8] {
    var copied: [UInt8] = []
    try JSONCursor.read(input, levelsAround: 0) { cursor throws(JSONCursor.Refusal) in
        try cursor.copyObject(to: &copied)
    }
    return copied
}

/// Foundation refuses numbers that are beyond a Double.
private func hasGreatNumber(_ value: JSONValue) -> Bool {
    switch value {
    case .null, .bool, .string: false
    case .number(let number): !(Double("\(number.literal)")?.isFinite ?? false)
    case .array(let elements): elements.contains(where: hasGreatNumber)
    case .object(let object): object.members.contains { hasGreatNumber($0.value) }
    }
}
