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

    @Test func optionsThatRepeatHaveCommasBetween() throws {
        let variables = ["LISTSTATE_ALLOW_HOST": "a.test,b.test", "LISTSTATE_ALLOW_ORIGIN": "*"]
        let arguments = try Environment.arguments(before: ["serve"]) { variables[$0] }
        #expect(arguments == ["serve", "--allow-origin=*", "--allow-host=a.test", "--allow-host=b.test"])
    }

    @Test func onlyServeListens() throws {
        #expect(try Environment.arguments(before: ["samples"]) { _ in "1" } == ["samples"])
    }

    /// Kubernetes sets `LISTSTATE_PORT` for a service of that name.
    @Test func serviceLinksAreNoPorts() throws {
        let arguments = try Environment.arguments(before: ["serve"]) {
            $0 == "LISTSTATE_PORT" ? "tcp://10.0.0.1:80" : nil
        }
        #expect(arguments == ["serve"])
    }
}
