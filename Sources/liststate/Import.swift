import ArgumentParser
import JSONValue
import ListModel
import ListStore
import SQLiteJournal
import Texts

/// Makes lists of files.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes lists of a file.", subcommands: [ImportLines.self, ImportUnicodeEmoji.self],
        defaultSubcommand: ImportLines.self)
}

struct ImportLines: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lines", abstract: "Makes lists of lines of JSON that liststate export has written.",
        discussion: "No server may have the folder open. A list that is there already is an error, and stays as it is.")

    @OptionGroup var place: FolderOption
    @Argument(help: "The file to read, or - for standard input.")
    var file = "-"

    func run() throws {
        let input = try LineInput(file)
        let store: Store
        do {
            let journal = try SQLiteJournal(directory: place.folder)
            store = try Store(
                journal: journal, mayMissCommits: journal.recovery.mayMissCommits, limits: .unlimited,
                clock: currentTime, token: randomToken)
        } catch let error as JournalError {
            throw Failure.journal(error, folder: place.folder)
        } catch {
            throw Failure.store(error, folder: place.folder)
        }
        defer { store.stop() }
        let bar = ProgressBar("import")
        var reader = ImportReader()
        var number = 0
        while let line = try input.next() {
            number += 1
            do {
                if let list = try reader.add(line) { try store.importing(list.id, list.wanted) }
            } catch let failure as ImportReader.Bad {
                throw Failure.failed("Line \(number): \(failure.text)", 65)
            }
            bar.show(input.done, of: input.size)
        }
        guard reader.isComplete else { throw Failure.failed("The lines end inside a list, or there are none.", 65) }
        bar.end()
        printLine("\(reader.listCount) lists are in \(place.folder).")
    }
}

extension Store {
    fileprivate func importing(_ id: ListID, _ wanted: WantedSnapshot) throws {
        let submission = create(id, Write(.operations([.applySnapshot(wanted)]), label: "import"), mustNotExist: true)
        switch submission.result {
        case .success:
            guard submission.durability?.isKept ?? true else {
                throw Failure.failed("The list \(id.rawValue) could not be written.", 74)
            }
        case .failure(.preconditionFailed):
            throw Failure.failed("There is a list \(id.rawValue) already.", 73)
        case .failure(let error):
            throw Failure.failed("The list \(id.rawValue) is refused: \(error)", 65)
        }
    }
}

/// Puts lists together, line by line.
struct ImportReader {
    struct Bad: Error {
        let text: String
    }

    /// `{"item":{"content":…}}`
    private static let levelsAroundContent = 2

    private var isBegun = false
    private var list: (id: ListID, wanted: WantedSnapshot)?
    private(set) var listCount = 0

    var isComplete: Bool { isBegun && list == nil }

    /// Returns a list once its last line has come.
    mutating func add(_ line: [UInt8]) throws(Bad) -> (id: ListID, wanted: WantedSnapshot)? {
        guard let value = try? JSONValue(parsing: line, levelsAround: Self.levelsAroundContent),
            case .object(let object) = value
        else {
            throw Bad(text: "It is no object of JSON.")
        }
        guard isBegun else {
            guard object["liststate"] == "export", object["format"] == 1 else {
                throw Bad(text: "It does not begin an export of format 1.")
            }
            isBegun = true
            return nil
        }
        if let value = object["list"] {
            try begin(Members(value))
        } else if let value = object["section"] {
            try addSection(Members(value))
        } else if let value = object["item"] {
            try addItem(Members(value))
        } else if let value = object["end"] {
            return try end(Members(value))
        } else {
            throw Bad(text: "It is neither list, section, item nor end.")
        }
        return nil
    }

    private mutating func begin(_ members: Members) throws(Bad) {
        guard list == nil else { throw Bad(text: "The list before has no end.") }
        guard let id = ListID(try members.text("id")) else { throw Bad(text: "The id is not allowed.") }
        var changes = ListChanges()
        changes.title = .set(try members.text("title"))
        changes.layout = .set(try members.json("layout"))
        list = (id, WantedSnapshot(changes: changes, sections: []))
    }

    private mutating func addSection(_ members: Members) throws(Bad) {
        guard list != nil else { throw Bad(text: "The section is in no list.") }
        guard let id = SectionID(try members.text("id")) else { throw Bad(text: "The id is not allowed.") }
        var changes = SectionChanges()
        changes.title = .set(members["title"] == nil ? nil : try members.text("title"))
        changes.layout = .set(try members.json("layout"))
        changes.header = .set(try members.json("header"))
        changes.footer = .set(try members.json("footer"))
        changes.isReorderable = .set(try members.flag("reorderable", else: true))
        list?.wanted.sections.append(WantedSection(id, changes: changes, items: []))
    }

    private mutating func addItem(_ members: Members) throws(Bad) {
        guard let last = list?.wanted.sections.indices.last else { throw Bad(text: "The item is in no section.") }
        guard let id = ItemID(try members.text("id")) else { throw Bad(text: "The id is not allowed.") }
        guard case .object = members["content"], let content = try members.json("content") else {
            throw Bad(text: "The content is no object.")
        }
        let kind = try members.text("kind")
        guard Item.isKind(kind) else {
            throw Bad(text: "The kind is not allowed.")
        }
        var value = ItemChanges()
        value.kind = .set(kind)
        value.content = .replace(content)
        value.isStarred = .set(try members.flag("starred", else: false))
        value.isExpanded = .set(try members.flag("expanded", else: false))
        value.isReorderable = .set(try members.flag("reorderable", else: true))
        let parent = members["parent"] == nil ? nil : ItemID(try members.text("parent"))
        list?.wanted.sections[last].items.append(NewItem(id, parent: parent, value: value))
    }

    private mutating func end(_ members: Members) throws(Bad) -> (id: ListID, wanted: WantedSnapshot) {
        guard let list else { throw Bad(text: "No list has begun.") }
        let items = list.wanted.sections.reduce(0) { $0 + $1.items.count }
        guard try members.text("id") == list.id.rawValue, members["items"] == .integer(items),
            members["sections"] == .integer(list.wanted.sections.count)
        else { throw Bad(text: "It is not the end of what came before.") }
        self.list = nil
        listCount += 1
        return list
    }

    /// The members of an object, each of the type that is wanted.
    private struct Members {
        private let object: JSONObject

        init(_ value: JSONValue) throws(Bad) {
            guard case .object(let object) = value else { throw Bad(text: "It is no object.") }
            self.object = object
        }

        subscript(name: ByteText) -> JSONValue? { object[name] }

        func text(_ name: ByteText) throws(Bad) -> ByteText {
            guard case .string(let text) = object[name] else { throw Bad(text: "\(name) is no text.") }
            return text
        }

        func flag(_ name: ByteText, else missing: Bool) throws(Bad) -> Bool {
            switch object[name] {
            case nil: return missing
            case .bool(let flag): return flag
            case .some: throw Bad(text: "\(name) is neither true nor false.")
            }
        }

        func json(_ name: ByteText) throws(Bad) -> JSONText? {
            guard let value = object[name] else { return nil }
            guard !value.isDeeper(than: JSONValue.depthMax) else {
                throw Bad(text: "\(name) has more than \(JSONValue.depthMax) arrays and objects inside each other.")
            }
            return JSONText(value)
        }
    }
}
