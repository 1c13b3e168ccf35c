/// A reader of what comes from outside, with the rules that hold whatever it reads.
struct FuzzTarget: Sendable {
    /// The name of the folder of its inputs, too.
    let name: String
    /// Tries the reader on some bytes. Returns whether it has taken them; throws `BrokenRule` if a rule does not hold.
    let run: @Sendable ([UInt8]) throws -> Bool

    static let all = [
        FuzzTarget(name: "heads", run: tryHeads),
        FuzzTarget(name: "json", run: tryJSON),
        FuzzTarget(name: "lists") { try tryWrite("PUT", "/v1/lists/l", $0) },
        FuzzTarget(name: "transactions") { try tryWrite("POST", "/v1/lists/l/transactions", $0) },
        FuzzTarget(name: "reorders") { try tryWrite("POST", "/v1/lists/l/reorders", $0) },
        FuzzTarget(name: "lines", run: tryLines),
        FuzzTarget(name: "pages", run: tryPages),
    ]
}

/// A rule that does not hold.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String
}

func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
    if !holds { throw BrokenRule(description: rule()) }
}
