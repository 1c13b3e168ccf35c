public import JSONValue

/// The access book as it is stored: JSON, so that another program of the same version reads the same.
extension AccessBook {
    /// The number that the stored form begins with. A program refuses a book of a later one.
    private static let format = 1
    /// A keyed record holds as many bytes.
    public static let bytesMax = 1 << 20

    /// - Throws: `bookTooLarge`.
    public func bytes() throws(AccessError) -> [UInt8] {
        let tokens = self.tokens.values.sorted { $0.name < $1.name }.map(\.json)
        let groups = Group.allCases.compactMap { group in
            self.groups[group].map { (key: ByteText(group.rawValue), value: $0.json) }
        }
        let book: JSONValue = [
            "format": .integer(Self.format), "tokens": .array(tokens), "groups": .object(JSONObject(groups)),
        ]
        let bytes = book.bytes
        guard bytes.count <= Self.bytesMax else { throw .bookTooLarge(bytesMax: Self.bytesMax) }
        return bytes
    }

    /// - Throws: `unreadable`, also for a later format and for a member that is not known: it may take a right away.
    public init(bytes: [UInt8]) throws(AccessError) {
        guard bytes.count <= Self.bytesMax, case .object(let book)? = try? JSONValue(parsing: bytes, levelsAround: 8),
            book.hasOnly(["format", "tokens", "groups"]), book["format"]?.whole == Self.format,
            case .array(let tokens)? = book["tokens"], case .object(let groups)? = book["groups"]
        else { throw .unreadable }
        self.init()
        for one in tokens {
            guard let token = Token(one) else { throw .unreadable }
            try add(token)
        }
        for (name, value) in groups.members {
            guard let group = Group(rawText: name), let grants = Grants(value) else { throw .unreadable }
            set(grants, of: group)
        }
    }
}

extension AccessBook.Token {
    fileprivate var json: JSONValue {
        var members: [JSONObject.Member] = [
            ("name", .string(name)), ("digest", .string(hexText(digest))), ("grants", grants.json),
            ("created", .integer(created)), ("creator", .string(creator)),
        ]
        if let expires { members.append(("expires", .integer(expires))) }
        return .object(JSONObject(members))
    }

    fileprivate init?(_ value: JSONValue) {
        guard case .object(let object) = value,
            object.hasOnly(["name", "digest", "grants", "created", "creator", "expires"]),
            case .string(let name)? = object["name"], AccessBook.isName(name),
            case .string(let digest)? = object["digest"], let bytes = hexBytes(digest), bytes.count == 32,
            let grants = object["grants"].flatMap({ Grants($0) }), let created = object["created"]?.whole,
            case .string(let creator)? = object["creator"]
        else { return nil }
        let expires = object["expires"]?.whole
        guard object["expires"] == nil || expires != nil else { return nil }
        self.init(
            name: name, digest: bytes, grants: grants, created: created, expires: expires, creator: creator)
    }
}

extension Grants {
    /// `[{"lists": ["team-a-*"], "can": ["read", "write"]}]`, in the store and in answers.
    public var json: JSONValue {
        .array(
            all.map { grant in
                [
                    "lists": .array(grant.lists.map { .string($0.text) }),
                    "can": .array(grant.rights.names.map { .string($0) }),
                ]
            })
    }

    /// - Returns: Nil if a member is missing, wrong or unknown.
    public init?(_ value: JSONValue) {
        guard case .array(let elements) = value else { return nil }
        var grants: [Grant] = []
        for element in elements {
            guard case .object(let object) = element, object.hasOnly(["lists", "can"]),
                let lists = object["lists"]?.texts, let can = object["can"]?.texts, let rights = Rights(names: can)
            else { return nil }
            let patterns = lists.compactMap { ListPattern($0) }
            guard patterns.count == lists.count, let grant = Grant(patterns, rights) else { return nil }
            grants.append(grant)
        }
        self.init(grants)
    }
}

extension JSONObject {
    fileprivate func hasOnly(_ names: Set<ByteText>) -> Bool { members.allSatisfy { names.contains($0.key) } }
}

extension JSONValue {
    /// The number, if it is a whole one that `Int` holds.
    var whole: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(number.literal)
    }

    /// The elements, if all are strings.
    fileprivate var texts: [ByteText]? {
        guard case .array(let elements) = self else { return nil }
        var texts: [ByteText] = []
        for case .string(let text) in elements { texts.append(text) }
        return texts.count == elements.count ? texts : nil
    }
}

func hexText(_ bytes: [UInt8]) -> ByteText {
    let digits = Array("0123456789abcdef".utf8)
    return ByteText(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

func hexBytes(_ text: ByteText) -> [UInt8]? {
    let digits = text.utf8.map { $0.hexDigitValue }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
}
