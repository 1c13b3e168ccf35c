import CCurl
import Glibc
import Texts

/// Sends a request over TLS, by libcurl, which is loaded for that. It checks certificates.
enum SecureClient {
    /// - Parameters:
    ///   - fields: Lines of the head, such as `Accept: application/json`.
    ///   - body: Nil for a request without a body.
    ///   - patience: The longest time in seconds in which nothing comes and nothing can be sent.
    ///   - reader: Gets the answer as it comes.
    static func send(
        _ method: String, _ url: String, fields: [String], body: [UInt8]?, patience: Int, to reader: AnswerReader
    ) throws(HTTPClient.Fault) {
        guard liststate_curl_load() != 0 else { throw .noLibrary }
        guard let fetch = liststate_fetch_new() else { throw .system(ENOMEM) }
        defer { liststate_fetch_free(fetch) }
        // As OpenSSL and curl(1) know it.
        let authorities = getenv("SSL_CERT_FILE").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        let lines = fields.map { strdup($0) }
        defer { for line in lines { free(line) } }
        let pointers = lines.map { UnsafePointer($0) }
        let code = method.withCString { method in
            pointers.withUnsafeBufferPointer { fields in
                (body ?? []).withUnsafeBytes { content in
                    withCString(authorities) { authorities in
                        var request = liststate_request(
                            method: method, fields: fields.baseAddress, field_count: fields.count,
                            body: body == nil ? nil : content.baseAddress, body_size: content.count,
                            authorities: authorities)
                        // The reader outlives the call, which is the only one that uses the pointer.
                        return liststate_fetch_send(
                            fetch, &request, url, patience, take, Unmanaged.passUnretained(reader).toOpaque())
                    }
                }
            }
        }
        guard code != timedOut else { throw .timedOut }
        guard code == 0 else { throw .secure(ByteText(String(cString: liststate_fetch_error(fetch))), code) }
    }

    /// `CURLE_OPERATION_TIMEDOUT`.
    private static let timedOut: Int32 = 28
    /// `CURLE_SSL_CONNECT_ERROR`: the other side does not do what TLS does at first.
    static let noTLS: Int32 = 35

    private static let take: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32 = {
        context, bytes, count in
        guard let context else { return 0 }
        let reader = Unmanaged<AnswerReader>.fromOpaque(context).takeUnretainedValue()
        return reader.add(UnsafeRawBufferPointer(start: bytes, count: count)) ? 1 : 0
    }

    private static func withCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }
}
