internal import JSONValue
package import Texts

// Advice of errors: sentences with examples of right bodies.

extension WireError {
    /// Returns the error with this advice, if the value itself is wrong and the error has no advice yet. An error in a
    /// part of the value stays as it is.
    ///
    /// - Parameters:
    ///   - value: The value that was sent.
    ///   - operation: The name of the operation that it is in, if it is in one.
    func advisingHere(_ advice: StaticString?, _ value: JSONSlice, in operation: JSONSlice?) -> WireError {
        let isOfValue = ["wrong_type", "invalid_format", "out_of_bounds"].contains(code)
        guard let advice, steps.isEmpty, self.advice == nil, isOfValue else { return self }
        return advising(Self.filled(Self.named(advice, operation), value.shown))
    }

    /// Returns the error with this advice. The name of the operation replaces `{op}` in it; outside of operations `…`
    /// does.
    func advising(_ advice: StaticString?, in operation: JSONSlice?) -> WireError {
        advising(advice.map { Self.named($0, operation) })
    }

    /// Returns the advice with the name of the operation in the place of `"{op}"`.
    private static func named(_ advice: StaticString, _ operation: JSONSlice?) -> String {
        "\(advice)".replacing("\"{op}\"", with: operation?.shown.map { "\($0)" } ?? "…")
    }

    /// Returns an error of an unknown name with the advice of the missing member that the name was probably meant for.
    /// Any other error is returned as it is.
    ///
    /// - Parameter others: All errors of the same body.
    package func illustrated(by others: [WireError]) -> WireError {
        guard case .unknownMember(let names) = fault, advice == nil, names.advice == nil, let meant = names.nearest
        else { return self }
        let place = [Step.member(meant)] + steps.dropFirst()
        let missing = others.first { $0.fault == .missingMember && $0.steps == place }
        return advising(missing?.advice.map { Self.filled($0, names.value) })
    }

    /// Returns the advice with an array of ids in the place of `{ids}`: the ids that were sent, or two invented ones.
    static func filled(_ advice: String, _ sent: ByteText?) -> String {
        advice.replacing("{ids}", with: sent.flatMap(ids) ?? #"["milk","pear"]"#)
    }

    /// Returns an array of ids as JSON, made from one id or an array of ids as JSON; nil for other JSON.
    package static func ids(_ sent: ByteText) -> String? {
        if sent.hasPrefix("\"") { return "[\(sent)]" }
        return sent.hasPrefix("[\"") && !sent.utf8.contains(UInt8(ascii: "{")) ? "\(sent)" : nil
    }

    /// Whether `text`, which the answer has already, contains the advice of this error.
    package func isExplained(by text: String) -> Bool {
        guard fault == .missingMember, let name = memberName else { return text == howTo }
        return text.contains("\"\(name)\":")
    }
}

// MARK: - Sentences

extension WireError {
    /// How moveItem names a place.
    static let destination = """
        A place is named by ids, never by an index: {"section":"fruit","at":"first"} in a section, \
        {"parent":"milk","at":"first"} under a parent, or {"before":"apple"} beside another item.
        """

    /// Advice for members that hold an id, if they are missing: the kind of the id, by the name of the member.
    static let needed: [ByteText: WireFault.Expected] = [
        "item": .itemID, "element": .itemID, "parent": .itemID, "section": .sectionID,
    ]

    static let hasIDs = "GET /v1/lists/{list} has the ids."
    /// Advice for members with a value of a wrong type or form, by the name of the member.
    static let advice: [ByteText: String] = [
        "base":
            #""base" may be left out: then the write applies to the list as it is now, whatever others have changed."#,
        "item": hasIDs,
        "kind": #"For example: {"kind":"my-kind"}."#,
        "content": #"It holds values of your own: {"content":{"name":"Bread"}}."#,
        "version": """
        It is the version of the answer whose state you edited, never a later one: newer edits of others stay. Without \
        "version" they are overwritten. Sections and items that are left out are deleted either way: with [] all.
        """,
        "transaction": """
        GET /v1/lists/{list}/transactions lists the transactions that can be named, newest first, each with its \
        version.
        """,
        "before": "A place is named by the id of its neighbour, never by a number.",
        "after": "A place is named by the id of its neighbour, never by a number.",
        "final": #"An order is an array of ids: {"final":["apple","pear"]}."#,
        "offset": "It is the index of a row in its section: the first row has 0.",
        "associatedOffset": "It is the offset of the other half of a move, or null.",
        "seed": "It chooses the random part of the sample, and any such number will do. It may be left out.",
    ]

    /// Advice for a neighbour that is not named by an id.
    static let neighbour = "A place is named by the id of a neighbour, never by a number. \(neighbours)"

    /// The effect of a neighbour, and how a place without one is named.
    static let neighbours = """
        The new place is in the section of that neighbour. GET /v1/lists/{list} has the ids in order. At the end of a \
        section, and in an empty one, leave out "before" and "after" and send "section" with its id.
        """

    /// The effect of a restore.
    package static let restored: StaticString = """
        GET /v1/lists/{list}/transactions lists the versions that can be restored, newest first: each is the state \
        after its transaction, and all later edits are taken back.
        """
}
