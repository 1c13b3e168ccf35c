internal import Texts

/// What a client asks for with `Prefer` (RFC 7240); a preference that is not known here is ignored.
struct Preferences: Equatable {
    /// `return=minimal`: no body where there is nothing to tell.
    var wantsMinimal = false
    /// `handling=strict`: lost history is an error.
    var isStrict = false
    /// `respond-async`: where to ask instead of the answer.
    var respondsAsync = false
    /// `wait=10`: for how many seconds the answer may wait for something to tell.
    var wait: Int?

    /// - Parameter fields: The values of all `Prefer` lines. Of a preference that is repeated the first counts.
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
