internal import ListWire
internal import Texts

extension WireError {
    /// Returns the error with advice. If the form of the whole body, of its sections or of its items is wrong, the
    /// advice first tells what this call deletes. At its end it names the calls that change less.
    ///
    /// - Parameter sent: The whole body as JSON, if it is short.
    func warning(of endpoint: Endpoint, _ sent: ByteText?) -> WireError {
        let places: [Step?] = [nil, .member("sections"), .member("items")]
        guard let (effect, less) = Self.effects[endpoint], ["wrong_type", "unknown_member"].contains(code),
            steps.count <= 2, places.contains(steps.last)
        else { return self }
        let advice = [effect, howTo, less].compactMap { $0 }.joined(separator: " ")
        return advising(advice.replacing("{ids}", with: sent.flatMap(Self.ids) ?? "[…]"))
    }

    /// An example of a body, what the call deletes, and the calls that change less, for a client that has sent no JSON.
    static func example(at endpoint: Endpoint) -> String {
        let advice = effects[endpoint].map { " \($0.effect) \($0.less)".replacing("{ids}", with: "[…]") } ?? ""
        return "A body here looks like \(endpoint.exampleBody).\(advice)"
    }

    private static let kept = """
        A "title" or "content" that is left out stays. In "items", a bare id names an item that exists; a new one is an \
        object: ["pear",{"id":"bread"}].
        """

    /// Sentences about each call that replaces a whole list or section: its effect on the sections and items that its
    /// body leaves out, and the calls that change less.
    private static let effects: [Endpoint: (effect: String, less: String)] = [
        .putList: (
            "PUT replaces the list and deletes the sections and items that are left out. \(kept)",
            """
            To add items: POST /v1/lists/{list}/items with {"items":[{"id":"bread"}]}; sections: \
            POST /v1/lists/{list}/transactions with {"operations":[{"op":"appendSections","sections":["fruit"]}]}, where \
            {"op":"moveSection","section":"fruit","after":"dairy"} moves one. To order items: POST \
            /v1/lists/{list}/reorders with {"sections":{"fruit":{"final":[…]}}}, the ids in the new order.
            """
        ),
        .putSection: (
            "PUT replaces the section and deletes the items that are left out. \(kept)",
            """
            To add items: POST /v1/lists/{list}/items with {"section":"{section}","items":[{"id":"bread"}]}; order: \
            POST /v1/lists/{list}/reorders with {"sections":{"{section}":{"final":{ids}}}}.
            """
        ),
    ]
}
