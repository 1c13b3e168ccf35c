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
        return advising(Self.filled([effect, howTo, less].compactMap { $0 }.joined(separator: " "), sent))
    }

    /// An example of a body, and what the call deletes, for a client that has sent no JSON.
    static func example(at endpoint: Endpoint) -> String {
        "A body here looks like \(endpoint.exampleBody)." + (effects[endpoint].map { " \($0.effect)" } ?? "")
    }

    /// Sentences about each call that replaces a whole list or section: its effect on the sections and items that its
    /// body leaves out, and the calls that change less.
    private static let effects: [Endpoint: (effect: String, less: String)] = [
        .putList: (
            "PUT replaces the list and deletes the sections and items that are left out.",
            """
            To add items: POST /v1/lists/{list}/items; sections: POST /v1/lists/{list}/transactions (appendSections) \
            with {"operations":[{"op":"appendSections","sections":["fruit"]}]}, where moveSection moves one. To order \
            items: POST /v1/lists/{list}/reorders with {"sections":{"fruit":{"final":["apple","pear"]}}}.
            """
        ),
        .putSection: (
            "PUT replaces the section and deletes the items that are left out.",
            """
            To add items: POST /v1/lists/{list}/items with {"section":"{section}","items":[…]}; order: \
            POST /v1/lists/{list}/reorders with {"sections":{"{section}":{"final":{ids}}}}.
            """
        ),
    ]
}
