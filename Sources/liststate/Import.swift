import ArgumentParser
import JSONValue
import ListDiff
import ListModel
import ListStore
import SQLiteJournal
import Texts

/// Makes lists from files.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes lists of a file.", subcommands: [ImportLines.self, ImportUnicodeEmoji.self],
        defaultSubcommand: ImportLines.self)
}

struct ImportLines: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lines", abstract: "Makes lists of lines of JSON that liststate export has written.",
        discussion: """
            No server may have the folder open. A list that is there already with the same content is skipped, so one that \
            was interrupted is simply run again. A list that is there with other content stays as it is: it is named at \
            the end, and the exit code is 73.
            """)

    @OptionGroup var place: FolderOption
    @Argument(help: "The file to read, or - for standard input.")
    var file = "-"

    func run() throws {
        let input = try LineInput(file)
        var reader = ImportReader()
        var number = 0
        func next() throws -> (length: Int, list: (id: ListID, wanted: WantedSnapshot)?)? {
            guard let line = try input.next() else { return nil }
            number += 1
            do throws(ImportReader.Bad) { return (line.count, try reader.add(line)) } catch {
                throw Failure.failed("Line \(number): \(error.text)", 65)
            }
        }
        // The first line is read before the store is opened, so that a file that is not an export makes no store.
        guard try next() != nil else { throw Failure.failed("There are no lines.", 65) }
        let store = try open()
        defer { store.stop() }
        let bar = ProgressBar("import")
        var lists = ListImport(store: store)
        while let line = try next() {
            if let list = line.list { try lists.add(list.id, list.wanted) }
            try lists.settle(unlessBelow: line.length)
            bar.show(input.done, of: input.size)
        }
        try lists.settle()
        guard reader.isComplete else { throw Failure.failed("The lines end inside a list.", 65) }
        bar.end()
        let skipped = lists.same > 0 ? "; \(lists.same) were there already, with the same content" : ""
        printLine("\(lists.made) lists are new in \(place.folder)\(skipped).")
        try lists.refuseOthers()
    }

    private func open() throws -> Store {
        do {
            let journal = try SQLiteJournal(directory: place.folder, patience: Maintenance.patience)
            return try Store(
                journal: journal, mayMissCommits: journal.recovery.mayMissCommits, limits: .unlimited,
                clock: currentTime, uptime: uptime, token: randomToken)
        } catch let error as JournalError {
            throw Failure.journal(error, folder: place.folder)
        } catch {
            throw Failure.store(error, folder: place.folder)
        }
    }
}

/// Writes lists into a store, many at once so that they share a sync.
private struct ListImport {
    let store: Store
    /// The number of lists that did not exist.
    private(set) var made = 0
    /// The number of lists that existed with the same content.
    private(set) var same = 0
    private var others: [ListID] = []
    private var pending: [(id: ListID, durability: Durability)] = []
    private var pendingBytes = 0

    init(store: Store) { self.store = store }

    /// How many lists, and how many bytes of lines, may wait for the disk.
    private static let pendingMax = 4_096
    private static let pendingBytesMax = 16 << 20

    mutating func add(_ id: ListID, _ wanted: WantedSnapshot) throws(Failure) {
        let write = Write(.operations([.applySnapshot(wanted)]), label: "import")
        let submission = store.create(id, write, mustNotExist: true)
        switch submission.result {
        case .success:
            if let durability = submission.durability { pending.append((id, durability)) }
            made += 1
        case .failure(.preconditionFailed):
            if isSame(id, write) { same += 1 } else { others.append(id) }
        case .failure(let error):
            throw .failed("The list \(id.rawValue) is refused: \(error)", 65)
        }
    }

    /// Whether the write would change nothing.
    private func isSame(_ id: ListID, _ write: Write) -> Bool {
        var trial = write
        trial.isDryRun = true
        guard case .success(let result) = store.submit(id, trial).result else { return false }
        return result.kind == .unchanged
    }

    /// Counts a line, and waits for the disk if many lists or bytes wait for it.
    mutating func settle(unlessBelow bytes: Int) throws(Failure) {
        pendingBytes += bytes
        guard pending.count >= Self.pendingMax || pendingBytes >= Self.pendingBytesMax else { return }
        try settle()
    }

    /// Waits until all lists that were added are on the disk.
    ///
    /// - Throws: `.failed` if one could not be written.
    mutating func settle() throws(Failure) {
        for (id, durability) in pending where !durability.isKept {
            throw .failed(
                "The list \(id.rawValue) could not be written. Run the import again when it can: what is there is skipped.",
                74)
        }
        pending.removeAll()
        pendingBytes = 0
    }

    /// - Throws: `.failed` if some lists existed with other content.
    func refuseOthers() throws(Failure) {
        guard !others.isEmpty else { return }
        let names = others.prefix(10).map(\.rawValue).joined(separator: ", ")
        let more = others.count > 10 ? " and \(others.count - 10) more" : ""
        throw .failed("Already there with other content, and left as they are: \(names)\(more).", 73)
    }
}

/// Puts lists together from their lines.
struct ImportReader {
    struct Bad: Error {
        let text: String
    }

    /// The deepest line is `{"item":{"content":…}}`.
    private static let levelsAroundContent = 2

    private var isBegun = false
    private var list: (id: ListID, wanted: WantedSnapshot)?

    var isComplete: Bool { isBegun && list == nil }

    /// Adds a line. Returns a list if the line is its last one.
    mutating func add(_ line: [UInt8]) throws(Bad) -> (id: ListID, wanted: WantedSnapshot)? {
        guard let value = try? JSONValue(parsing: line, levelsAround: Self.levelsAroundContent),
            case .object(let object) = value
        else {
            throw Bad(text: "It is no object of JSON.")
        }
        guard isBegun else {
            guard value == ["liststate": "export", "format": 1] else {
                throw Bad(text: "It does not begin an export of format 1.")
            }
            isBegun = true
            return nil
        }
        guard object.count == 1, let line = object.members.first else {
            throw Bad(text: "It must have one member: list, section, item or end.")
        }
        switch line.key {
        case "list":
            try begin(Members(line.value, ["id", "title", "layout"]))
        case "section":
            try addSection(Members(line.value, ["id", "title", "layout", "header", "footer", "reorderable"]))
        case "item":
            try addItem(
                Members(line.value, ["id", "kind", "content", "parent", "starred", "expanded", "reorderable"]))
        case "end":
            return try end(Members(line.value, ["id", "sections", "items"]))
        default:
            throw Bad(text: "It is neither list, section, item nor end.")
        }
        return nil
    }

    private mutating func begin(_ members: Members) throws(Bad) {
        guard list == nil else { throw Bad(text: "The list before has no end.") }
        guard let id = ListID(try members.text("id")) else { throw Bad(text: "The id is not allowed.") }
        var changes = ListChanges()
        changes.title = .set(try members.text("title"))
        changes.layout = .set(try members.object("layout"))
        list = (id, WantedSnapshot(changes: changes, sections: []))
    }

    private mutating func addSection(_ members: Members) throws(Bad) {
        guard list != nil else { throw Bad(text: "The section is in no list.") }
        guard let id = SectionID(try members.text("id")) else { throw Bad(text: "The id is not allowed.") }
        var changes = SectionChanges()
        changes.title = .set(members["title"] == nil ? nil : try members.text("title"))
        changes.layout = .set(try members.object("layout"))
        changes.header = .set(try members.textOrObject("header"))
        changes.footer = .set(try members.textOrObject("footer"))
        changes.isReorderable = .set(try members.flag("reorderable", else: true))
        list?.wanted.sections.append(WantedSection(id, changes: changes, items: []))
    }

    private mutating func addItem(_ members: Members) throws(Bad) {
        guard let last = list?.wanted.sections.indices.last else { throw Bad(text: "The item is in no section.") }
        guard let id = ItemID(try members.text("id")) else { throw Bad(text: "The id is not allowed.") }
        guard let content = try members.object("content") else { throw Bad(text: "There is no content.") }
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
        let item = NewItem(id, parent: try parent(members), value: value)
        list?.wanted.sections[last].items.append(item)
    }

    private func parent(_ members: Members) throws(Bad) -> ItemID? {
        guard members["parent"] != nil else { return nil }
        guard let parent = ItemID(try members.text("parent")) else { throw Bad(text: "The parent is not allowed.") }
        return parent
    }

    private mutating func end(_ members: Members) throws(Bad) -> (id: ListID, wanted: WantedSnapshot) {
        guard let list else { throw Bad(text: "No list has begun.") }
        let items = list.wanted.sections.reduce(0) { $0 + $1.items.count }
        guard try members.text("id") == list.id.rawValue, members["items"] == .integer(items),
            members["sections"] == .integer(list.wanted.sections.count)
        else { throw Bad(text: "It is not the end of what came before.") }
        self.list = nil
        return list
    }

    /// The members of an object, each of the type that is wanted.
    private struct Members {
        private let object: JSONObject

        /// - Parameter known: The names that a member can have. Another name is an error, because it may be a wrong
        ///   spelling of one of these.
        init(_ value: JSONValue, _ known: [ByteText]) throws(Bad) {
            guard case .object(let object) = value else { throw Bad(text: "It is no object.") }
            if let unknown = object.members.first(where: { !known.contains($0.key) }) {
                // As JSON, which escapes ESC and line feeds: they would be commands to a terminal.
                let name = ByteText(decoding: JSONText(.string(unknown.key)).bytes)
                throw Bad(text: "Unknown member \(name). Known here: \(known.joined(separator: ", ")).")
            }
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

        /// An object; nil if there is no such member.
        func object(_ name: ByteText) throws(Bad) -> JSONText? {
            guard let value = object[name] else { return nil }
            guard case .object = value else { throw Bad(text: "\(name) is no object.") }
            return try json(value, name)
        }

        /// A text or an object; nil if there is no such member.
        func textOrObject(_ name: ByteText) throws(Bad) -> JSONText? {
            guard let value = object[name] else { return nil }
            switch value {
            case .string, .object: return try json(value, name)
            case .null, .bool, .number, .array: throw Bad(text: "\(name) is neither a text nor an object.")
            }
        }

        private func json(_ value: JSONValue, _ name: ByteText) throws(Bad) -> JSONText {
            guard !value.isDeeper(than: JSONValue.depthMax) else {
                throw Bad(text: "\(name) has more than \(JSONValue.depthMax) arrays and objects inside each other.")
            }
            return JSONText(value)
        }
    }
}
