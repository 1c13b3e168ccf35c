import Foundation
import TestSupport
import Testing

/// The dashboard and the alerts of docker/monitoring, against the metrics that the server has.
@Suite struct MonitoringTests {
    private static let folder = MetricsTests.top.appending(path: "docker/monitoring")

    private static func read(_ file: String) throws -> String {
        try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }

    /// The names of the series of a server that has done a little.
    private static func seriesNames() throws -> (names: Set<String>, labels: Set<String>) {
        let server = try ServerProcess(["--memory"])
        _ = try server.client.send("GET", "/v1/lists")
        let lines = try server.client.send("GET", "/metrics").text.split(separator: "\n").filter { $0.first != "#" }
        let labels = lines.flatMap { $0.matches(of: /([a-z_]+)="/).map { String($0.1) } }
        return (Set(lines.map { String($0.prefix { $0 != "{" && $0 != " " }) }), Set(labels))
    }

    /// The names in expressions that look like metrics of the server.
    private static func names(in expressions: [String]) -> Set<String> {
        Set(expressions.flatMap { $0.matches(of: /\b(?:liststate|process)_[a-z_]+/).map { String($0.output) } })
    }

    /// All expressions, and the queries of the variables.
    private static func dashboardExpressions() throws -> [String] {
        let dashboard = try JSONSerialization.jsonObject(with: Data(read("dashboard.json").utf8)) as? [String: Any]
        let panels = try #require(dashboard?["panels"] as? [[String: Any]])
        let targets = panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }
        let variables = (dashboard?["templating"] as? [String: Any])?["list"] as? [[String: Any]] ?? []
        let queries = variables.compactMap { ($0["query"] as? [String: Any])?["query"] as? String }
        return targets.compactMap { $0["expr"] as? String } + queries
    }

    private static func alertExpressions() throws -> [String] {
        // Each expression stands behind `expr:`, in its line or in the indented ones below.
        let lines = try read("alerts.yml").components(separatedBy: "\n")
        return lines.indices.filter { lines[$0].contains("expr:") }.map { start in
            ([lines[start]] + lines[(start + 1)...].prefix { $0.hasPrefix("          ") }).joined(separator: "\n")
        }
    }

    @Test func theDashboardShowsMetricsThatExist() throws {
        let expressions = try Self.dashboardExpressions()
        let (names, labels) = try Self.seriesNames()
        #expect(Self.names(in: expressions).subtracting(names) == [])
        let grouped = expressions.flatMap { $0.matches(of: /by \(([^)]+)\)/).map { String($0.1) } }
        let used = Set(grouped.joined(separator: ",").components(separatedBy: ",").map { $0.filter { $0 != " " } })
        #expect(used.subtracting(labels).subtracting(["instance", "job"]) == [])
    }

    @Test func alertsAreAboutMetricsThatExist() throws {
        let expressions = try Self.alertExpressions()
        #expect(expressions.count == 12)
        #expect(Self.names(in: expressions).subtracting(try Self.seriesNames().names) == [])
    }

    /// A metric that neither the page of the documentation nor the dashboard has would be seen by nobody.
    @Test func everyMetricIsShownAndExplained() throws {
        let parts = ["_bucket", "_sum", "_count"]
        let families = Set(
            try Self.seriesNames().names.map { name in
                parts.first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) } ?? name
            })
        let page = try String(contentsOf: MetricsTests.top.appending(path: "docs/operations.md"), encoding: .utf8)
        #expect(families.filter { !page.contains("`\($0)`") } == [])
        let shown = Self.names(in: try Self.dashboardExpressions())
        let hidden = families.filter { family in !shown.contains { $0.hasPrefix(family) } }
        #expect(hidden == ["liststate_build_info"])
    }

    /// Grafana takes panels by their ids.
    @Test func panelsHaveIdsOfTheirOwn() throws {
        let dashboard = try JSONSerialization.jsonObject(with: Data(Self.read("dashboard.json").utf8))
        let panels = try #require((dashboard as? [String: Any])?["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
    }

    /// Prometheus' own tool reads the rules and replays a server that is well, and one on which everything is wrong.
    @Test func prometheusTakesTheAlerts() throws {
        for command in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]] {
            let arguments = command.dropLast() + [Self.folder.appending(path: command[2]).path]
            let (exitCode, said) = try MetricsTests.promtool(Array(arguments), input: "")
            #expect(exitCode == 0, "\(said)")
        }
        let (exitCode, said) = try MetricsTests.promtool(
            ["check", "config", Self.folder.appending(path: "prometheus.yml").path], input: "")
        #expect(exitCode == 0, "\(said)")
    }

    /// Whoever is woken finds what to do.
    @Test func everyAlertIsInTheDocumentation() throws {
        let page = try String(contentsOf: MetricsTests.top.appending(path: "docs/operations.md"), encoding: .utf8)
        let alerts = try Self.read("alerts.yml").matches(of: /alert: (\w+)/).map { String($0.1) }
        #expect(alerts.filter { !page.contains("| `\($0)` |") } == [])
    }
}
