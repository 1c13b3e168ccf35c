public import HTTPTypes
@testable public import Microhttpd

extension Response {
    /// The fields that are sent, without those that the engine adds.
    public var fields: HTTPFields {
        var all = HTTPFields()
        lines.forEach { name, value in
            guard let name = HTTPField.Name(String(cString: name)) else { return }
            all.append(HTTPField(name: name, value: String(cString: value)))
        }
        if let others { all.append(contentsOf: others) }
        return all
    }
}

extension Refusal {
    /// The status that HTTP assigns to this fault.
    public var status: HTTPResponse.Status {
        switch self {
        case .stopping, .tooManyConnections, .overloaded: .serviceUnavailable
        case .tooManyConnectionsOfAddress: .tooManyRequests
        case .badFraming, .badField, .missingHost, .repeatedHost, .repeatedAuthorization, .badTarget: .badRequest
        case .unsupportedTransferCoding, .methodNotImplemented: .notImplemented
        case .expectationFailed: .expectationFailed
        case .targetTooLong: .uriTooLong
        case .headTooLarge: .requestHeaderFieldsTooLarge
        case .bodyTooLarge: .contentTooLarge
        }
    }
}
