import Glibc
import HTTPTypes
import JSONValue
import ListAPI
import Microhttpd
import Texts
import Threads

/// A file with a line for each request that is over.
///
/// No request waits for the disk: lines wait in memory, and those beyond a bound are lost and counted (`LogStream`).
final class AccessLog: Sendable {
    private let file: AppendedFile
    private let stream: LogStream
    private let format: LogFormat

    /// - Parameter complain: Is told why the file could not be opened again. Lines go to the file from before then.
    init(_ path: String, _ format: LogFormat, complain: @escaping @Sendable (String) -> Void) throws(Failure) {
        self.format = format
        let file = try AppendedFile(path, complain: complain)
        self.file = file
        do throws(ThreadError) { stream = try LogStream { file.write($0) } } catch {
            throw .failed("No thread could be started: error \(error.code).", 75)
        }
    }

    func write(_ line: RequestLine) {
        let values = line.values(at: currentMilliseconds())
        switch format {
        case .text: stream.write(bytes: Self.text(values))
        case .json: stream.write(bytes: Self.json(values))
        }
    }

    /// Opens the file again, because somebody has moved it away.
    func reopen() {
        file.reopen()
        stream.call()
    }

    func flush(seconds: Int) { stream.flush(seconds: seconds) }

    /// The lines that were lost since the start.
    var lostCount: Int { stream.lostCount }

    /// The pairs of a line, each as `name=value`. A value that is not there is `-`.
    static func text(_ values: [(name: ByteText, value: JSONValue)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in values {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
            bytes += name.utf8
            bytes.append(UInt8(ascii: "="))
            if case .string(let text) = value { append(plain: text, to: &bytes) } else { append(value, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
        if value == .null { bytes.append(UInt8(ascii: "-")) } else { bytes += value.bytes }
    }

    /// A line is one line, and a value has no space, whatever a client sends: other bytes than those of visible ASCII
    /// are percent-encoded.
    private static func append(plain text: ByteText, to bytes: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "\"") {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }

    /// The pairs of a line as a JSON object, without those that are not there.
    static func json(_ values: [(name: ByteText, value: JSONValue)]) -> [UInt8] {
        let present: [JSONObject.Member] = values.filter { $0.value != .null }.map { ($0.name, $0.value) }
        return JSONValue.object(JSONObject(present)).bytes + [UInt8(ascii: "\n")]
    }
}

extension RequestLine {
    /// The parts of a line of the access log, in order.
    ///
    /// - Parameter time: Milliseconds since 1970.
    func values(at time: UInt64) -> [(name: ByteText, value: JSONValue)] {
        func text(_ text: ByteText?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            ("time", .string(Timestamp.text(milliseconds: time))),
            ("request", text(id)),
            ("client", text(client.map(\.text))),
            ("actor", text(actor)),
            ("method", .string(ByteText(method.rawValue))),
            ("path", .string(path)),
            ("list", text(list)),
            ("version", text(version)),
            ("status", status.map { .integer($0.code) } ?? .null),
            ("code", text(code.map { ByteText($0.rawValue) })),
            ("bytes", .integer(bytes)),
            ("microseconds", .integer(Int(clamping: microseconds))),
            ("traceparent", text(traceparent.flatMap { TraceParent($0) != nil ? $0 : nil })),
        ]
    }
}

/// A file to whose end bytes are added.
private final class AppendedFile: Sendable {
    private struct State: Sendable {
        var descriptor: Int32
        var mustReopen = false
    }

    private let path: String
    private let complain: @Sendable (String) -> Void
    private let state: Locked<State>

    init(_ path: String, complain: @escaping @Sendable (String) -> Void) throws(Failure) {
        let descriptor = Self.open(path)
        guard descriptor >= 0 else { throw .file(errno, path) }
        self.path = path
        self.complain = complain
        state = Locked(State(descriptor: descriptor))
    }

    deinit { close(state.withLock { $0.descriptor }) }

    private static func open(_ path: String) -> Int32 {
        Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o640)
    }

    /// Has the file opened again before the next bytes.
    func reopen() { state.withLock { $0.mustReopen = true } }

    /// Adds bytes. What cannot be written is lost. Only one thread calls this.
    func write(_ bytes: [UInt8]) {
        let (old, mustReopen) = state.withLock { state in
            defer { state.mustReopen = false }
            return (state.descriptor, state.mustReopen)
        }
        var descriptor = old
        if mustReopen {
            let opened = Self.open(path)
            if opened >= 0 {
                descriptor = opened
                state.withLock { $0.descriptor = opened }
                close(old)
            } else {
                complain("\(path) cannot be opened again: \(String(cString: strerror(errno))).")
            }
        }
        writeAll(bytes, to: descriptor)
    }
}
