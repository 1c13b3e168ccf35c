import Foundation
import Glibc
import TestSupport
import Testing

/// An nginx in front of a server.
final class Proxy {
    let port: UInt16
    private let folder: TemporaryFolder
    private let process = Process()

    /// Starts nginx, and returns when it serves.
    ///
    /// - Parameters:
    ///   - setting: Directives about the way from nginx to the server.
    ///   - general: Directives about the way from the client to nginx.
    init(to server: UInt16, setting: String = "", general: String = "") throws {
        folder = try TemporaryFolder()
        port = try Self.freePort()
        let path = folder.path
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(path)/\($0);" }.joined(separator: " ")
        let configuration = """
            daemon off; master_process off; pid \(path)/pid; error_log \(path)/errors;
            events { worker_connections 64; }
            http {
                access_log off; \(temporary)
                \(general)
                gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;
                server {
                    listen 127.0.0.1:\(port);
                    location / {
                        proxy_pass http://127.0.0.1:\(server); proxy_buffering on; proxy_read_timeout 1s; \(setting)
                    }
                }
            }
            """
        try configuration.write(toFile: "\(path)/conf", atomically: true, encoding: .utf8)
        process.executableURL = URL(filePath: "/usr/sbin/nginx")
        process.arguments = ["-c", "\(path)/conf", "-e", "\(path)/errors", "-p", path]
        process.standardError = FileHandle.nullDevice
        try process.runAlone()
        while process.isRunning, (try? HTTPClient(port: port).send("GET", "/healthz"))?.status != 200 {}
        try #require(process.isRunning, "nginx has ended")
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    static func freePort() throws -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        try #require(isBound)
        return UInt16(bigEndian: address.sin_port)
    }
}
