import Foundation
import JSONValue
import TestSupport
import Testing

/// The commands over TLS, through nginx.
@Suite struct SecureClientTests {
    @Test func everythingWorksOverTLS() throws {
        let scene = try ClientScene(["--first-token", "--samples"])
        let secret = try #require(scene.server.linesBefore.first.map { String($0.suffix(47)) })
        let proxy = try TLSProxy(to: scene.server.port)
        func run(_ words: String, trusting certificate: String?) throws -> ClientScene.Said {
            var environment = scene.environment(proxy.url, secret)
            environment["SSL_CERT_FILE"] = certificate
            return try ServerProcess.run(words.split(separator: " ").map(String.init), environment: environment)
        }
        func done(_ words: String) throws -> String {
            let said = try run(words, trusting: proxy.certificate)
            try #require(said.exitCode == 0, "\(words): \(said)")
            return said.output
        }
        #expect(try done("lists").split(separator: "\n").count == 31)
        #expect(try done("create l --section s").hasPrefix("l "))
        var environment = scene.environment(proxy.url, secret)
        environment["SSL_CERT_FILE"] = proxy.certificate
        let watch = try RunningCommand(ServerProcess.start(["watch", "l", "--json"], environment: environment))
        #expect(watch.line()?.contains("\"reset\"") == true)
        #expect(try done("add l One --id one --queue").hasPrefix("l "))
        #expect(watch.line()?.contains("\"one\"") == true)
        let problem = try run("star l nope", trusting: proxy.certificate)
        #expect(problem.exitCode == 76 && problem.errors.contains("no item \"nope\""), "\(problem)")

        let file = scene.folder.path + "/lists"
        _ = try done("export \(file) --url \(proxy.url)")
        #expect(try done("import \(file) --url \(proxy.url)").contains("31 were there already"))
        _ = try done("delete l --whole")
        #expect(watch.line()?.contains("\"gone\"") == true)
        #expect(watch.end() == 0)

        let distrusted = try run("lists", trusting: nil)
        #expect(distrusted.exitCode == 69 && distrusted.errors.lowercased().contains("certificate"), "\(distrusted)")
    }
}
