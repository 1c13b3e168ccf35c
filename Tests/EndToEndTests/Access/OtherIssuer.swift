import Foundation
import TestSupport

/// Somebody else who issues tokens, with a key of Ed25519. openssl signs, as another implementation.
final class OtherIssuer {
    static let name = "https://id.example"
    static let audience = "lists"

    private let folder: TemporaryFolder
    private var keyFile: String { "\(folder.path)/key.pem" }
    /// The public keys, in the file that `--jwks` names.
    var keys: String { "\(folder.path)/keys.json" }

    /// The options by which a server trusts it.
    var options: [String] {
        ["--jwks", keys, "--jwt-issuer", Self.name, "--jwt-audience", Self.audience, "--jwks-seconds", "1"]
    }

    init() throws {
        folder = try TemporaryFolder()
        try makeKey()
    }

    /// Makes a key in the place of the one before. Who has signed is known by the numbers, not by the name.
    func makeKey() throws {
        try Self.openssl(["genpkey", "-algorithm", "ed25519", "-out", keyFile])
        let der = try Self.openssl(["pkey", "-in", keyFile, "-pubout", "-outform", "DER"])
        let point = Self.base64URL(der.suffix(32))
        let document = #"{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","kid":"one","x":"\#(point)"}]}"#
        try Data(document.utf8).write(to: URL(filePath: keys), options: .atomic)
    }

    /// A token.
    ///
    /// - Parameters:
    ///   - claims: Members of JSON besides `iss`, `aud` and `sub`, which they may replace.
    func token(
        _ claims: String, subject: String = "ada", header: String = #"{"alg":"EdDSA","kid":"one"}"#
    ) throws -> String {
        let usual = [("iss", Self.name), ("aud", Self.audience), ("sub", subject)].filter { name, _ in
            !claims.contains("\"\(name)\":")
        }
        let members = usual.map { #""\#($0)":"\#($1)""# } + [claims]
        let body = Self.base64URL(Data("{\(members.joined(separator: ","))}".utf8))
        let signed = "\(Self.base64URL(Data(header.utf8))).\(body)"
        let file = "\(folder.path)/signed"
        try Data(signed.utf8).write(to: URL(filePath: file))
        let signature = try Self.openssl(["pkeyutl", "-sign", "-rawin", "-inkey", keyFile, "-in", file])
        return "\(signed).\(Self.base64URL(signature))"
    }

    /// The time in so many seconds, as a member.
    static func expiring(in seconds: Int) -> String { #""exp":\#(Int(Date().timeIntervalSince1970) + seconds)"# }

    private static func base64URL(_ data: some DataProtocol) -> String {
        Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    @discardableResult
    private static func openssl(_ arguments: [String]) throws -> Data {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.runAlone()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(arguments: arguments) }
        return data
    }

    struct Failed: Error {
        let arguments: [String]
    }
}
