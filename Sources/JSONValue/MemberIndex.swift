/// Members that are looked up often while they are read, compared or merged.
///
/// A few are scanned; more get a hash index, so that an object of *n* hostile names costs O(*n*). The hash is
/// Swift's, seeded anew in each process.
struct MemberIndex {
    private static let scannedMax = 8

    private(set) var members: [JSONObject.Member] = []
    /// Empty while the members are few enough to be scanned.
    private var positions: [ByteKey: Int] = [:]

    init() {}

    /// - Precondition: No name appears twice.
    init(_ members: [JSONObject.Member]) {
        self.members = members
        if members.count > Self.scannedMax {
            indexAll()
        }
    }

    func position(of key: String) -> Int? {
        members.count > Self.scannedMax ? positions[ByteKey(string: key)] : members.position(of: key)
    }

    /// - Precondition: No member has this name.
    mutating func append(_ value: JSONValue, for key: String) {
        members.append((key: key, value: value))
        if members.count == Self.scannedMax + 1 {
            indexAll()
        } else if members.count > Self.scannedMax {
            positions[ByteKey(string: key)] = members.count - 1
        }
    }

    mutating func set(_ value: JSONValue, for key: String) {
        guard let position = position(of: key) else {
            append(value, for: key)
            return
        }
        members[position].value = value
    }

    private mutating func indexAll() {
        positions.reserveCapacity(members.count)
        for (position, member) in members.enumerated() {
            positions[ByteKey(string: member.key)] = position
        }
    }
}

/// A string that equals another when their bytes do.
private struct ByteKey: Hashable {
    let string: String

    static func == (left: ByteKey, right: ByteKey) -> Bool {
        left.string.hasSameBytes(as: right.string)
    }

    func hash(into hasher: inout Hasher) {
        string.hashBytes(into: &hasher)
    }
}

extension [JSONObject.Member] {
    func position(of key: String) -> Int? {
        firstIndex { $0.key.hasSameBytes(as: key) }
    }
}

extension String {
    /// Whether the bytes in UTF-8 are the same; `==` compares by canonical equivalence.
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    func hashBytes(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Where one string ends and the next begins.
        hasher.combine(0xFF as UInt8)
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        // The door to the bytes is mutating, because a string bridged from elsewhere is copied first.
        var string = self
        return string.withUTF8(body)
    }
}
