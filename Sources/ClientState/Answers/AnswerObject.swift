import JSONValue
import ListModel
public import Texts

/// An answer of a server that does not keep to the contract: the answer is no JSON, or a member is missing or has a
/// wrong value.
public struct AnswerError: Error, Sendable, Equatable {
    /// The name of the member that is wrong; empty if the bytes are no JSON.
    public let member: ByteText

    init(_ member: ByteText) { self.member = member }
}

/// The members of an object in an answer. Members that nobody asks for are ignored, because later servers add some.
struct AnswerObject {
    private let members: [(key: ByteText, value: JSONSlice)]

    /// The greatest number of arrays and objects around a content in any answer.
    private static let levelsAround = 16

    /// Checks a whole answer.
    init(_ bytes: [UInt8]) throws(AnswerError) {
        let slice: JSONSlice
        do { slice = try JSONSlice(checking: bytes, levelsAround: Self.levelsAround) } catch { throw AnswerError("") }
        try self.init(slice, as: "")
    }

    /// - Parameter name: The name of the member whose value this is.
    init(_ slice: JSONSlice, as name: ByteText) throws(AnswerError) {
        guard case .object(let members) = slice.form else { throw AnswerError(name) }
        self.members = Array(members)
    }

    /// The value of a member; nil if it is missing.
    subscript(name: ByteText) -> JSONSlice? { members.first { $0.key == name }?.value }

    /// The value of a member that is neither missing nor null.
    func present(_ name: ByteText) -> JSONSlice? {
        guard let value = self[name], !value.isNull else { return nil }
        return value
    }
}

// MARK: - Values

extension AnswerObject {
    func object(_ name: ByteText) throws(AnswerError) -> AnswerObject? {
        guard let value = present(name) else { return nil }
        return try AnswerObject(value, as: name)
    }

    /// The objects in an array; none if the member is missing.
    func objects<Value>(
        _ name: ByteText, _ read: (AnswerObject) throws(AnswerError) -> Value
    ) throws(AnswerError) -> [Value] {
        guard let value = present(name) else { return [] }
        guard case .array(let elements) = value.form else { throw AnswerError(name) }
        var values: [Value] = []
        for element in elements { values.append(try read(AnswerObject(element, as: name))) }
        return values
    }

    func text(_ name: ByteText) throws(AnswerError) -> ByteText? {
        guard let value = present(name) else { return nil }
        guard case .string(let text) = value.form else { throw AnswerError(name) }
        return text
    }

    func flag(_ name: ByteText, orMissing standard: Bool) throws(AnswerError) -> Bool {
        guard let value = present(name) else { return standard }
        guard case .bool(let flag) = value.form else { throw AnswerError(name) }
        return flag
    }

    /// A counting number; nil if the member is missing.
    func number(_ name: ByteText) throws(AnswerError) -> Int? {
        guard let value = present(name) else { return nil }
        guard case .number(let number) = value.form, let integer = number.integer,
            (0...JSONNumber.integerMax).contains(integer)
        else { throw AnswerError(name) }
        return integer
    }

    /// A counting number that must be there.
    func index(_ name: ByteText) throws(AnswerError) -> Int {
        guard let number = try number(name) else { throw AnswerError(name) }
        return number
    }

    func version(_ name: ByteText) throws(AnswerError) -> Version {
        guard let version = try text(name).flatMap({ Version($0) }) else { throw AnswerError(name) }
        return version
    }

    func list(_ name: ByteText) throws(AnswerError) -> ListID {
        guard let id = try text(name).flatMap({ ListID($0) }) else { throw AnswerError(name) }
        return id
    }

    func id<Namespace>(_ name: ByteText) throws(AnswerError) -> Identifier<Namespace> {
        guard let id = try text(name).flatMap({ Identifier<Namespace>($0) }) else { throw AnswerError(name) }
        return id
    }

    /// The ids in an array; none if the member is missing.
    func ids<Namespace>(_ name: ByteText) throws(AnswerError) -> [Identifier<Namespace>] {
        guard let value = present(name) else { return [] }
        guard case .array(let elements) = value.form else { throw AnswerError(name) }
        var ids: [Identifier<Namespace>] = []
        for element in elements {
            guard case .string(let text) = element.form, let id = Identifier<Namespace>(text) else {
                throw AnswerError(name)
            }
            ids.append(id)
        }
        return ids
    }

    /// A value that belongs to the client, such as a content; nil if the member is missing or null.
    func json(_ name: ByteText) throws(AnswerError) -> JSONText? {
        guard let value = present(name) else { return nil }
        let extent = value.extent
        guard extent.depth <= JSONValue.depthMax else { throw AnswerError(name) }
        return JSONText(unchecked: value.bytes(extent))
    }

    func counts(_ name: ByteText) throws(AnswerError) -> ListCounts? {
        guard let counts = try object(name) else { return nil }
        return ListCounts(
            sections: try counts.index("sections"), items: try counts.index("items"),
            visibleItems: try counts.index("visibleItems"))
    }
}
