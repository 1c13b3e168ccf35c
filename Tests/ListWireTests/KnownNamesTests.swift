import Testing
import Texts

@testable import ListWire

/// The names that a sentence repeats.
@Suite struct KnownNamesTests {
    @Test("A name with a control character is not shown, because a terminal would obey it")
    func controls() {
        for name in ["\u{7}", "\u{1B}[31m", "a\u{7F}", "\u{80}", "\u{9B}31m", "\u{9F}"] {
            let sentence = KnownNames(ByteText(name), among: ["op"] as [ByteText]).sentence("member")
            #expect(sentence == "Unknown member.", "\(name.debugDescription)")
        }
    }

    @Test func others() {
        for name in ["", "sections", "\u{A0}", "é", "\"\\"] {
            let sentence = KnownNames(ByteText(name), among: ["op"] as [ByteText]).sentence("member")
            #expect(sentence == "Unknown member \"\(name)\".")
        }
    }
}
