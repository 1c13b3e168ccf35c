internal import Texts

/// An object that takes many merge patches, each at the cost of the patch and not of the object.
///
/// It always knows the length of its JSON text. The object itself is made once, at the end.
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

        /// The node as an object that can take a patch. A value of another type becomes an empty object, by RFC 7396.
        var opened: PatchedObject {
            switch self {
            case .object(let object): object
            case .value(.object(let object), _): PatchedObject(object)
            case .value: PatchedObject(JSONObject())
            }
        }
    }

    /// The members in the order in which they came. A node is nil if its member was removed.
    private var members: [(key: ByteText, node: Node?)] = []
    /// The index in `members` of each member that was not removed.
    private var positions: [ByteText: Int] = [:]
    /// The number of bytes of the members' JSON, without the commas between them.
    private var memberBytes = 0

    /// - Complexity: O(*n*), *n* = the bytes of the object's JSON.
    public init(_ object: JSONObject) {
        members.reserveCapacity(object.count)
        positions.reserveCapacity(object.count)
        for member in object.members { put(Node(member.value), for: member.key) }
    }

    /// The number of bytes of the object's JSON, without white space.
    public var byteCount: Int { 2 + memberBytes + max(0, positions.count - 1) }

    /// The object after all patches.
    ///
    /// - Complexity: O(*n*), *n* = the number of members, including removed ones.
    public var object: JSONObject {
        JSONObject(distinct: members.compactMap { member in member.node.map { (member.key, $0.value) } })
    }

    /// Applies a patch, with the same result as `JSONObject.merging(patch:)`.
    ///
    /// - Complexity: O(*m*), *m* = the bytes of the patch's JSON. An inner object adds its own size when it is patched
    ///   for the first time.
    public mutating func merge(_ patch: JSONObject) {
        for member in patch.members {
            if case .null = member.value { _ = take(member.key) } else { merge(member.value, into: member.key) }
        }
    }

    private mutating func merge(_ patch: JSONValue, into key: ByteText) {
        guard case .object(let patch) = patch else { return set(Node(patch), for: key) }
        // The node is out of `members` while it changes, so that Swift changes it in place and copies nothing.
        var object = replace(key, by: nil)?.opened ?? PatchedObject(JSONObject())
        object.merge(patch)
        set(.object(object), for: key)
    }

    /// Replaces the value of a member, or appends the member.
    private mutating func set(_ node: Node, for key: ByteText) {
        guard positions[key] != nil else { return put(node, for: key) }
        _ = replace(key, by: node)
    }

    private mutating func put(_ node: Node, for key: ByteText) {
        positions[key] = members.count
        memberBytes += key.byteCountInJSON + 1 + node.byteCount
        members.append((key, node))
    }

    /// Replaces the node of a member that exists, and returns the old node. The member keeps its place.
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
    /// The number of bytes of the value's JSON, without white space.
    ///
    /// - Complexity: O(*n*), *n* = the bytes of the value's JSON.
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
