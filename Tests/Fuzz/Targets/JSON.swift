import Foundation
import JSONValue

/// What is read is written in such a way that it is read again as the same, and Foundation, which is less strict, takes
/// it too.
func tryJSON(_ input: [UInt8]) -> Int32 {
    guard let value = try? JSONValue(parsing: input) else { return 0 }
    let written = value.bytes
    guard let again = try? JSONValue(parsing: written) else { fatalError("what was written cannot be read") }
    require(again == value, "what was written is read as another value")
    require(again.bytes == written, "what was written is written in another way")
    require(written.count <= 6 * input.count, "what was written is long")
    let isKnown = (try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)) != nil
    require(isKnown || hasGreatNumber(value), "Foundation does not take it")
    return 0
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
