import ArgumentParser
import Glibc

/// Asks the server on this machine whether it is ready. Images use it for their health check, so they need no HTTP
/// client.
struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Exits with 0 if the server on this machine is ready, otherwise with 1, and says why it is not.")

    @Option(help: "The server's port. (default: LISTSTATE_PORT, else 8080)")
    var port: UInt16?

    func run() throws {
        let given = port ?? getenv("LISTSTATE_PORT").flatMap { UInt16(String(cString: $0)) }
        let address = ServerAddress(host: "127.0.0.1", port: given ?? ServerAddress.standard.port, isSecure: false)
        let answer: HTTPClient.Answer
        do throws(HTTPClient.Fault) {
            answer = try HTTPClient(address: address, patience: 2).send("GET", "/readyz")
        } catch {
            throw Failure.failed(Failure.client(error, address).message, 1)
        }
        guard answer.status == 200 else {
            throw Failure.failed(Failure.refused(answer.status, detail: answer.detail, address).message, 1)
        }
    }
}
