import CGnuTLS
import Glibc
import Texts

/// Sends a request over TLS, by libcurl, which is loaded for that. It checks certificates.
enum SecureClient {
    /// - Parameters:
    ///   - fields: Lines of the head, such as `Accept: application/json`.
    ///   - body: Nil for a request without a body.
    ///   - seconds: The time for all of it.
    static func send(
        _ method: String, _ url: String, fields: [String], body: [UInt8]?, seconds: Int, bytesMax: Int
    ) throws(HTTPClient.Fault) -> HTTPClient.Answer {
        guard liststate_curl_load() != 0 else { throw .noLibrary }
        guard let fetch = liststate_fetch_new() else { throw .system(ENOMEM) }
        defer { liststate_fetch_free(fetch) }
        // As OpenSSL and curl(1) know it.
        let authorities = getenv("SSL_CERT_FILE").map { String(cString: $0) }
        let lines = fields.map { strdup($0) }
        defer { for line in lines { free(line) } }
        let pointers = lines.map { UnsafePointer($0) }
        var (count, status, code) = (0, 0, Int32(0))
        let bytes = [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, filled in
            code = method.withCString { method in
                pointers.withUnsafeBufferPointer { fields in
                    (body ?? []).withUnsafeBytes { content in
                        withCString(authorities) { authorities in
                            var request = liststate_request(
                                method: method, fields: fields.baseAddress, field_count: fields.count,
                                body: body == nil ? nil : content.baseAddress, body_size: content.count,
                                authorities: authorities)
                            return liststate_fetch_send(
                                fetch, &request, url, seconds * 1_000, buffer.baseAddress, buffer.count, &count, &status
                            )
                        }
                    }
                }
            }
            filled = code == 0 ? count : 0
        }
        guard code != -1 else { throw .noAnswer }
        guard code == 0 else { throw .secure(ByteText(String(cString: liststate_fetch_error(fetch))), code) }
        return HTTPClient.Answer(status: status, body: bytes)
    }

    private static func withCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }
}
