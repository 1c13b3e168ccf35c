import Testing

@Suite struct HealthTests {
    @Test func tellsAReadyServerFromNone() throws {
        let server = try ServerProcess(["--memory"])
        let port = "\(server.port)"
        #expect(try ServerProcess.run(["health", "--port", port]).exitCode == 0)
        #expect(try ServerProcess.run(["health"], environment: ["LISTSTATE_PORT": port]).exitCode == 0)
        _ = server.stop()
        let none = try ServerProcess.run(["health", "--port", port])
        #expect(none.exitCode == 1)
        #expect(none.errors == "liststate: http://127.0.0.1:\(port): Connection refused.\n", "\(none)")
    }
}
