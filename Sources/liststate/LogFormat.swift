import ArgumentParser
import Glibc
import JSONValue
import Logging
import Texts

/// The form of the lines of the log and of the access log.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json

    func handler(_ label: String, _ stream: LogStream) -> any LogHandler {
        switch self {
        case .text: StreamLogHandler(label: label, stream: stream, metadataProvider: nil)
        case .json: JSONLogHandler(stream: stream)
        }
    }
}

/// Writes each line of the log as a JSON object: time, level and message, and then what belongs to the message.
struct JSONLogHandler: LogHandler {
    let stream: LogStream
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }.sorted { $0.key < $1.key }
        let line: [JSONObject.Member] =
            [
                ("time", .string(Timestamp.now)), ("level", .string(ByteText(event.level.rawValue))),
                ("message", .string(ByteText("\(event.message)"))),
            ] + all.map { (ByteText($0.key), .string(ByteText("\($0.value)"))) }
        stream.write(bytes: JSONValue.object(JSONObject(line)).bytes + [UInt8(ascii: "\n")])
    }
}

/// The time of day in UTC, such as `2026-01-31T12:00:00.250Z`.
enum Timestamp {
    static var now: ByteText { text(milliseconds: currentMilliseconds()) }

    /// - Parameter milliseconds: Since 1970.
    static func text(milliseconds: UInt64) -> ByteText {
        var seconds = Int(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = "\(parts.tm_year + 1_900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
        let time = "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
        return ByteText("\(date)T\(time).\(digits(Int32(milliseconds % 1_000), count: 3))Z")
    }

    private static func digits(_ number: Int32, count: Int = 2) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
