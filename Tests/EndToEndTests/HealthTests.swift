import Testing

@Suite struct HealthTests {
    @Test func tellsAReadyServerFromNone() throws {
        let server = try ServerProcess(["--memory"])
        let port = "\(server.port)"
        #expect(try ServerProcess.run(["health", "--port", port]).exitCode == 0)
        #expect(try ServerProcess.run(["health"], environment: ["LISTSTATE_PORT": port]).exitCode == 0)
        _ = server.stop()
        #expect(try ServerProcess.run(["health", "--port", port]).exitCode == 1)
    }
}
