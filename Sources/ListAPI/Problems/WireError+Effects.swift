internal import ListWire
internal import Texts

extension WireError {
    /// The same error. Of sections or items in a wrong form it also says what the call does once their form is right.
    func warning(of endpoint: Endpoint) -> WireError {
        let places: [Step?] = [nil, .member("sections"), .member("items")]
        guard let effect = Self.effects[endpoint], ["wrong_type", "unknown_member"].contains(code),
            steps.count <= 2, places.contains(steps.last)
        else { return self }
        return advising(howTo.map { "\($0) \(effect)" } ?? effect)
    }

    /// The effect of a call on members, items and sections that its body leaves out.
    private static let effects: [Endpoint: String] = [
        .putList: """
        This call replaces the whole list: sections and items that are left out are deleted, and an item whose \
        "content" is left out keeps it. POST /v1/lists/{list}/items adds items. POST /v1/lists/{list}/reorders \
        with {"sections":{"fruit":{"final":["apple","pear"]}}} sets the order alone.
        """,
        .putSection: """
        This call replaces the whole section: items that are left out are deleted, and an item whose "content" is \
        left out keeps it. POST /v1/lists/{list}/items adds items. POST /v1/lists/{list}/reorders with \
        {"sections":{"{section}":{"final":["apple","pear"]}}} sets the order alone.
        """,
    ]
}
