import ListDiff
import ListModel
import Testing
import Texts

@testable import ListStore

/// An answer that is kept for retries is read as it was written. Other bytes are refused.
@Suite struct ReceiptCodingTests {
    private static func answer(
        epoch: ByteText = "e1", base: ByteText? = nil, isDetailed: Bool = false
    ) -> KeptAnswer {
        let version = Version(epoch: epoch, revision: 2)
        return KeptAnswer(
            request: [1, 2], list: ListID("l")!, kind: .changed, from: Version(epoch: epoch, revision: 1),
            version: version, base: base.map { Version(epoch: $0, revision: 1) },
            outcomes: [
                .applied, .adjusted(.anchorDeleted), .dropped(.cycle), .partial(["a"], sections: ["A"], .inUse),
            ],
            warnings: [
                .movedExisting(["a"]), .missingItems(["a"]), .missingSections(["A"]), .keptInPlace(["a"]),
                .skippedUnknown(["a"]), .rebasedToNothing(version), .leftOut(items: 2, sections: 1),
                .replacedDeleted(version),
            ],
            details: isDetailed ? [OutcomeDetail(operation: 3, created: ["a"], reparented: ["b"])] : [])
    }

    @Test(arguments: [false, true]) func anAnswerEndsWithItsBytes(isDetailed: Bool) throws {
        let bytes = Self.answer(base: "e1", isDetailed: isDetailed).bytes
        #expect(try KeptAnswer(bytes).bytes == bytes)
        for count in bytes.indices {
            #expect(throws: ByteReader.Malformed.self) { try KeptAnswer(Array(bytes[..<count])) }
        }
        for more in [[0], [1], bytes] {
            #expect(throws: ByteReader.Malformed.self) { try KeptAnswer(bytes + more) }
        }
    }

    /// The answer to a retry has the epochs in its body and in a field of its head, without escapes. So a kept answer
    /// with other characters in an epoch is refused.
    @Test(arguments: ["", "E", "e\r\nX: y", "e\"", "é", "e-1", "e e", String(repeating: "e", count: 33)])
    func anEpochHasPlainCharacters(text: String) {
        let epoch = ByteText(text)
        for answer in [Self.answer(epoch: epoch), Self.answer(base: epoch)] {
            #expect(throws: ByteReader.Malformed.self) { try KeptAnswer(answer.bytes) }
        }
    }
}
