import HTTPTypes
import JSONValue
import ListStore
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Decisions before the body of a request is read, and refusals of the HTTP server.
@Suite struct AdmissionTests {
    private static let chunked: HTTPFields = [.transferEncoding: "chunked"]

    /// The length of a chunked body is nil.
    static let limits: [(method: HTTPRequest.Method, path: String, length: Int?, limit: Int)] = [
        (.put, "/v1/lists/l", 3_000, 4_000),
        (.put, "/v1/lists/l", nil, 4_000),
        (.put, "/v1/lists/l", 100, 2_000),
        (.put, "/v1/lists/l/sections/s", 3_000, 2_000),
        (.put, "/v1/lists/%zz", 3_000, 2_000),
        (.post, "/v1/lists/l", 3_000, 2_000),
        (.post, "/v1/lists", 3_000, 4_000),
        (.post, "/v1/lists", nil, 4_000),
        (.post, "/v1/lists", 100, 2_000),
        (.post, "/v1/list%73", 3_000, 4_000),
        (.post, "/%76%31/lists", nil, 4_000),
        (.post, "/v1/list%73/l", 3_000, 2_000),
        (.post, "/v1/lists/l/items", 3_000, 2_000),
        (.patch, "/v1/lists/l", 3_000, 2_000),
        (.get, "/v1/lists/l", 3_000, 2_000),
    ]

    @Test(arguments: limits.indices)
    func bodiesAreBounded(_ index: Int) throws {
        let row = Self.limits[index]
        let fields: HTTPFields = row.length.map { [.contentLength: String($0)] } ?? Self.chunked
        let head = RequestHead(method: row.method, path: ByteText(row.path), query: [], fields: fields)
        guard case .accept(let limit, _) = try Harness().api.admit(head) else {
            Issue.record("refused")
            return
        }
        #expect(limit == row.limit)
    }

    static let refusals: [(refusal: Refusal, status: Int, code: String)] = [
        (.stopping, 503, "stopping"),
        (.tooManyConnections(limit: 7), 503, "too_many_connections"),
        (.tooManyConnectionsOfAddress(limit: 7), 429, "too_many_connections_of_address"),
        (.overloaded, 503, "overloaded"),
        (.badFraming(.lengthAndCoding), 400, "bad_request"),
        (.unsupportedTransferCoding, 501, "not_implemented"),
        (.badField, 400, "bad_request"),
        (.missingHost, 400, "bad_request"),
        (.repeatedHost, 400, "bad_request"),
        (.repeatedAuthorization, 400, "bad_request"),
        (.methodNotImplemented, 501, "not_implemented"),
        (.badTarget, 400, "bad_path"),
        (.expectationFailed, 417, "expectation_failed"),
        (.badFraming(.bareLineFeed), 400, "bad_request"), (.badFraming(.foldedField), 400, "bad_request"),
        (.badFraming(.nul), 400, "bad_request"), (.badFraming(.emptyName), 400, "bad_request"),
        (.badFraming(.badChunk), 400, "bad_request"), (.badFraming(.unclearEnd), 400, "bad_request"),
        (.targetTooLong, 414, "target_too_long"),
        (.headTooLarge, 431, "head_too_large"),
        (.bodyTooLarge(limit: 2_000), 413, "body_too_large"),
    ]

    @Test(arguments: refusals.indices)
    func refusalsAreProblems(_ index: Int) throws {
        let row = Self.refusals[index]
        let response = try Harness().api.refusal(row.refusal, head: nil)
        let json = try JSONValue(parsing: response.body)
        #expect(response.status.code == row.status)
        #expect(response.status.code == row.refusal.status.code)
        #expect(json["code"] == .string(row.code))
    }

    /// A server that is full or stopping must pass health checks, or it would be killed for being busy.
    @Test(arguments: refusals.indices)
    func aBusyServerIsAlive(_ index: Int) throws {
        let row = Self.refusals[index]
        let isOfCapacity = ["stopping", "too_many_connections", "too_many_connections_of_address", "overloaded"]
            .contains(row.code)
        for path in ["/healthz", "/readyz"] {
            let head = RequestHead(method: .get, path: ByteText(path), query: [], fields: [:])
            let response = try Harness().api.refusal(row.refusal, head: head)
            let isAlive = isOfCapacity && path == "/healthz"
            #expect(response.status.code == (isAlive ? 200 : row.status))
            if isAlive { #expect(String(decoding: response.body, as: UTF8.self) == #"{"status":"ok"}"#) }
        }
    }

    @Test func theLimitOfABodyIsNamed() throws {
        let api = try Harness().api
        for (path, name) in [("/v1/lists/l", "listBodyBytesMax"), ("/v1/lists/l/sections/s", "bodyBytesMax")] {
            let head = RequestHead(method: .put, path: ByteText(path), query: [], fields: Self.chunked)
            let response = api.refusal(.bodyTooLarge(limit: 7), head: head)
            #expect(try JSONValue(parsing: response.body)["limit"] == ["name": .string(name), "value": 7])
        }
    }

    static let journalErrors: [(error: JournalError, status: Int)] = [
        (.full, 507), (.io("x"), 503), (.corrupt("x"), 503), (.otherFormat(4, newest: 3), 503), (.locked("x"), 503),
        (.readOnly("x"), 503),
        (.closed, 503),
    ]

    /// The client is not told which file failed; only the log is.
    @Test(arguments: journalErrors.indices)
    func journalErrorsSayNothingOfFiles(_ index: Int) {
        let row = Self.journalErrors[index]
        let problem = Problem(row.error)
        #expect(problem.status.code == row.status)
        #expect((problem.fields[.retryAfter] != nil) == (row.status == 503))
        #expect(problem.cause == "\(row.error)")
    }

    @Test func everyCodeHasItsOwnName() {
        #expect(Set(ProblemCode.allCases.map(\.rawValue)).count == ProblemCode.allCases.count)
        #expect(Set(ProblemCode.allCases.map(\.title)).count == ProblemCode.allCases.count)
    }
}
