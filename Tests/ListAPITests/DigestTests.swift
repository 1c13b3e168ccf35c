import Testing

@testable import ListAPI

/// The examples of NIST for SHA-256 (FIPS 180-4, and its long message).
@Suite struct DigestTests {
    static let vectors = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test(arguments: vectors.indices)
    func digests(_ index: Int) {
        let (text, expected) = Self.vectors[index]
        var digest = Digest()
        digest.update(Array(text.utf8))
        #expect(hex(digest.finish()) == expected)
    }

    /// Wherever a message is cut, the digest is the same.
    @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 119, 120, 128])
    func piecesDoNotMatter(_ cut: Int) {
        let message = (0..<130).map { UInt8($0) }
        var whole = Digest()
        whole.update(message)
        var pieces = Digest()
        pieces.update(Array(message[..<cut]))
        pieces.update(Array(message[cut...]))
        #expect(pieces.finish() == whole.finish())
    }

    @Test func partsAreKeptApart() {
        #expect(Digest.of(parts: [[1], [2]]) != Digest.of(parts: [[1, 2], []]))
        #expect(Digest.of(parts: [[1], []]) != Digest.of(parts: [[1]]))
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
