import ListStore
import Testing

@testable import liststate

/// A folder of another format is no damage. A repair or an old backup would lose what the newer program wrote.
@Suite struct OtherFormatTests {
    @Test(arguments: [(4, "A newer program wrote it: use that one."), (1, "It is too old for this program.")])
    func nobodyIsAdvisedToRepair(format: Int, part: String) {
        let failure = Failure.journal(.otherFormat(format, newest: 3), folder: "kept")
        let text = "The data in kept has format \(format), and this program knows formats up to 3. "
        #expect(failure.message == text + part + " Nothing was changed.")
        #expect(failure.exitCode == 76)
        #expect(backupFailure(.otherFormat(format, newest: 3), "/copy", folder: "kept") == failure.message)
    }
}
