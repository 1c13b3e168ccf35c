import JSONValue
import TestSupport

/// The column of those who send a ticket and no token. A ticket opens the stream that it was made for, as its holder's
/// token would, and is none for all other operations, whatever its holder may do.
extension AccessMatrix {
    /// What has become of a ticket's token, and of the ticket.
    enum Ticket: CaseIterable, Sendable {
        case isGood, isForAnotherAddress, hasRevokedToken
    }

    /// Compares the answer to a ticket with the expectation.
    ///
    /// - Parameter holder: The caller that makes the ticket.
    /// - Returns: What differs; nil if nothing does.
    mutating func fault(_ row: Row, _ ticket: Ticket, of holder: Caller) throws -> String? {
        let opens = row.isStream && row.operation.method == "GET"
        let reference = try reference(for: row)
        let names = try prepared(row)
        var holder = holder
        if ticket == .hasRevokedToken {
            holder = Caller(description: "holder \(names.new)", grants: holder.grants)
            try admit(holder)
        }
        let version = try ask("GET", "/v1/lists/\(names.list)")["List-Version"]
        let (made, target) = try location(row, ticket, of: holder, names)
        guard let made else { return "\(row): \(holder) gets no ticket" }
        if ticket == .hasRevokedToken { try revoke(holder) }
        let (status, text) = try answer(row, [], names, at: target)
        let place = "\(row) by a ticket (\(ticket)) of \(holder)"
        guard !text.contains(made) else { return "\(place) tells the ticket: \(text)" }
        guard !opens || ticket != .isGood else { return status == reference ? nil : "\(place) is \(status): \(text)" }
        if text.contains(Self.title) { return "\(place) shows the list: \(text)" }
        // Where no right is needed, a ticket is an unknown parameter, or nobody looks at it.
        let refusals = opens ? [401] : row.needs == .nothing ? [reference, 422] : [401, 422]
        guard refusals.contains(status) else { return "\(place) is \(status): \(text)" }
        let after = try ask("GET", "/v1/lists/\(names.list)")["List-Version"]
        return after == version ? nil : "\(place) has changed the list"
    }

    /// Makes a ticket for the address of a row, or for a stream of its list if that is none.
    ///
    /// - Returns: The ticket, nil if there is none, and the address of the row with it.
    private func location(
        _ row: Row, _ ticket: Ticket, of holder: Caller, _ names: Names
    ) throws -> (ticket: String?, target: String) {
        let target = names.target(of: row)
        for stream in [target, "/v1/lists/\(names.list)/changes"] {
            let wanted = ticket == .isForAnotherAddress ? Self.adding("view=visible", to: stream) : stream
            let made = try client.send(
                "POST", "/v1/tickets", authorization(of: holder), json: #"{"target":"\#(wanted)"}"#)
            guard made.status == 201, let text = try JSONValue(parsing: made.body)["ticket"]?.string else { continue }
            return (text, Self.adding("ticket=\(text)", to: target))
        }
        return (nil, target)
    }

    private static func adding(_ parameter: String, to target: String) -> String {
        target + (target.contains("?") ? "&" : "?") + parameter
    }
}
