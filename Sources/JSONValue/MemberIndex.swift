internal import Texts

/// The members of an object, for making, comparing and merging, which look names up often.
///
/// Up to `scannedMax` members are searched one by one. Larger objects get a hash index, so that an object of *n*
/// hostile names costs O(*n*): Swift seeds its hashes anew in each process.
struct MemberIndex {
    private static let scannedMax = 8

    private(set) var members: [JSONObject.Member] = []
    /// The place of each name in `members`; empty while the members are few enough to be searched one by one.
    private var positions: [ByteText: Int] = [:]

    init() {}

    /// - Precondition: No name appears twice.
    init(_ members: [JSONObject.Member]) {
        self.members = members
        if members.count > Self.scannedMax {
            indexAll()
        }
    }

    func position(of key: ByteText) -> Int? {
        members.count > Self.scannedMax ? positions[key] : members.position(of: key)
    }

    /// - Precondition: No member has this name.
    mutating func append(_ value: JSONValue, for key: ByteText) {
        members.append((key: key, value: value))
        if members.count == Self.scannedMax + 1 {
            indexAll()
        } else if members.count > Self.scannedMax {
            positions[key] = members.count - 1
        }
    }

    mutating func set(_ value: JSONValue, for key: ByteText) {
        guard let position = position(of: key) else {
            append(value, for: key)
            return
        }
        members[position].value = value
    }

    private mutating func indexAll() {
        positions.reserveCapacity(members.count)
        for (position, member) in members.enumerated() {
            positions[member.key] = position
        }
    }
}

extension [JSONObject.Member] {
    func position(of key: ByteText) -> Int? { firstIndex { $0.key == key } }
}
