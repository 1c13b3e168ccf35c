import Glibc
import JSONValue

extension ServerAddress {
    /// Sends a write and returns its result.
    ///
    /// - Throws: `.client` if there is no answer, `.refused` if the answer is not a success.
    func ask(_ method: String, _ path: String, json: JSONValue? = nil) throws(Failure) -> JSONObject {
        let answer = try answer(method, path, json: json)
        // The deepest answer: {"changes":{"sections":{"inserted":[{"section":{"items":[{"content":…}]}}]}}}
        guard case .object(let body)? = try? JSONValue(parsing: answer.body, levelsAround: 8) else {
            throw .refused(answer.status, detail: answer.detail, self)
        }
        return body
    }

    /// Sends a request with the token of the environment, if there is one, and returns the answer.
    ///
    /// - Throws: As `ask`.
    func answer(_ method: String, _ path: String, json: JSONValue? = nil) throws(Failure) -> HTTPClient.Answer {
        let fields = try credentials(Environment.token())
        let answer: HTTPClient.Answer
        do throws(HTTPClient.Fault) {
            answer = try HTTPClient(address: self, patience: 60).send(method, path, fields: fields, json: json?.bytes)
        } catch {
            throw .client(error, self)
        }
        guard answer.status < 300 else {
            let advice = answer.status == 401 && fields.isEmpty ? " Put it into \(Environment.tokenVariable)." : ""
            throw .refused(answer.status, detail: answer.detail + advice, self)
        }
        return answer
    }

    /// The field with a token; none if there is no token.
    ///
    /// - Throws: `.failed` if others could read the token on its way.
    func credentials(_ token: String?) throws(Failure) -> [(name: String, value: String)] {
        guard let token else { return [] }
        guard isPrivate else {
            throw .failed(
                """
                The token would go to \(self) for everybody on the way to read. Use https, or a server on this machine.
                """, 64)
        }
        return [("Authorization", "Bearer \(token)")]
    }
}

extension HTTPClient.Answer {
    /// The detail or the title of a problem; empty if the answer is not a problem.
    var detail: String {
        guard case .object(let problem)? = try? JSONValue(parsing: body) else { return "" }
        guard case .string(let detail)? = problem["detail"] ?? problem["title"] else { return "" }
        return detail.description
    }
}

/// The bytes of a file.
///
/// - Throws: `.file` if the file cannot be read, also if it is larger than 16 MiB.
func bytes(of path: String) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(errno, path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= 16 * 1024 * 1024 {
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 {
            bytes += buffer.prefix(count)
        } else if count == 0 {
            return bytes
        } else if errno != EINTR {
            throw .file(errno, path)
        }
    }
    throw .file(EFBIG, path)
}
