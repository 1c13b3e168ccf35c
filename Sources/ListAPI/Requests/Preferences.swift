internal import Texts

/// The preferences that a client sends with `Prefer` (RFC 7240). Unknown preferences are ignored.
struct Preferences: Equatable {
    /// Whether the request has `return=minimal`: the answer to a write has no body if there is nothing to tell.
    var wantsMinimal = false
    /// Whether the request has `handling=strict`: it fails if the history that it needs is no longer kept.
    var isStrict = false
    /// Whether the request has `respond-async`: the answer is the address of the stream, not the stream.
    var respondsAsync = false
    /// The number of seconds for which the answer may wait for a change, as in `wait=10`; nil if the request has none.
    var wait: Int?

    /// - Parameter fields: The values of all `Prefer` lines. If a preference is repeated, the first one is used.
    init(_ fields: [ByteText]) {
        guard !fields.isEmpty else { return }
        var seen: Set<ByteText> = []
        for preference in fields.flatMap({ $0.split(at: ",") }) {
            let parts = preference.split(at: ";")[0].split(at: "=", splitsMax: 1).map(Self.token)
            guard seen.insert(parts[0]).inserted else { continue }
            switch (parts[0], parts.count == 2 ? parts[1] : "") {
            case ("return", "minimal"): wantsMinimal = true
            case ("handling", "strict"): isStrict = true
            case ("respond-async", _): respondsAsync = true
            case ("wait", let seconds): wait = Int(seconds).flatMap { $0 < 0 ? nil : $0 }
            default: continue
            }
        }
    }

    /// A name or value without spaces and quotes, in lower case.
    private static func token(_ text: ByteText) -> ByteText {
        text.trimmed { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: "\"") }.lowercasedASCII
    }
}
