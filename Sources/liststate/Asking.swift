import Glibc
import JSONValue
import Texts

extension ServerAddress {
    /// Sends a write and answers with its result.
    ///
    /// - Throws: `.client` where there is no answer, `.refused` where it is a problem.
    func ask(_ method: String, _ path: String, json: JSONValue? = nil) throws(Failure) -> JSONObject {
        let answer: HTTPClient.Answer
        do throws(HTTPClient.Fault) {
            let client = HTTPClient(address: self, patience: 60)
            answer = try client.send(method, path, json: json?.bytes)
        } catch {
            throw .client(error, self)
        }
        // {"changes":{"sections":{"inserted":[{"section":{"items":[{"content":…}]}}]}}}
        guard case .object(let body)? = try? JSONValue(parsing: answer.body, levelsAround: 8), answer.status < 300
        else {
            throw .refused(answer.status, detail: answer.detail, self)
        }
        return body
    }
}

extension HTTPClient.Answer {
    /// What a problem says of itself; empty for what is none.
    var detail: String {
        guard case .object(let problem)? = try? JSONValue(parsing: body) else { return "" }
        guard case .string(let detail)? = problem["detail"] ?? problem["title"] else { return "" }
        return detail.description
    }
}

/// The bytes of a file.
///
/// - Throws: `.file`; also for one that is larger than any file that a command here reads.
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
