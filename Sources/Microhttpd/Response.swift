internal import CMicrohttpd
public import HTTPTypes

/// A complete answer.
///
/// The engine's own form of it is made when it is sent, and freed when it is out. An answer that is sent again and
/// again is a `PreparedResponse`.
///
/// A large body goes out as it is, without a copy. `Content-Length`, `Date` and `Connection` are written by the
/// engine: a `Content-Length` among `fields` is left out, as is a field with an empty value.
public final class Response: Sendable {
    public let status: HTTPResponse.Status
    /// The content, as it is sent.
    public let body: [UInt8]

    let lines: Fields
    let others: HTTPFields?

    /// - Parameters:
    ///   - fields: The fields, which are sent as they are, in this order.
    ///   - others: The fields that are sent after these, for the rare answer whose fields are not known beforehand.
    public init(status: HTTPResponse.Status, fields: Fields, others: HTTPFields? = nil, body: [UInt8]) {
        self.status = status
        self.body = body
        lines = fields
        self.others = others
    }

    /// The same response with further fields.
    public func adding(_ fields: Fields) -> Response {
        Response(status: status, fields: lines + fields, others: others, body: body)
    }

    /// The same response with further fields and another status, such as 304 with the fields of the 200.
    public func adding(_ fields: Fields, as status: HTTPResponse.Status) -> Response {
        Response(status: status, fields: lines + fields, others: others, body: body)
    }

    /// The same response with other fields in the place of those that were known when the program was built.
    public func replacingFields(_ change: (Fields) -> Fields) -> Response {
        Response(status: status, fields: change(lines), others: others, body: body)
    }

    /// Hands the response to the engine, which keeps it until it is out.
    ///
    /// - Returns: False if the engine is out of memory or cannot take an answer now; the connection
    ///   is then to be closed.
    func queue(on connection: OpaquePointer) -> Bool {
        guard let handle = makeEngineResponse() else { return false }
        defer { MHD_destroy_response(handle) }  // The engine has a reference of its own.
        return MHD_queue_response(connection, UInt32(status.code), handle) == .YES
    }
}

// MARK: - The engine's form

extension Response {
    /// The engine's form, which the caller destroys; nil if the engine is out of memory.
    fileprivate func makeEngineResponse() -> OpaquePointer? {
        guard let handle = makeEngineBody() else { return nil }
        addFields(to: handle)
        return handle
    }

    func addFields(to handle: OpaquePointer) {
        lines.forEach { name, value in _ = MHD_add_response_header(handle, name, value) }
        guard let others else { return }
        for field in others where field.name != .contentLength {
            field.name.rawName.withCString { name in
                field.value.withCString { _ = MHD_add_response_header(handle, name, $0) }
            }
        }
    }

    /// The array is a constant of a class and never bridged on Linux, so its elements keep their
    /// address for as long as this object lives: until `releaseBody`.
    private func makeEngineBody() -> OpaquePointer? {
        guard !body.isEmpty else {
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        }
        let address = body.withUnsafeBytes { UnsafeMutableRawPointer(mutating: $0.baseAddress) }
        let retained = Unmanaged.passRetained(self)  // `releaseBody` releases it.
        let handle = MHD_create_response_from_buffer_with_free_callback_cls(
            body.count, address, releaseBody, retained.toOpaque())
        if handle == nil { retained.release() }
        return handle
    }
}

/// The engine calls this on the thread that drops its last reference.
private let releaseBody: MHD_ContentReaderFreeCallback = { response in
    guard let response else { return }
    Unmanaged<Response>.fromOpaque(response).release()
}

/// A response whose form for the engine is made once and sent any number of times.
///
/// Immutable, so any number of connections on any number of loops may send the same one at the same
/// time. The engine counts the connections that still send it; its memory is freed when the last of
/// them and the last Swift reference are gone.
///
/// - Safety: `@unchecked` is sound because every stored property is a constant, and the engine
///   guards the count inside `handle` with a lock of its own.
public final class PreparedResponse: @unchecked Sendable {
    public let response: Response
    let content: UnsentContent
    private let handle: OpaquePointer?
    let route: UInt8

    /// - Parameter route: The number of the route whose answers these are, as in `RequestHead.note(route:)`.
    public init(_ response: Response, route: Int = 0) {
        self.response = response
        content = UnsentContent(response.body)
        self.route = UInt8(clamping: min(route, Tally.routesMax))
        handle = response.makeEngineResponse()
    }

    deinit {
        guard let handle else { return }
        MHD_destroy_response(handle)
    }

    /// Hands the response to the engine, which takes a reference of its own.
    ///
    /// - Returns: As `Response.queue` does.
    func queue(on connection: OpaquePointer, status: HTTPResponse.Status) -> Bool {
        guard let handle else { return false }
        return MHD_queue_response(connection, UInt32(status.code), handle) == .YES
    }
}
