internal import JSONValue
internal import ListDiff
internal import ListModel
internal import ListStore
internal import Texts

// The only place that decides which problem an error becomes. Exhaustive on purpose: a new error does not compile
// until it has a status.

/// What the path of a write names below its list: what is missing there is 404, elsewhere 409.
enum Addressed: Sendable {
    case list
    case section(SectionID)
    case item(ItemID)
}

extension Problem {
    /// - Parameter asked: What the write named, and the view in which its client counts rows.
    init(_ error: StoreError, _ asked: Asked) {
        switch error {
        case .model(let error, let operation):
            self = Self.missing(error, asked.addressed) ?? Problem(error)
            self.operation = asked.hasOperations ? operation : nil
            if case .unknownItem(let id) = error, asked.hasBare(id, inOperation: operation ?? 0) {
                detail += " A bare id names an item that exists; a new one is an object: {\"id\":\"\(id)\"}."
            }
        case .reorder(let error):
            self.init(error)
        case .preconditionFailed(.some, _) where asked.endpoint == .postList:
            self.init(.listExists, "List \(asked.list). PUT writes to it, and another id makes another list.")
        case .preconditionFailed(let head, let missed):
            self.init(
                .preconditionFailed,
                head.map {
                    """
                    The list is at another version, and "missed" is what happened since yours. Send the request with \
                    If-Match: "\($0)", or with "base" in the body instead to have it rebased.
                    """
                } ?? "There is no such list.")
            note(head, missed, asked)
        case .staleBase(let head, let missed):
            self.init(.staleBase, "The list has moved on since the base, and the write is strict.")
            note(head, missed, asked)
        case .unknownBase(let head, let missed):
            self.init(
                .unknownBase,
                """
                The base is of another epoch, ahead of the head, or older than the kept history. Take the snapshot in \
                "missed" as the new state; without "base" the write applies to the list as it is now.
                """)
            note(head, missed, asked)
        case .nothingToUndo:
            self.init(
                .nothingToUndo,
                """
                There is nothing to take back: the transaction made the list, changed nothing, or is undone already. \
                A redo takes only one that is undone.
                """)
        case .transactionGone: self.init(.versionGone, "The transaction is no longer kept.")
        case .transactionNotNamed:
            self.init(
                .invalid,
                "Name the transaction by its version, as GET /v1/lists/{list}/transactions has it: {\"transaction\":\"k3v9-42\"}."
            )
            faults = [Fault(pointer: "/transaction", code: "missing", detail: detail)]
        case .versionGone: self.init(.versionGone, "That version is no longer kept.")
        case .versionAhead: self.init(.notFound, "The list has not come to that version.")
        case .notDeleted(let head):
            self.init(.notDeleted, Self.restorable)
            self.head = head
        case .madeAnew(let head):
            self.init(
                .madeAnew,
                """
                The version is of another epoch than the list, so that its state is no longer kept. \
                GET /v1/lists/{list}/transactions has those that are.
                """)
            self.head = head
        case .noSuchList: self = .noSuchList
        case .keyReused: self.init(.keyReused, "A retry must be the same request: query, body and preconditions.")
        case .keyInFlight:
            self = Problem(.keyInFlight, "Try again when the first request has been answered.")
                .retrying(afterSeconds: 1)
        case .journal(let error): self.init(error)
        case .unreadable(let list, let error): self.init(unreadable: list, error)
        }
    }

    private init(unreadable list: ListID, _ error: JournalError) {
        self = Problem(.unavailable, "The list \(list) is there, but cannot be read from the disk.")
            .retrying(afterSeconds: 5)
        cause = "\(error)"
    }

    /// Of a store that is only read.
    init(reading error: StoreError) {
        guard case .unreadable(let list, let error) = error else { self = .noSuchList; return }
        self.init(unreadable: list, error)
    }

    private mutating func note(_ head: Version?, _ missed: Catchup?, _ asked: Asked) {
        self.head = head
        self.missed = missed.map { ($0, asked.list, asked.view) }
    }

    private static func missing(_ error: ModelError, _ addressed: Addressed) -> Problem? {
        switch (error, addressed) {
        case (.unknownItem(let id), .item(let named)) where id == named: .noSuchItem
        case (.unknownSection(let id), .section(let named)) where id == named: .noSuchSection
        default: nil
        }
    }

    init(_ error: ModelError) {
        switch error {
        case .unknownItem(let id):
            self.init(.unknownItem, "The list has no item \"\(id)\": GET /v1/lists/{list} has them all.")
        case .unknownSection(let id):
            self.init(
                .unknownSection,
                """
                The list has no section \"\(id)\": GET /v1/lists/{list} has them all, and \
                PUT /v1/lists/{list}/sections/{section} with {} makes one.
                """
            )
        case .noSections:
            self.init(
                .noSections,
                "Append a section first: {\"op\":\"appendSections\",\"sections\":[\"main\"]}, or PUT /v1/lists/{list}/sections/{section}."
            )
        case .itemExists(let id): self.init(.itemExists, "The list has an item \"\(id)\" already: choose another id.")
        case .sectionExists(let id):
            self.init(
                .sectionExists,
                "The list has a section \"\(id)\" already: choose another id, or change it with updateSection.")
        case .itemIsDestination(let id): self.init(.destinationInList, "The item \"\(id)\" \(Self.isPlaced)")
        case .sectionIsDestination(let id): self.init(.destinationInList, "The section \"\(id)\" \(Self.isPlaced)")
        case .anchorElsewhere(let id):
            self.init(
                .anchorElsewhere,
                "The item \"\(id)\" is not in the section or under the parent that was named beside it: leave that out."
            )
        case .itemMovesToItself(let id):
            self.init(.selfMove, "The item \"\(id)\" cannot stand before or after itself: name another item.")
        case .sectionMovesToItself(let id):
            self.init(.selfMove, "The section \"\(id)\" cannot stand before or after itself: name another section.")
        case .cycle(let id):
            self.init(
                .cycle, "The item \"\(id)\" would stand inside itself or a child of its own: name another parent.")
        case .notATree(let id):
            self.init(.notATree, "The parent of the item \"\(id)\" must stand before it, in the same section.")
        case .notReorderable(let id): self.init(.notReorderable, Self.naming(id))
        case .repeatedItem(let id): self.init(.invalid, "Twice in one argument: item \(id).")
        case .repeatedSection(let id): self.init(.invalid, "Twice in one argument: section \(id).")
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

    private static let restorable = """
        The list is there; name the version whose state it is to have: {"version":"k3v9-42"}. \
        GET /v1/lists/{list}/transactions has those that are kept.
        """
    private static let isPlaced = "is among those that are placed, so it cannot say where: name another."
    private static func naming(_ id: ItemID) -> String { "It is about the item \"\(id)\"." }
    private static func naming(_ id: SectionID) -> String { "It is about the section \"\(id)\"." }

    init(_ error: ReorderError) {
        switch error {
        case .invalidDifference(let section, let change, let reason):
            let detail = Self.detail(reason)
            self.init(.invalidDifference, detail)
            faults = [Fault(pointer: Self.pointer(section, change), code: "invalid_difference", detail: detail)]
        case .invalidFinal(let section, let item, let reason):
            let detail = "\(Self.detail(reason)): item \(item)."
            self.init(.invalidFinal, detail)
            let pointer = Self.pointer(section, "final")
            faults = [Fault(pointer: pointer, code: "invalid_final", detail: detail)]
        case .repeatedItem(let id): self.init(.invalid, "Twice in the final orders: item \(id).")
        case .model(let error): self.init(error)
        }
    }

    private static func pointer(_ section: SectionID, _ change: ReorderError.ChangeIndex) -> ByteText {
        switch change {
        case .removal(let index): pointer(section, "difference/removals/\(index)")
        case .insertion(let index): pointer(section, "difference/insertions/\(index)")
        }
    }

    /// A JSON pointer below a section of the request (RFC 6901).
    private static func pointer(_ section: SectionID, _ rest: ByteText) -> ByteText {
        var error = WireError(.idMismatch)
        error = error.at(section.rawValue).at("sections")
        return "\(error.pointer)/\(rest)"
    }

    private static func detail(_ reason: ReorderError.DifferenceFault) -> String {
        switch reason {
        case .offsetOutOfRange: "There is no such row."
        case .repeatedOffset: "Another change has this offset."
        case .otherElement: "The base has another item at this offset."
        case .brokenAssociation: "The associated change does not exist or is of another item."
        case .repeatedItem: "The result would hold the item twice."
        case .unknownItem: "The base does not have the item."
        case .doesNotLeave: "The item does not leave the section that it is in."
        case .doesNotArrive: "The item does not arrive in any section."
        }
    }

    private static func detail(_ reason: ReorderError.FinalFault) -> String {
        switch reason {
        case .unknownItem: "Neither the base nor the list has it in this section"
        case .inAnotherSection: "Another section holds it and does not let it go"
        case .missing: "The base has it here, it is still there, and no order names it"
        }
    }

    init(_ error: JournalError) {
        switch error {
        case .full:
            self.init(.diskFull, "Nothing was written; reading goes on.")
        case .tooLarge:
            self.init(.transactionTooLarge, "One row of the database cannot hold it. Nothing was written.")
        case .io, .corrupt, .locked, .readOnly, .closed:
            self = Problem(.unavailable, "The write may not be on disk. Retry it with the same Idempotency-Key.")
                .retrying(afterSeconds: 5)
        }
        cause = "\(error)"
    }

    /// - Parameters:
    ///   - error: The first one, which decides the code.
    ///   - all: It and the others.
    init(_ error: WireError, all: [WireError]) {
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
        let others = all.filter { $0.pointer != error.pointer || $0.code != error.code }.prefix(WireErrors.most - 1)
        faults = Self.faults([error] + others)
        // Alone it must say where it is, too.
        if !error.pointer.isEmpty, error.pointer.utf8.count <= 100 { detail = "At \(error.pointer): \(detail)" }
        mention(others: others.count)
    }

    /// How something is done right is told by the first that does it wrong.
    private static func faults(_ errors: [WireError]) -> [Fault] {
        var told: Set<String> = []
        return errors.map { error in
            let isTold = error.howTo.map { !told.insert($0).inserted } ?? false
            let detail = isTold ? error.sentence : error.detail
            return Fault(pointer: error.pointer, code: error.code, detail: detail, known: error.known)
        }
    }

    /// Says that there is more than the detail tells.
    mutating func mention(others count: Int) {
        switch count {
        case 0: break
        case 1: detail += " There is another error: see errors."
        default: detail += " There are \(count) more errors: see errors."
        }
    }
}
