// The client in Swift in the story of clients who are away: Tests/Story/README.md says what it is asked.

import ClientState
import Foundation
import JSONValue
import ListDiff
import ListModel
import ListStateClient
import ListWire
import Texts

struct Trouble: Error { let text: String }

/// Contents whose members nobody reads.
struct Anything: Codable, Sendable {}

/// What the adapter is started with.
struct Start: Decodable {
    struct Client: Decodable {
        var client: Int
        var url: URL
        var list: String
    }

    var folder: String
    var clients: [Client]
}

/// A question, of which each kind has other members.
struct Question: Decodable {
    var client: Int
    var key: String
    var ask: String
    var most: Int?
    var version: String?
}

/// Writes a line.
@MainActor func say(_ line: [UInt8]) { FileHandle.standardOutput.write(Data(line + [UInt8(ascii: "\n")])) }

/// One client of the story.
@MainActor final class Person {
    private let number: Int
    private let client: ListStateClient
    private let list: LiveList<Anything>
    private var unkept: [SentEdit] = []
    private let decoder = WireDecoder(limits: .init(contentBytesMax: 65_536, operationsMax: 10_000)) { "" }

    init(_ start: Start.Client, folder: String) async throws {
        let number = start.client
        self.number = number
        let store = URL(filePath: "\(folder)/\(number)", directoryHint: .isDirectory)
        client = try await ListStateClient(start.url, store: .directory(store), token: nil) { edit, outcome in
            Self.tell(number, edit.label ?? "", outcome)
        }
        list = try await client.list(start.list, of: Anything.self)
    }

    private static func tell(_ number: Int, _ label: String, _ outcome: EditOutcome) {
        var told: [(key: ByteText, value: JSONValue)] = [
            ("client", .number(JSONNumber(number))), ("told", .string(ByteText(label))),
        ]
        switch outcome {
        case .applied: told.append(("status", "applied"))
        case .adjusted: told.append(("status", "adjusted"))
        case .dropped: told.append(("status", "dropped"))
        case .refused(let problem): told += [("status", "refused"), ("code", .string(problem.code))]
        case .unanswered: return
        }
        say(Array(JSONText(.object(JSONObject(told))).bytes))
    }

    /// The members of an answer.
    func answer(_ question: Question, _ line: JSONValue) async throws -> [UInt8] {
        switch question.ask {
        case "edit":
            guard case .object(let members) = line, case .array(let edits)? = members["edits"] else { break }
            for edit in edits { try make(edit) }
        case "kept":
            for edit in unkept { _ = await edit.isKept }
            unkept = []
        case "settled":
            try await until { list.status.state == .live && list.status.pending <= question.most ?? 0 }
        case "shown":
            try await until { list.version?.description == question.version }
            guard let version = list.version else { throw Trouble(text: "no version") }
            return ListSnapshot(id: list.id, version: version, state: list.state).body(RowQuery(.items))
        default: throw Trouble(text: "\(question.ask) is no question")
        }
        return Array(#"{"pending":\#(list.status.pending)}"#.utf8)
    }

    private func make(_ edit: JSONValue) throws {
        guard case .object(let members) = edit, case .string(let label)? = members["label"] else {
            throw Trouble(text: "this is no edit")
        }
        let body = try JSONSlice(checking: Array(JSONText(edit).bytes), levelsAround: 8)
        let operations = try decoder.transactionBody(body).value
        let sent = list.edit(label: "\(label)") { for operation in operations { $0.perform(operation) } }
        unkept.append(sent)
        Task {
            let outcome = await sent.settled
            switch outcome {
            case .applied, .adjusted: Self.tell(number, "\(label)", outcome)
            // The client tells of them by itself.
            case .dropped, .refused, .unanswered: break
            }
        }
    }

    private func until(_ fact: () -> Bool) async throws {
        while !fact() { try await Task.sleep(for: .milliseconds(10)) }
    }
}

let start = try JSONDecoder().decode(Start.self, from: Data(CommandLine.arguments[1].utf8))
var people: [Int: Person] = [:]
for one in start.clients { people[one.client] = try await Person(one, folder: start.folder) }

let (lines, input) = AsyncStream.makeStream(of: String.self)
Thread.detachNewThread {
    while let line = readLine() { input.yield(line) }
    input.finish()
}
for await line in lines {
    let question = try JSONDecoder().decode(Question.self, from: Data(line.utf8))
    let whole = try JSONValue(parsing: Array(line.utf8))
    Task {
        let key = JSONValue.string(ByteText(question.key))
        do {
            guard let person = people[question.client] else {
                throw Trouble(text: "there is no client \(question.client)")
            }
            let answer = try await person.answer(question, whole)
            say(Array(#"{"answer":"#.utf8) + Array(JSONText(key).bytes) + [UInt8(ascii: ",")] + answer.dropFirst())
        } catch {
            say(Array(JSONText(["answer": key, "error": .string(ByteText(String(describing: error)))]).bytes))
        }
    }
}
