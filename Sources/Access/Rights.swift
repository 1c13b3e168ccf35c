public import Texts

/// The rights of a caller on lists.
///
/// Each right includes `read`, because the answer to a write shows what the write has met. `administer` includes all
/// others, and lets its holder give rights to tokens.
public struct Rights: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let read = Rights(rawValue: 1)
    /// Change lists that are there, and take changes back.
    public static let write = Rights(rawValue: 2)
    /// Make lists.
    public static let create = Rights(rawValue: 4)
    /// Delete lists.
    public static let delete = Rights(rawValue: 8)
    public static let administer = Rights(rawValue: 16)

    public static let all: Rights = [.read, .write, .create, .delete, .administer]

    /// The rights with their names in JSON and on the command line, in order.
    public static let named: [(right: Rights, name: ByteText)] = [
        (.read, "read"), (.write, "write"), (.create, "create"), (.delete, "delete"), (.administer, "administer"),
    ]

    /// The rights with those that they include.
    public var whole: Rights {
        guard !contains(.administer) else { return .all }
        return isEmpty ? self : union(.read)
    }

    /// The names of the rights, in order.
    public var names: [ByteText] { Self.named.filter { contains($0.right) }.map(\.name) }

    /// - Returns: Nil if a name is none of `named`, or there is none.
    public init?(names: [ByteText]) {
        var rights: Rights = []
        for name in names {
            guard let right = Self.named.first(where: { $0.name == name })?.right else { return nil }
            rights.insert(right)
        }
        guard !rights.isEmpty else { return nil }
        self = rights.whole
    }
}
