import Foundation
import TestSupport
import Testing

/// An nginx that speaks TLS in front of a server, with a certificate for `localhost` that nobody vouches for.
final class TLSProxy {
    let port: UInt16
    /// The file of the certificate.
    let certificate: String
    private let folder: TemporaryFolder
    private let proxy: Proxy

    var url: String { "https://localhost:\(port)" }

    init(to server: UInt16) throws {
        folder = try TemporaryFolder()
        let key = "\(folder.path)/key.pem"
        certificate = "\(folder.path)/certificate.pem"
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.runAlone()
        openssl.waitUntilExit()
        try #require(openssl.terminationStatus == 0)
        port = try Proxy.freePort()
        proxy = try Proxy(
            to: server,
            general: """
                server {
                    listen 127.0.0.1:\(port) ssl; ssl_certificate \(certificate); ssl_certificate_key \(key);
                    client_max_body_size 64m;
                    location / { proxy_pass http://127.0.0.1:\(server); }
                }
                """)
    }
}
