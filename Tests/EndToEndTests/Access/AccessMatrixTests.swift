import Foundation
import TestSupport
import Testing

/// Every operation of openapi.yaml by every kind of caller, on all engines.
@Suite struct AccessMatrixTests {
    typealias Caller = AccessMatrix.Caller

    enum Engine: String, CaseIterable, Sendable {
        case memory, disk, postgres
    }

    private static let everything: Set<String> = ["read", "write", "create", "delete", "administer"]

    private static func grants(_ can: String, on lists: String = #""m-*","main-sub","insertion-sort""#) -> String {
        #"[{"lists":[\#(lists)],"can":["\#(can)"]}]"#
    }

    private static let anonymous = Caller(description: "anonymous")
    private static let stranger = Caller(description: "stranger", grants: grants("administer", on: #""other-*""#))
    /// Those who have a token of their own, or none.
    private static let callers: [Caller] = [
        anonymous,
        Caller(description: "without rights", grants: "[]"),
        Caller(description: "reader", grants: grants("read"), rights: ["read"]),
        Caller(description: "writer", grants: grants("write"), rights: ["read", "write"]),
        Caller(description: "creator", grants: grants("create"), rights: ["read", "create"]),
        Caller(description: "deleter", grants: grants("delete"), rights: ["read", "delete"]),
        Caller(description: "administrator of some", grants: grants("administer"), rights: everything),
        Caller(
            description: "administrator of all", grants: grants("administer", on: #""*""#), rights: everything,
            administersAll: true),
    ]
    private static let guesser = Caller(description: "guesser", grants: "[]", isKnown: false)
    private static let revoked = Caller(description: "revoked", grants: grants("read"), isKnown: false)
    private static let late = Caller(description: "late", grants: grants("read"), isKnown: false)

    @Test(arguments: Engine.allCases)
    func everyCell(_ engine: Engine) throws {
        let folder = try TemporaryFolder()
        let place =
            switch engine {
            case .memory: ["--memory"]
            case .disk: ["--data", folder.path]
            case .postgres:
                try ["--store", PostgreSQLServer.shared.url(PostgreSQLServer.shared.newDatabase())]
            }
        let server = try ServerProcess(place)
        var matrix = try AccessMatrix(OpenAPIDocument.ofProject(), server.client)
        for caller in Self.callers { try matrix.admit(caller) }
        try matrix.admit(Self.stranger)
        try matrix.admit(Self.revoked)
        try matrix.revoke(Self.revoked)
        try matrix.admit(Self.late, lifetimeSeconds: 1)
        while try matrix.knows(Self.late) { usleep(20_000) }
        var cells = 0
        var faults: [String] = []
        func check(_ callers: [Caller]) throws {
            for row in matrix.rows {
                for caller in callers {
                    cells += 1
                    if let fault = try matrix.fault(row, caller) { faults.append(fault) }
                }
            }
        }
        try check(Self.callers + [Self.guesser, Self.revoked, Self.late])
        // A stranger administers other lists, so it may make tokens for these, and sees none of ours.
        for row in matrix.rows where row.needs != .administer {
            cells += 1
            if let fault = try matrix.fault(row, Self.stranger) { faults.append(fault) }
        }

        // The tickets of whoever may read, and of whoever may do everything.
        for row in matrix.rows {
            for holder in Self.callers where ["reader", "administrator of all"].contains(holder.description) {
                for ticket in AccessMatrix.Ticket.allCases {
                    cells += 1
                    if let fault = try matrix.fault(row, ticket, of: holder) { faults.append(fault) }
                }
            }
        }

        try matrix.set("anonymous", Self.grants("read"))
        try check([Caller(description: "anonymous", rights: ["read"])])
        try matrix.set("anonymous", Self.grants("write"))
        try check([Caller(description: "anonymous", rights: ["read", "write"])])
        try matrix.set("anonymous", "[]")
        try check([Self.anonymous])
        try matrix.set("any-token", Self.grants("write"))
        let guest = Caller(description: "without rights", grants: "[]", rights: ["read", "write"])
        // The administrator of all takes the grants away in this row.
        for row in matrix.rows where row.operation.id != "setAccess" {
            cells += 1
            if let fault = try matrix.fault(row, guest) { faults.append(fault) }
        }
        #expect(faults.isEmpty, "\(faults.count) of \(cells) cells: \(faults.prefix(5).joined(separator: "\n"))")
        #expect(cells > 1_000)
    }
}
