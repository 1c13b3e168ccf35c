import Access
import HTTPTypes
import Testing
import Texts
import Yams

@testable import ListAPI
@testable import ListWire

/// openapi.yaml, as the server sends it, and the table of routes have the same content.
@Suite struct ContractTests {
    private static let methods = ["get", "put", "post", "patch", "delete"]

    private static func contract() throws -> [String: Any] {
        let served = try Harness(lists: []).ask("GET", "/openapi.yaml").text
        return try #require(try Yams.load(yaml: served) as? [String: Any])
    }

    @Test func routesAreThoseOfTheContract() throws {
        let paths = try #require(try Self.contract()["paths"] as? [String: [String: Any]])
        let promised = paths.flatMap { path, members in
            Self.methods.filter { members[$0] != nil }.map { $0.uppercased() + " " + path }
        }
        let served = Endpoint.allCases.map { $0.method.rawValue + " " + $0.template }
        #expect(Set(promised) == Set(served))
        #expect(served.count == Set(served).count)
        #expect(Route.all.map(\.endpoint) == Endpoint.allCases)
    }

    @Test func parametersAreThoseOfTheContract() throws {
        let contract = try Self.contract()
        let paths = try #require(contract["paths"] as? [String: [String: Any]])
        for endpoint in Endpoint.allCases {
            let resource = try #require(paths[endpoint.template])
            let operation = resource[endpoint.method.rawValue.lowercased()] as? [String: Any] ?? [:]
            let parameters = [resource, operation].flatMap { $0["parameters"] as? [[String: Any]] ?? [] }
            let names = parameters.map { Self.resolved($0, contract) }.filter { $0["in"] as? String == "query" }
                .compactMap { $0["name"] as? String }
            #expect(Set(names) == Set(endpoint.parameters.map(\.rawValue)), "\(endpoint)")
        }
    }

    @Test func rightsAreThoseOfTheContract() throws {
        let paths = try #require(try Self.contract()["paths"] as? [String: [String: Any]])
        for endpoint in Endpoint.allCases {
            let operation = paths[endpoint.template]?[endpoint.method.rawValue.lowercased()] as? [String: Any]
            #expect(operation?["x-rights"] as? String == Self.name(of: endpoint.rule), "\(endpoint)")
        }
    }

    private static func name(of rule: Route.Rule) -> String {
        switch rule {
        case .open: "none"
        case .list(let rights): rights.names.map(\.string).joined(separator: " ")
        case .put: "write-or-create"
        case .newList: "create"
        case .narrowed: "narrowed"
        case .token: "token"
        case .administer: "administer"
        case .administerAll: "administer-all"
        }
    }

    /// The object that `$ref` names, or the object itself.
    private static func resolved(_ object: [String: Any], _ contract: [String: Any]) -> [String: Any] {
        guard let reference = object["$ref"] as? String else { return object }
        let steps = reference.split(separator: "/").dropFirst()
        return steps.reduce(contract) { $0[String($1)] as? [String: Any] ?? [:] }
    }
}
