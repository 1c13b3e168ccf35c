internal import ListWire
internal import Texts

extension WireError {
    /// Returns the error with advice. If the form of the whole body, of its sections or of its items is wrong, the
    /// advice first names the calls that change less than this one. Then it tells what this call deletes.
    ///
    /// - Parameter sent: The whole body as JSON, if it is short.
    func warning(of endpoint: Endpoint, _ sent: ByteText?) -> WireError {
        let places: [Step?] = [nil, .member("sections"), .member("items")]
        guard let (less, effect) = Self.effects[endpoint], ["wrong_type", "unknown_member"].contains(code),
            steps.count <= 2, places.contains(steps.last)
        else { return self }
        return advising(Self.filled([less, howTo, effect].compactMap { $0 }.joined(separator: " "), sent))
    }

    /// Sentences about each call that replaces a whole list or section: the calls that change less, and the effect on
    /// the sections and items that its body leaves out.
    private static let effects: [Endpoint: (less: String, effect: String)] = [
        .putList: (
            """
            POST /v1/lists/{list}/items adds items and deletes nothing. POST /v1/lists/{list}/transactions with \
            {"operations":[{"op":"appendSections","sections":["bakery"]}]} adds a section; moveSection moves one. \
            POST /v1/lists/{list}/reorders with {"sections":{"fruit":{"final":["apple","pear"]}}} sets the order of \
            items alone. To replace the whole list, send all of it.
            """,
            "Sections and items \(leftOut)"
        ),
        .putSection: (
            """
            POST /v1/lists/{list}/items with {"section":"{section}","items":[{"id":"…"}]} adds items and deletes nothing. \
            POST /v1/lists/{list}/reorders with {"sections":{"{section}":{"final":{ids}}}} sets the order alone. To \
            replace the whole section, send all of it.
            """,
            "Items \(leftOut)"
        ),
    ]
    private static let leftOut =
        "that are left out are deleted; titles, layouts, contents and flags that are left out stay as they are."
}
