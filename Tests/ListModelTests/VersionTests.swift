import ListModel
import Testing

@Suite struct VersionTests {
    @Test(arguments: [
        ("k3v9-42", "k3v9", 42), ("a-0", "a", 0), ("0-1", "0", 1), ("z9-9007199254740991", "z9", (1 << 53) - 1),
        ("abcdefghijklmnopqrstuvwxyz012345-7", "abcdefghijklmnopqrstuvwxyz012345", 7),
    ])
    func reads(_ text: String, epoch: String, revision: Int) {
        #expect(Version(ByteText(text)) == Version(epoch: ByteText(epoch), revision: revision))
    }

    @Test(arguments: [
        "", "-", "a", "a-", "-1", "a-b", "a-1-2", "a--1", "a-01", "a-00", "a-+1", "a- 1", "a-1 ", "A-1", "a_b-1", "é-1",
        "a-9007199254740992", "a-10000000000000000", "a-99999999999999999999", "abcdefghijklmnopqrstuvwxyz0123456-7",
        "a-1\0", "a-٣",
    ])
    func refuses(_ text: String) {
        #expect(Version(ByteText(text)) == nil)
    }
}
