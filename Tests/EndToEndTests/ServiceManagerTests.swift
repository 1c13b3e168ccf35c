import Foundation
import Testing

@testable import liststate

/// What a service manager gives and hears: a socket, credentials, states.
@Suite struct ServiceManagerTests {
    struct Given: Sendable, CustomTestStringConvertible {
        var process: String?
        var count: String?
        var testDescription: String { "LISTEN_PID=\(process ?? "-") LISTEN_FDS=\(count ?? "-")" }

        func read() throws -> Int32? {
            try ServiceManager.descriptor(process: 42) { ["LISTEN_PID": process, "LISTEN_FDS": count][$0] ?? nil }
        }
    }

    @Test func aSocketIsTheThirdDescriptor() throws {
        #expect(try Given(process: "42", count: "1").read() == 3)
    }

    @Test("No socket is for this process", arguments: [Given(count: "1"), Given(process: "41", count: "1"), Given()])
    func none(_ given: Given) throws {
        #expect(try given.read() == nil)
    }

    @Test(
        "Variables that are wrong are refused",
        arguments: ["0", "2", "-1", "one", "", "1 ", "99999999999999999999"].map { Given(process: "42", count: $0) }
            + [Given(process: "42"), Given(process: "", count: "1"), Given(process: "99999999999", count: "1")]
            + [Given(process: "42", count: String(repeating: "1", count: 10_000))])
    func refused(_ given: Given) throws {
        let failure = try #require(throws: Failure.self) { _ = try given.read() }
        #expect(failure.exitCode == 78)
        #expect(failure.message.utf8.count < 200)
    }

    @Test func theServerSaysWhenItIsReadyAndWhenItStops() throws {
        let folder = try TemporaryFolder()
        let manager = try #require(Datagrams(folder.path + "/notify"))
        let server = try ServerProcess(["--memory"], environment: ["NOTIFY_SOCKET": folder.path + "/notify"])
        #expect(manager.next() == "READY=1")
        #expect(server.stop() == 0)
        #expect(manager.next() == "STOPPING=1")
    }

    @Test(
        "A manager that cannot be told changes nothing",
        arguments: ["", "/", "@", "relative", "/nowhere/socket", "@nobody", "/" + String(repeating: "a", count: 300)])
    func deaf(_ name: String) throws {
        #expect(!ServiceManager.send("READY=1", to: name))
        #expect(try ServerProcess(["--memory"], environment: ["NOTIFY_SOCKET": name]).stop() == 0)
    }

    @Test func aNameMayBeInTheAbstractNamespace() throws {
        let name = "@liststate-test-\(UUID().uuidString)"
        let manager = try #require(Datagrams(name))
        #expect(ServiceManager.send("STATUS=here", to: name))
        #expect(manager.next() == "STATUS=here")
    }

    @Test func aCredentialIsALine() throws {
        let folder = try TemporaryFolder()
        let credential = { try Environment.credential("liststate.store", in: folder.path) }
        #expect(try credential() == nil)
        let path = folder.path + "/liststate.store"
        for text in ["postgres://a/b", "postgres://a/b\n"] {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(try credential() == "postgres://a/b")
        }
        for text in ["", "\n", "a\nb", "a\0b", "ä", "a\r\n", String(repeating: "a", count: 4097)] {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let failure = try #require(throws: Failure.self) { _ = try credential() }
            #expect(failure.exitCode == 78)
            #expect(failure.message.hasPrefix("The credential liststate.store is not one line"))
        }
    }

    /// The URL of the credential is wrong, which `serve` says without its text.
    @Test func serveTakesTheStoreFromACredential() throws {
        let folder = try TemporaryFolder()
        try "postgres://me:secret-word@/lists?host=/nowhere\n".write(
            toFile: folder.path + "/liststate.store", atomically: false, encoding: .utf8)
        let variables = ["CREDENTIALS_DIRECTORY": folder.path, "LISTSTATE_DATA": folder.path + "/data"]
        let refused = try ServerProcess.run(["serve", "--port", "0"], environment: variables)
        #expect(refused.exitCode == 74)
        #expect(refused.errors.contains("/nowhere") && !refused.errors.contains("secret-word"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
    }
}

/// A socket that takes datagrams, as a service manager has it.
private final class Datagrams {
    private let descriptor: Int32

    /// - Parameter name: A path, or `@` and a name in the abstract namespace.
    init?(_ name: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(name.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        if path.first == UInt8(ascii: "@") { path[0] = 0 } else { path.append(0) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound else { return nil }
    }

    deinit { close(descriptor) }

    /// Waits for the next one.
    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
