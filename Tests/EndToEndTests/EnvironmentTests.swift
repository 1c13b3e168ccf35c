import Foundation
import JSONValue
import TestSupport
import Testing

@testable import liststate

@Suite struct EnvironmentTests {
    @Test func everyOptionIsAlsoAVariable() throws {
        let help = try ServerProcess.run(["serve", "--help"]).output
        let named = help.split(whereSeparator: { $0.isWhitespace }).filter { $0.hasPrefix("--") }.map {
            String($0.dropFirst(2).prefix { $0.isLetter || $0 == "-" })
        }
        #expect(Set(named).subtracting(["help", "version"]) == Set(Environment.options + Environment.flags))
    }

    @Test func theCommandLineHasTheLastWord() throws {
        let variables = ["LISTSTATE_PORT": "1", "LISTSTATE_SAMPLES": "1", "LISTSTATE_MEMORY": "false"]
        let arguments = try Environment.arguments(before: ["serve", "--port", "2"]) { variables[$0] }
        #expect(arguments == ["serve", "--port=1", "--samples", "--port", "2"])
    }

    @Test func whatWasTypedAboutTheStoreIsTheWholeWordAboutIt() throws {
        let variables = ["LISTSTATE_DATA": "a", "LISTSTATE_MEMORY": "true"]
        for typed in [["--memory"], ["--data", "b"], ["--data=b"]] {
            #expect(try Environment.arguments(before: ["serve"] + typed) { variables[$0] } == ["serve"] + typed)
        }
    }

    /// The environment of a container names a folder.
    @Test func aDatabaseTakesThePlaceOfAFolder() throws {
        let variables = ["LISTSTATE_DATA": "a", "LISTSTATE_STORE": "postgres://b/c"]
        let read = { (given: [String]) in try Environment.arguments(before: given) { variables[$0] } }
        #expect(try read(["serve"]) == ["serve", "--store=postgres://b/c"])
        #expect(try read(["serve", "--data", "d"]) == ["serve", "--data", "d"])
        #expect(try read(["serve", "--store=postgres://e/f"]) == ["serve", "--store=postgres://e/f"])
    }

    @Test func optionsThatRepeatHaveCommasBetween() throws {
        let variables = ["LISTSTATE_ALLOW_HOST": "a.test,b.test", "LISTSTATE_ALLOW_ORIGIN": "*"]
        let arguments = try Environment.arguments(before: ["serve"]) { variables[$0] }
        #expect(arguments == ["serve", "--allow-origin=*", "--allow-host=a.test", "--allow-host=b.test"])
    }

    @Test func whatNobodyReadsIsNamed() {
        let names = [
            "PATH", "LISTSTATE_HOST", "LISTSTATE_HOTS", "LISTSTATE_ITEM_MAX", "LISTSTATE_COLOUR_OF_THE_SKY",
            "LISTSTATE_SERVICE_HOST", "LISTSTATE_PORT_80_TCP_ADDR", "LISTSTATE_API_PORT",
        ]
        #expect(
            Environment.complaints(about: names) == [
                "LISTSTATE_COLOUR_OF_THE_SKY is no setting.",
                "LISTSTATE_HOTS is no setting. Did you mean LISTSTATE_HOST?",
                "LISTSTATE_ITEM_MAX is no setting. Did you mean LISTSTATE_ITEMS_MAX?",
            ])
    }

    @Test func aStrangeVariableIsNamedAtTheStart() throws {
        let server = try ServerProcess(["--memory"], environment: ["LISTSTATE_HOTS": "::1"])
        #expect(server.stop() == 0)
        #expect(server.log.contains("LISTSTATE_HOTS is no setting. Did you mean LISTSTATE_HOST?"))
    }

    @Test func aWrongLimitIsNamed() throws {
        let result = try ServerProcess.run(["serve", "--memory"], environment: ["LISTSTATE_HEAD_POOL_BYTES": "1"])
        #expect(result.exitCode == 64)
        #expect(result.errors.contains("--head-pool-bytes is a number from 4096 to 1048576, and not 1."))
        let typed = try ServerProcess.run(["serve", "--memory", "--itms-max", "1"])
        #expect(typed.exitCode == 64)
        #expect(typed.errors.contains("--items-max"))
    }

    /// The version is the same from `--version`, `version` and over HTTP.
    @Test func thereIsOneVersion() throws {
        let version = ListStateCommand.version
        #expect(try ServerProcess.run(["--version"]).output == version + "\n")
        let lines = try ServerProcess.run(["version"]).output.split(separator: "\n")
        #expect(lines.map { $0.prefix { $0 != " " } } == ["liststate", "commit", "libmicrohttpd", "sqlite"])
        #expect(lines.first == "liststate \(version)")
        #expect(lines.dropFirst(2).allSatisfy { $0.contains(#/^[a-z]+ [0-9]+\.[0-9]+\.[0-9]+/#) }, "\(lines)")
        let server = try ServerProcess(["--memory", "--host", "localhost"])
        let answer = try server.client.send("GET", "/", [("Accept", "application/json")])
        #expect(try JSONValue(parsing: Array(answer.body))["version"]?.string == version)
        #expect(server.stop() == 0)
        // CHANGELOG.md names the same version, if it names any.
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let changes = try String(contentsOf: top.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let newest = changes.matches(of: /## \[([0-9][^\]]*)\]/).first.map { String($0.output.1) }
        #expect(newest == nil || newest == version)
    }

    @Test func onlyServeListens() throws {
        #expect(try Environment.arguments(before: ["samples"]) { _ in "1" } == ["samples"])
    }

    /// Kubernetes sets `LISTSTATE_PORT` to a URL if a service is called `liststate`.
    @Test func serviceLinksAreNoPorts() throws {
        let arguments = try Environment.arguments(before: ["serve"]) {
            $0 == "LISTSTATE_PORT" ? "tcp://10.0.0.1:80" : nil
        }
        #expect(arguments == ["serve"])
    }
}
