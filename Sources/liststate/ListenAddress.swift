import ArgumentParser
import ListAPI
import Logging
import Microhttpd

/// An address to listen on, such as `127.0.0.1:9100` or `[::1]:9100`.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
    /// An address in numbers.
    let host: String
    let port: UInt16

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...])
        else { return nil }
        var host = argument[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.host = host.lowercased() == "localhost" ? "127.0.0.1" : String(host)
        self.port = port
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The most connections, which are only of programs that gather metrics.
    private static let connectionsMax = 64

    /// Serves metrics, and nothing else, to everybody who reaches the address.
    func serveMetrics(_ page: @escaping @Sendable () -> [UInt8], _ logger: Logger) throws(Failure) -> Server {
        var configuration = Server.Configuration(
            host: host, port: port, loopCount: 1, connectionsMax: Self.connectionsMax,
            connectionsPerAddressMax: Self.connectionsMax, requestDeadlineSeconds: 10, idleTimeoutSeconds: 60,
            listenBacklog: Self.connectionsMax)
        configuration.connectionsReserve = 8
        do throws(ServerError) {
            let server = try Server(configuration, handler: MetricsListener(page: page))
            let place = ListenAddress(host: host, port: server.port)
            logger.notice("GET http://\(place)/metrics has the metrics, for everybody who reaches it.")
            return server
        } catch {
            let failure = Failure.server(error)
            throw .failed("--metrics-address \(self): \(failure.message)", failure.exitCode)
        }
    }

    private init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }
}
