/// What a client asks for with `Prefer` (RFC 7240); a preference that is not known here is ignored.
struct Preferences: Equatable {
    /// `return=minimal`: no body where there is nothing to tell.
    var wantsMinimal = false
    /// `handling=strict`: lost history is an error.
    var isStrict = false
    /// `wait=10`: for how many seconds the answer may wait for something to tell.
    var wait: Int?

    /// - Parameter fields: The values of all `Prefer` lines. Of a preference that is repeated the first counts.
    init(_ fields: [String]) {
        guard !fields.isEmpty else { return }
        var seen: Set<String> = []
        for preference in fields.flatMap({ $0.split(separator: ",") }) {
            let main = preference.prefix { $0 != ";" }
            let parts = main.split(separator: "=", maxSplits: 1)
            guard let name = parts.first.map(Self.token), seen.insert(name).inserted else { continue }
            switch (name, parts.count == 2 ? Self.token(parts[1]) : "") {
            case ("return", "minimal"): wantsMinimal = true
            case ("handling", "strict"): isStrict = true
            case ("wait", let seconds): wait = Int(seconds).flatMap { $0 < 0 ? nil : $0 }
            default: continue
            }
        }
    }

    /// A name or value without spaces and quotes, in lower case.
    private static func token(_ text: Substring) -> String {
        let isOutside: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\"" }
        guard let first = text.firstIndex(where: { !isOutside($0) }),
            let last = text.lastIndex(where: { !isOutside($0) })
        else { return "" }
        return text[first...last].lowercased()
    }
}
