internal import SHA256
public import Texts

/// The text of a token or of a ticket, which its holder sends. Only its digest is stored.
public enum Secret {
    /// The beginning of each token, by which people and scanners of leaked secrets know it.
    public static let prefix: ByteText = "lst_"
    /// The beginning of each ticket.
    private static let ticketPrefix: ByteText = "ltk_"
    /// The beginnings of what has to be in no log: tokens and tickets of this server, and tokens of others, which are
    /// taken for such if a segment of a path begins like them.
    static let beginnings: [ByteText] = [prefix, ticketPrefix, "/eyJ"]
    /// The number of random characters behind the prefix, of 62 each: 256 bits.
    public static let characters = 43

    /// Whether the text has the form of a token. A text of another form is none, whatever its digest.
    public static func hasForm(_ text: ByteText) -> Bool { hasForm(text, prefix) }

    /// Whether the text has the form of a ticket.
    static func isTicket(_ text: ByteText) -> Bool { hasForm(text, ticketPrefix) }

    private static func hasForm(_ text: ByteText, _ prefix: ByteText) -> Bool {
        text.utf8.count == prefix.utf8.count + characters && text.hasPrefix(prefix)
    }

    /// The SHA-256 of the text. The text is random, so nobody can find it from the digest by trying.
    public static func digest(_ text: ByteText) -> [UInt8] { sha256(parts: [Array(text.utf8)]) }

    /// Makes the text of a new token.
    ///
    /// - Parameter random: Returns a random number from 0 up to, but not including, its argument. It must be one that
    ///   nobody can guess.
    public static func make(_ random: (Int) -> Int) -> ByteText { make(prefix, random) }

    /// Makes the text of a new ticket, as that of a token.
    public static func makeTicket(_ random: (Int) -> Int) -> ByteText { make(ticketPrefix, random) }

    private static func make(_ prefix: ByteText, _ random: (Int) -> Int) -> ByteText {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        return prefix.appending((0..<characters).map { _ in alphabet[random(alphabet.count)] })
    }
}

extension ByteText {
    fileprivate func appending(_ bytes: [UInt8]) -> ByteText { ByteText(decoding: Array(utf8) + bytes) }
}
