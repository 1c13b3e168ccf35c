public import Texts

/// The members of a JSON object, in the order in which they were written. Each name occurs once.
///
/// Names are compared by the bytes of their UTF-8. Two objects with the same members in another order are equal. A
/// member is found or set in O(*n*), *n* = `count`.
public struct JSONObject: Sendable {
    /// A name and its value.
    public typealias Member = (key: ByteText, value: JSONValue)

    /// The members in order.
    public private(set) var members: [Member]

    /// Makes an object without members.
    public init() {
        members = []
    }

    /// Makes an object of `pairs`. If two pairs have the same name, the first gives the place and the last gives the
    /// value.
    public init(_ pairs: [Member]) {
        var index = MemberIndex()
        for pair in pairs {
            index.set(pair.value, for: pair.key)
        }
        members = index.members
    }

    /// - Precondition: No name appears twice.
    init(distinct members: [Member]) {
        self.members = members
    }

    /// The number of members.
    public var count: Int { members.count }

    /// The value of the member named `key`; nil if there is none.
    public subscript(key: ByteText) -> JSONValue? {
        guard let position = members.position(of: key) else { return nil }
        return members[position].value
    }

    /// Replaces the value of the member named `key`, or appends the member.
    public mutating func set(_ value: JSONValue, for key: ByteText) {
        guard let position = members.position(of: key) else {
            members.append((key: key, value: value))
            return
        }
        members[position].value = value
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        let sameOrder = zip(left.members, right.members).allSatisfy { $0.key == $1.key }
        guard !sameOrder else {
            return zip(left.members, right.members).allSatisfy { $0.value == $1.value }
        }
        let index = MemberIndex(right.members)
        return left.members.allSatisfy { member in
            guard let position = index.position(of: member.key) else { return false }
            return index.members[position].value == member.value
        }
    }

    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for member in members {
            var memberHasher = Hasher()
            memberHasher.combine(member.key)
            memberHasher.combine(member.value)
            // A sum does not depend on the order of the members.
            sum &+= memberHasher.finalize()
        }
        hasher.combine(count)
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (ByteText, JSONValue)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }
}
