internal import Access
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Texts

// This is the only place that decides which problem an error becomes. The switches have no `default`, so that a new
// error does not compile until it has a problem.

/// The section or item that the path of a write names. If it does not exist the status is 404; other missing ids are
/// 409.
enum Addressed: Sendable {
    case list
    case section(SectionID)
    case item(ItemID)
}

extension Problem {
    /// - Parameter asked: The request of the write.
    init(_ error: StoreError, _ asked: Asked) {
        switch error {
        case .model(let error, let operation):
            self = Self.missing(error, asked.addressed) ?? Problem(error)
            self.operation = asked.hasOperations ? operation : nil
            if case .notATree(let id) = error, let parent = asked.item(id, inOperation: operation ?? 0)?.parent {
                detail = detail.replacing("…", with: "\(parent)")
            }
            if case .unknownItem(let id) = error, let item = asked.item(id, inOperation: operation ?? 0),
                item.value == nil
            {
                detail += " A bare id names an item that exists; a new one is an object: {\"id\":\"\(id)\"}."
            }
        case .reorder(let error):
            self.init(error)
        case .preconditionFailed(.some, _) where asked.endpoint == .postList:
            self.init(
                .listExists,
                "There is a list \"\(asked.list)\" already: choose another id. PUT /v1/lists/\(asked.list) replaces it."
            )
        case .preconditionFailed(let head?, nil) where asked.endpoint == .putSection:
            self.init(
                .preconditionFailed,
                """
                If-None-Match: * asks that there be no such section yet, and it is there. Without that header the \
                request replaces the section: items that it leaves out are deleted. For a new section, choose another id.
                """)
            note(head, nil, asked)
        case .preconditionFailed(let head, let missed):
            self.init(.preconditionFailed, Self.detail(head, missed))
            note(head, missed, asked)
        case .staleBase(let head, let missed):
            self.init(
                .staleBase,
                """
                The list has changed since the version in "base", which a strict write does not allow. "missed" has the \
                changes. Look at the edit again, and send it with the version in "head" as "base".
                """)
            note(head, missed, asked)
        case .unknownBase(let head, let missed):
            let isReversal = asked.endpoint == .undo || asked.endpoint == .redo
            let name = isReversal ? "names in \"transaction\" or \"base\"" : "names as its base"
            let order = asked.endpoint == .postReorder ? " Then name the order in \"final\", which needs no base." : ""
            let remedy = isReversal ? Self.kept : Self.withoutBase + order
            self.init(
                .unknownBase,
                """
                The list does not know the version that the write \(name): it is mistyped, too old or newer than the \
                list, or belongs to a deleted list that had the same id. \(remedy)
                """)
            note(head, missed, asked)
        case .nothingToUndo(let cause):
            // The transaction that made the list cannot be undone, so there is no undo of it that a redo could take back.
            let isRedoOfCreation = asked.endpoint == .redo && cause == .creation
            self.init(.nothingToUndo, Self.detail(isRedoOfCreation ? .notUndone : cause))
        case .transactionGone: self.init(.versionGone, "The transaction is no longer kept. \(Self.kept)")
        case .transactionNotNamed:
            self.init(
                .invalid,
                "Name the transaction by the version in the answer to its write. \(Self.kept)")
            faults = [Fault(pointer: "/transaction", code: "missing_member", detail: detail)]
        case .versionGone: self.init(.versionGone, "That version is no longer kept. \(WireError.restored)")
        case .versionAhead:
            self.init(.notFound, "The list has not come to that version yet. \(WireError.restored)")
        case .notDeleted(let head):
            self.init(
                .notDeleted,
                """
                The list is not deleted, so name the version to go back to: {"version":"k3v9-42"}. \
                \(WireError.restored) POST /v1/lists/{list}/undo with {"transaction":"k3v9-42"} takes back that one \
                transaction alone.
                """)
            self.head = head
        case .madeAnew(let head):
            self.init(
                .madeAnew,
                """
                The version is mistyped, or the list was deleted and created again since, and that state is no longer \
                kept. \(WireError.restored)
                """)
            self.head = head
        case .noSuchList: self = .noSuchList
        case .busy, .behind, .contended: self = .forWorker
        case .memoryFull:
            self.init(
                .memoryFull,
                """
                The server keeps all lists in memory, and they take as much as --lists-memory-mebibytes allows. Nothing \
                was written. DELETE with ?purge=true frees memory at once, also for lists that are deleted already. A \
                DELETE without it, or a list that is made empty, keeps its history in memory.
                """)
        case .notPermitted(let needed): self = asked.caller.refusal(of: needed.right)
        case .holdingFull(let part, let limit): self = .exceeded(.quotaReached, part.limit(limit))
        case .tooManyLists(let limit): self = .exceeded(.tooManyLists, Limit(name: "listsMax", value: limit))
        case .keyReused:
            self.init(
                .keyReused,
                """
                Another request came with this key before. A retry has the same query, body and preconditions; another \
                request needs another key.
                """)
        case .keyInFlight:
            self = Problem(.keyInFlight, "The first request with this key is not answered yet: try again when it is.")
                .retrying(afterSeconds: 1)
        case .outOfSequence(let reason): self.init(reason)
        case .journal(let error): self.init(error)
        case .unreadable(let list, let error): self.init(unreadable: list, error)
        }
    }

    private init(unreadable list: ListID, _ error: JournalError) {
        self = Problem(.unavailable, "The list \(list) is there, but cannot be read from the disk.")
            .retrying(afterSeconds: 5)
        cause = "\(error)"
    }

    /// The problem of an error while reading.
    init(reading error: StoreError) {
        switch error {
        case .unreadable(let list, let error): self.init(unreadable: list, error)
        case .busy: self = .forWorker
        default: self = .noSuchList
        }
    }

    private static func detail(_ cause: StoreError.NothingToUndo) -> String {
        switch cause {
        case .creation:
            """
            That transaction made the list, so it cannot be undone. DELETE /v1/lists/{list} deletes the whole list \
            with everything since; POST /v1/lists/{list}/restore brings a deleted list back.
            """
        case .noEffect:
            """
            There is nothing to take back. That transaction changed no state: it only asked that items or sections be \
            shown anew.
            """
        case .undone:
            "That transaction is undone already: POST /v1/lists/{list}/redo with the same body brings it back."
        case .notUndone:
            """
            There is nothing to redo: that transaction is not undone. A redo takes back an undo, and names \
            the transaction that was undone, or its undo. GET /v1/lists/{list}/transactions marks what is undone.
            """
        case .noTransaction: "There is nothing to take back. You have no transaction that is in effect."
        }
    }

    /// How to name a transaction.
    private static let kept = """
        GET /v1/lists/{list}/transactions lists the transactions that are kept, newest first, with their versions: send \
        one of these versions as {"transaction":"k3v9-42"}.
        """

    private static let withoutBase =
        #"Take the snapshot in "missed" as the new state; without "base" the write applies to the list as it is now."#

    private static func detail(_ head: Version?, _ missed: Catchup?) -> String {
        switch (head, missed) {
        case (nil, _): "There is no such list. Leave If-Match out to make it."
        case (let head?, nil):
            "There is a list at version \(head). If-Match names another version; for If-None-Match: * choose another id."
        case (let head?, .changes?):
            """
            The list has changed since the version in If-Match: "missed" has the changes. If yours is still wanted, send \
            the request with If-Match: "\(head)". Or send the version that you know as "base" in the body, instead of If-Match: then the \
            server adapts the request to the changes.
            """
        case (let head?, .reset?):
            """
            The list is at another version. Take the snapshot in "missed" as the new state, and if the change is still \
            wanted, send the request with If-Match: "\(head)".
            """
        }
    }

    private mutating func note(_ head: Version?, _ missed: Catchup?, _ asked: Asked) {
        self.head = head
        self.missed = missed.map { ($0, asked.list, asked.view) }
    }

    private static func missing(_ error: ModelError, _ addressed: Addressed) -> Problem? {
        switch (error, addressed) {
        case (.unknownItem(let id), .item(let named)) where id == named: .noSuchItem(id)
        case (.unknownSection(let id), .section(let named)) where id == named: .noSuchSection(id)
        default: nil
        }
    }

    init(_ error: ModelError) {
        switch error {
        case .unknownItem(let id):
            self.init(.unknownItem, "The list has no item \"\(id)\": GET /v1/lists/{list} returns all of them.")
        case .unknownSection(let id):
            self.init(
                .unknownSection,
                """
                The list has no section "\(id)": GET /v1/lists/{list} returns all of them. To make it, \
                POST /v1/lists/{list}/transactions with \
                {"operations":[{"op":"appendSections","sections":["\(id)"]}]}.
                """
            )
        case .noSections:
            self.init(
                .noSections,
                "Items go in sections, and the list has none: PUT /v1/lists/{list}/sections/main with {} makes one."
            )
        case .itemExists(let id):
            self.init(
                .itemExists, "The list has an item \"\(id)\" already: choose another id, or move it with moveItem.")
        case .sectionExists(let id):
            self.init(
                .sectionExists,
                "The list has a section \"\(id)\" already: choose another id, or change it with updateSection.")
        case .itemIsDestination(let id): self.init(.destinationInList, "The item \"\(id)\" \(Self.isPlaced)")
        case .sectionIsDestination(let id): self.init(.destinationInList, "The section \"\(id)\" \(Self.isPlaced)")
        case .anchorElsewhere(let id):
            self.init(
                .anchorElsewhere,
                "The item \"\(id)\" is not in the section or under the parent that is named beside it: leave that out."
            )
        case .itemMovesToItself(let id):
            self.init(.selfMove, "The item \"\(id)\" cannot be placed beside itself: name another item.")
        case .sectionMovesToItself(let id):
            self.init(.selfMove, "The section \"\(id)\" cannot be placed beside itself: name another section.")
        case .cycle(let id):
            self.init(
                .cycle,
                """
                The item "\(id)" would be inside itself or one of its children: name another parent. To take it out of \
                its parent: {"op":"moveItem","item":"\(id)","section":"…","at":"last"}.
                """)
        case .notATree(let id):
            self.init(
                .notATree,
                """
                The parent that the item "\(id)" names does not come before it in the same "items". If the list has \
                that parent already, POST /v1/lists/{list}/items with "parent" beside "items": \
                {"parent":"…","items":[{"id":"\(id)"}]}.
                """)
        case .notReorderable(let id):
            self.init(
                .notReorderable,
                """
                The item "\(id)" must keep its place: it or its section has "reorderable": false, or it is the header \
                of its section, which stays first.
                """)
        case .repeatedItem(let id):
            self.init(.invalid, "The item \"\(id)\" occurs twice in one argument: name it once.")
        case .repeatedSection(let id):
            self.init(.invalid, "The section \"\(id)\" occurs twice in one argument: name it once.")
        case .contentTooLarge(_, let limit):
            self = .exceeded(.contentTooLarge, Limit(name: WireLimit.contentBytes.rawValue, value: limit))
        case .tooManyItems(let limit):
            self = .exceeded(.tooManyItems, Limit(name: "itemsMax", value: limit))
        case .tooManySections(let limit):
            self = .exceeded(.tooManySections, Limit(name: "sectionsMax", value: limit))
        case .transactionTooLarge(let limit):
            self = .exceeded(.transactionTooLarge, Limit(name: "transactionBytesMax", value: limit))
        case .transactionTooLong(let limit):
            self = .exceeded(.transactionTooLarge, Limit(name: "transactionRowsMax", value: limit))
        }
    }

    private static let isPlaced = "is one of those to be placed and cannot be their neighbour: name another."

    init(_ error: ReorderError) {
        switch error {
        case .invalidDifference(let section, let change, let reason):
            let detail = "\(Self.detail(reason)) \(WireDecoder.simpler(section.rawValue))"
            let pointer = Self.pointer(section, change)
            self.init(.invalidDifference, "At \(pointer): \(detail)")
            faults = [Fault(pointer: pointer, code: "invalid_difference", detail: detail)]
        case .invalidFinal(let section, let item, let reason):
            let detail = "The item \"\(item)\" \(Self.detail(reason))."
            self.init(.invalidFinal, detail)
            let pointer = Self.pointer(section, "final")
            faults = [Fault(pointer: pointer, code: "invalid_final", detail: detail)]
        case .repeatedItem(let id):
            self.init(.invalid, "The item \"\(id)\" occurs twice in the final orders: name it once.")
        case .model(.notATree(let id)):
            self.init(
                .notATree, "No outline has this order: the item \"\(id)\" would be inside a row that is inside it.")
        case .model(let error): self.init(error)
        }
    }

    private static func pointer(_ section: SectionID, _ change: ReorderError.ChangeIndex) -> ByteText {
        switch change {
        case .removal(let index): pointer(section, "difference/removals/\(index)")
        case .insertion(let index): pointer(section, "difference/insertions/\(index)")
        }
    }

    /// A JSON pointer to a member below a section of the request (RFC 6901).
    private static func pointer(_ section: SectionID, _ rest: ByteText) -> ByteText {
        "/sections\(WireError.Step.member(section.rawValue).token)/\(rest)"
    }

    private static func detail(_ reason: ReorderError.DifferenceFault) -> String {
        switch reason {
        case .offsetOutOfRange: "The section has no row with this offset."
        case .repeatedOffset: "Another change has this offset."
        case .otherElement: "The base has another item at this offset."
        case .brokenAssociation: "The associated change does not exist or is of another item."
        case .repeatedItem: "The result would hold the item twice."
        case .unknownItem: "The base does not have the item."
        case .doesNotLeave: "No removal takes the item out of the section that it is in."
        case .doesNotArrive: "No insertion puts the item anywhere, and a reorder deletes nothing."
        }
    }

    private static func detail(_ reason: ReorderError.FinalFault) -> String {
        switch reason {
        case .unknownItem: "is not in this section, neither at the base nor now"
        case .inAnotherSection: "is in another section: send the order of that section too, without the item"
        case .missing: "is in this section, and no order names it: name it in one"
        }
    }

    /// The list of a long poll has ended here, because others have written to it.
    static var replaced: Problem {
        Problem(.unavailable, "The list was replaced by others: ask again.").retrying(afterSeconds: 1)
    }

    /// - Parameters:
    ///   - error: The first error, which decides the code.
    ///   - all: All errors, the first one included.
    ///   - others: Problems of the same body that its reader does not find.
    init(_ error: WireError, all: [WireError], and others: [Problem] = []) {
        let (error, all) = (error.illustrated(by: all), all.map { $0.illustrated(by: all) })
        switch error.kind {
        case .schema where error.code == "partial_snapshot":
            self.init(.partialSnapshot, error.detail)
        case .schema:
            self.init(.invalid, error.detail)
        case .notJSON:
            self.init(.notJSON, error.detail)
        case .tooLarge(.contentBytes, let max):
            self = .exceeded(.contentTooLarge, Limit(name: WireLimit.contentBytes.rawValue, value: max))
        case .tooLarge(.operations, let max):
            self = .exceeded(.tooManyOperations, Limit(name: WireLimit.operations.rawValue, value: max))
        }
        operation = error.operation
        let further = all.filter { $0.pointer != error.pointer || $0.code != error.code }.prefix(WireErrors.most - 1)
        faults = Self.faults([error] + further)
        // The detail is often shown alone, so it must name the place too.
        if !error.pointer.isEmpty, error.pointer.utf8.count <= 100 { detail = "At \(error.pointer): \(detail)" }
        self = Problem(all: [self] + others)
    }

    /// The explanation of how something is done right stands only in the first error that needs it.
    private static func faults(_ errors: [WireError]) -> [Fault] {
        var told: [String] = []
        return errors.map { error in
            let isTold = told.contains { error.isExplained(by: $0) }
            if let howTo = error.howTo { told.append(howTo) }
            let detail = isTold ? error.sentence : error.detail
            return Fault(pointer: error.pointer, code: error.code, detail: detail, known: error.known)
        }
    }
}

extension Holding.Part {
    /// The limit as openapi.yaml has it.
    fileprivate func limit(_ value: Int) -> Problem.Limit {
        switch self {
        case .lists: Problem.Limit(name: "clientListsMax", value: value)
        case .items: Problem.Limit(name: "clientItemsMax", value: value)
        case .bytes: Problem.Limit(name: "clientStoredMebibytesMax", value: value >> 20)
        }
    }
}
