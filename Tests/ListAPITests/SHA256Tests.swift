import SHA256
import Testing

/// Digests of the same bytes by another implementation (Python's hashlib). The disks of servers hold such digests, so
/// they must never change.
@Suite struct SHA256Tests {
    static let vectors: [(parts: [String], digest: String)] = [
        (
            [],
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        ),
        (
            [""],
            "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc"
        ),
        (
            ["abc"],
            "c3494ca1a2cf8eeb8a11ded316fb55b83c3bbbedb6313cd50415251e5d09e12f"
        ),
        (
            ["PUT", "/v1/lists/l", "key"],
            "aefd7ca86a9da125023e83586a3ed48c569a2a50a0465bccee23d65a983e7f7e"
        ),
        (
            [String(repeating: "a", count: 1_000_000)],
            "568bd6b0d11afeab4ef9956ba4d0edb0b606f9bd046a65267a76392edccc800c"
        ),
    ]

    @Test(arguments: vectors.indices)
    func digests(_ index: Int) {
        let (parts, expected) = Self.vectors[index]
        #expect(hex(sha256(parts: parts.map { Array($0.utf8) })) == expected)
    }

    @Test func partsAreKeptApart() {
        #expect(sha256(parts: [[1], [2]]) != sha256(parts: [[1, 2], []]))
        #expect(sha256(parts: [[1], []]) != sha256(parts: [[1]]))
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
