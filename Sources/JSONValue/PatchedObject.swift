internal import Texts

/// An object that takes merge patches one after the other, each at the cost of the patch.
///
/// It knows at any time how long its text is; the object is made once, at the end.
///
/// Source: RFC 7396 section 2.
public struct PatchedObject: Sendable {
    private indirect enum Node: Sendable {
        case value(JSONValue, byteCount: Int)
        case object(PatchedObject)

        init(_ value: JSONValue) { self = .value(value, byteCount: value.byteCount) }

        var byteCount: Int {
            switch self {
            case .value(_, let byteCount): byteCount
            case .object(let object): object.byteCount
            }
        }

        var value: JSONValue {
            switch self {
            case .value(let value, _): value
            case .object(let object): .object(object.object)
            }
        }

        /// What is there to be patched by an object.
        var opened: PatchedObject {
            switch self {
            case .object(let object): object
            case .value(.object(let object), _): PatchedObject(object)
            case .value: PatchedObject(JSONObject())
            }
        }
    }

    /// In the order in which they came; a node is nil once its member was taken out.
    private var members: [(key: ByteText, node: Node?)] = []
    /// Of those that are there.
    private var positions: [ByteText: Int] = [:]
    /// Bytes of the members' texts, without the commas between them.
    private var memberBytes = 0

    /// - Complexity: O(*n*), *n* = bytes of the object's text.
    public init(_ object: JSONObject) {
        members.reserveCapacity(object.count)
        positions.reserveCapacity(object.count)
        for member in object.members { put(Node(member.value), for: member.key) }
    }

    /// How many bytes the object's text has, without white space.
    public var byteCount: Int { 2 + memberBytes + max(0, positions.count - 1) }

    /// The object as the patches have left it.
    ///
    /// - Complexity: O(*n*), *n* = members, those that were taken out counted.
    public var object: JSONObject {
        JSONObject(distinct: members.compactMap { member in member.node.map { (member.key, $0.value) } })
    }

    /// Takes a patch; the same as `JSONObject.merging(patch:)`.
    ///
    /// - Complexity: O(*m*), *m* = bytes of the patch's text, once the objects that it names have been opened.
    public mutating func merge(_ patch: JSONObject) {
        for member in patch.members {
            if case .null = member.value { _ = take(member.key) } else { merge(member.value, into: member.key) }
        }
    }

    private mutating func merge(_ patch: JSONValue, into key: ByteText) {
        guard case .object(let patch) = patch else { return set(Node(patch), for: key) }
        // Taken out meanwhile, so that nothing is copied.
        var object = replace(key, by: nil)?.opened ?? PatchedObject(JSONObject())
        object.merge(patch)
        set(.object(object), for: key)
    }

    /// Puts a value in its member's place, or behind all others.
    private mutating func set(_ node: Node, for key: ByteText) {
        guard positions[key] != nil else { return put(node, for: key) }
        _ = replace(key, by: node)
    }

    private mutating func put(_ node: Node, for key: ByteText) {
        positions[key] = members.count
        memberBytes += key.byteCountInJSON + 1 + node.byteCount
        members.append((key, node))
    }

    /// The value of a member that stays, if there is one.
    private mutating func replace(_ key: ByteText, by node: Node?) -> Node? {
        guard let position = positions[key] else { return nil }
        let old = members[position].node
        members[position].node = node
        memberBytes += (node?.byteCount ?? 0) - (old?.byteCount ?? 0)
        return old
    }

    private mutating func take(_ key: ByteText) -> Node? {
        guard let position = positions.removeValue(forKey: key) else { return nil }
        defer { members[position].node = nil }
        memberBytes -= key.byteCountInJSON + 1 + (members[position].node?.byteCount ?? 0)
        return members[position].node
    }
}

extension JSONValue {
    /// How many bytes the value's text has, without white space.
    ///
    /// - Complexity: O(*n*), *n* = the result.
    public var byteCount: Int {
        switch self {
        case .null, .bool(true): 4
        case .bool(false): 5
        case .number(let number): number.literal.utf8.count
        case .string(let string): string.byteCountInJSON
        case .array(let array): array.reduce(2 + max(0, array.count - 1)) { $0 + $1.byteCount }
        case .object(let object):
            object.members.reduce(2 + max(0, object.count - 1)) { $0 + $1.key.byteCountInJSON + 1 + $1.value.byteCount }
        }
    }
}
