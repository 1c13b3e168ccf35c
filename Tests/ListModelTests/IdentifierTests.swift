import ListModel
import Testing

@Suite struct IdentifierTests {
    /// Every scalar up to U+017F, at every place of names of every length up to 40 bytes and more.
    @Test func noNameHasAControlCharacter() {
        for number in UInt32(0)...0x17F {
            guard let scalar = Unicode.Scalar(number) else { continue }
            for length in [0, 1, 7, 15, 16, 17, 31, 40] {
                for place in 0...length {
                    var name = String(repeating: "a", count: length)
                    name.unicodeScalars.insert(scalar, at: name.utf8.index(name.startIndex, offsetBy: place))
                    let isControl = scalar.properties.generalCategory == .control
                    #expect((ItemID(ByteText(name)) == nil) == isControl, "\(number) at \(place) of \(length)")
                }
            }
        }
    }

    @Test func aNameHas1To255Bytes() {
        for (length, isName) in [(0, false), (1, true), (255, true), (256, false)] {
            #expect((ItemID(ByteText(String(repeating: "a", count: length))) != nil) == isName)
        }
    }
}
