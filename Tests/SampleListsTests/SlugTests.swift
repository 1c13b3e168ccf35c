import ListModel
import Testing

@testable import SampleLists

@Suite struct SlugTests {
    @Test(arguments: [
        ("Rolling on the floor laughing", "rolling-on-the-floor-laughing"), ("LGTM", "lgtm"), ("iMac", "imac"),
        ("\u{F8FF} Watch", "watch"), ("404NotFound", "404notfound"),
        ("__hidden_in_plain__sight__", "hidden-in-plain-sight"),
        ("Caf\u{E9} au lait", "caf-au-lait"), ("31", "31"), ("-1.5", "1-5"), ("\u{1F600}", "1f600"),
        ("\u{2764}\u{FE0F}", "2764-fe0f"), ("\u{65E5}\u{672C}", "65e5-672c"),
    ])
    func slugs(text: String, expected: String) {
        #expect(slug(of: ByteText(text)).string == expected)
    }

    @Test func repeatsAreCountedAndNeverMeetAnotherTitle() {
        var namer = ItemNamer(section: "s")
        #expect(
            ["Item", "Item", "item 2", "Item!", "Other"].map { namer.name(for: $0) } == [
                "s.item", "s.item-2", "s.item-2-2", "s.item-3", "s.other",
            ])
    }

    /// The first outputs for seed 0, as other implementations publish them.
    @Test func splitMix() {
        var generator = SplitMix64(seed: 0)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F,
            ])
    }
}
