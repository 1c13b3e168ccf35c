internal import CPostgreSQL
internal import ListStore

/// The way to a database, as libpq understands it: `postgres://…` with everything that libpq allows in it.
///
/// It may hold a password, so it has no description, and no error of it repeats a part of the text.
struct ConnectionString: Sendable {
    /// The parameters of libpq, without those that it takes from its defaults, the environment or a file.
    private(set) var parameters: [(keyword: String, value: String)]

    /// - Throws: `.io` if libpq is not there, or cannot make sense of the text.
    init(_ text: String) throws(JournalError) {
        guard liststate_pq_load() != 0 else { throw .io("libpq.so.5 cannot be loaded: install libpq5") }
        var error: UnsafeMutablePointer<CChar>?
        let options = liststate_pq_conninfo_parse(text, &error)
        defer {
            if let error { liststate_pq_free(error) }
            if let options { liststate_pq_conninfo_free(options) }
        }
        // The error of libpq is not shown, because it repeats parts of the text, and one could be the password.
        guard let options else { throw .io("libpq cannot read the URL of the store") }
        parameters = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                parameters.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        let isPort = self["port"]?.utf8.allSatisfy { $0 == UInt8(ascii: ",") || Self.digits ~= $0 } ?? true
        guard isPort, !Self.isSplit(text) else {
            throw .io("the URL of the store needs %40, %2F, %3F and %23 in the place of @, /, ? and # in a password")
        }
        for (keyword, value) in Self.defaults where self[keyword] == nil { parameters.append((keyword, value)) }
        parameters.removeAll { $0.keyword == "client_encoding" }
        parameters.append(("client_encoding", "UTF8"))
    }

    /// Whether a part of a password may have become a host, a port, a database or a parameter.
    ///
    /// In a URL the only "@" stands before the first "/", "?" or "#", unless such a character is a part of the password.
    private static func isSplit(_ text: String) -> Bool {
        guard let scheme = text.firstRange(of: "://") else { return false }
        let rest = text[scheme.upperBound...].utf8
        let ats = rest.indices.filter { rest[$0] == UInt8(ascii: "@") }
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        return ats.count > 1 || ats.contains { $0 > end }
    }

    /// Lost hosts are noticed in seconds, and of several hosts the one is taken that can be written to.
    private static let defaults = [
        ("connect_timeout", "5"), ("target_session_attrs", "read-write"), ("tcp_user_timeout", "10000"),
        ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
        ("fallback_application_name", "liststate"),
    ]

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    subscript(keyword: String) -> String? { parameters.last { $0.keyword == keyword }?.value }

    /// A text of libpq or of a server, in one line and without the password.
    func redacted(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for secret in ["password", "sslpassword"].compactMap({ self[$0] }) where !secret.isEmpty {
            bytes.replace(Array(secret.utf8), with: Array("***".utf8))
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        return String(decoding: Array(lines.joined(separator: "; ".utf8)), as: UTF8.self)
    }

    /// Runs `body` with the parameters as libpq takes them.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let keywords = parameters.map { Self.copy($0.keyword) } + [nil]
        let values = parameters.map { Self.copy($0.value) } + [nil]
        defer { for pointer in keywords + values { pointer?.deallocate() } }
        return body(keywords, values)
    }

    private static func copy(_ text: String) -> UnsafePointer<CChar>? {
        let bytes = Array(text.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return UnsafePointer(copy)
    }
}
