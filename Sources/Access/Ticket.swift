internal import JSONValue
internal import Texts

/// The right to follow lists at one address, for a client that can send no header, as `EventSource`.
///
/// It stands for a caller, so it never lets in whom the caller's own token would not.
public struct Ticket: Sendable {
    /// The one who made it. What it may do is asked each time.
    public let caller: Caller
    /// The digest of the address.
    let target: [UInt8]
    /// Seconds since 1970.
    let made: Int
    /// Whether a stream has begun with it.
    var isUsed: Bool

    /// The seconds in which a ticket must be used for the first time.
    public static let secondsToFirstUse = 60

    init(_ caller: Caller, target: [UInt8], made: Int) {
        self.caller = caller
        self.target = target
        self.made = made
        isUsed = false
    }

    /// Whether its time has passed without a use.
    func isLate(at time: Int) -> Bool { !isUsed && time > made + Self.secondsToFirstUse }
}

/// The ticket as it is stored.
extension Ticket {
    private static let format = 1

    var bytes: [UInt8] {
        var members: [JSONObject.Member] = [
            ("format", .integer(Self.format)), ("actor", .string(caller.actor)),
            ("digest", .string(hexText(caller.digest))), ("target", .string(hexText(target))),
            ("made", .integer(made)), ("used", .bool(isUsed)),
        ]
        if caller.kind == .foreign {
            members.append(("grants", caller.own.json))
            members.append(("expires", .integer(caller.expires ?? 0)))
        }
        return JSONValue.object(JSONObject(members)).bytes
    }

    /// - Returns: Nil for bytes of another form. Such a ticket is none.
    init?(bytes: [UInt8]) {
        guard case .object(let object)? = try? JSONValue(parsing: bytes, levelsAround: 8),
            object["format"]?.whole == Self.format, case .string(let actor)? = object["actor"],
            let digest = object.digest("digest"), let target = object.digest("target"),
            let made = object["made"]?.whole, case .bool(let isUsed)? = object["used"]
        else { return nil }
        if let grants = object["grants"] {
            guard let grants = Grants(grants), let expires = object["expires"]?.whole else { return nil }
            caller = Caller(.foreign, actor, expires: expires, digest, grants, .none)
        } else {
            caller = Caller(.token, actor, expires: nil, digest, .none, .none)
        }
        self.target = target
        self.made = made
        self.isUsed = isUsed
    }
}

extension JSONObject {
    fileprivate func digest(_ name: ByteText) -> [UInt8]? {
        guard case .string(let text)? = self[name], let bytes = hexBytes(text), bytes.count == 32 else { return nil }
        return bytes
    }
}
