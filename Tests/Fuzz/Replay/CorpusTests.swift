import Foundation
import Testing

@testable import ListWire

/// The inputs with which the fuzzers begin, and those with which they have found faults, without a fuzzer.
@Suite struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    private static func inputs(of target: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = folder.appending(path: "Corpus").appending(path: target)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.map { ($0, Array(try Data(contentsOf: folder.appending(path: $0)))) }
    }

    @Test("No input breaks a rule", arguments: FuzzTarget.all.map(\.name))
    func corpus(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try Self.inputs(of: name)
        let taken = inputs.count { input in
            do { return try target.run(input.bytes) } catch {
                Issue.record("\(name)/\(input.name): \(error)")
                return false
            }
        }
        // Inputs that are all refused reach nothing behind the first check.
        #expect(taken > 0 && taken < inputs.count, "\(taken) of \(inputs.count) are taken")
    }

    @Test("Each operation has an input that is taken", arguments: OperationName.sent.map(\.rawValue))
    func operations(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == "transactions" })
        let input = try #require(try Self.inputs(of: "transactions").first { $0.name == "op-\(name)" })
        #expect(try target.run(input.bytes))
        let words = try String(contentsOf: Self.folder.appending(path: "words.txt"), encoding: .utf8)
        #expect(words.contains(#""\"\#(name)\"""#), "words.txt does not have it")
    }

    /// `make soak-fuzz` runs a target for each folder.
    @Test func eachTargetHasAFolder() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: "Corpus").path)
        #expect(folders.sorted() == FuzzTarget.all.map(\.name).sorted())
    }
}
