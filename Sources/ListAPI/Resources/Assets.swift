internal import CAssets
internal import HTTPTypes
internal import Threads
internal import Microhttpd
internal import SHA256
internal import Texts

/// A file that is built into the program and sent unchanged.
final class Asset: Sendable {
    let bytes: [UInt8]
    /// The opaque part of the entity tag, made from the bytes.
    let tag: ByteText
    private let codedOnce: Once<[UInt8], Coded>

    private final class Coded: Sendable {
        let bytes: [UInt8]?

        init(_ bytes: [UInt8]?) {
            self.bytes = bytes
        }
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        tag = opaqueTag(of: [bytes])
        codedOnce = Once(from: bytes) { Coded(worthwhileGzip($0)) }
    }

    /// The bytes as gzip, made when the first client asks for them; nil if gzip is not worth it.
    var coded: [UInt8]? { codedOnce.value.bytes }
}

/// The opaque part of an entity tag that stands for some bytes: half of their SHA-256, as hexadecimal digits.
func opaqueTag(of parts: [[UInt8]]) -> ByteText {
    sha256(parts: parts).prefix(16).map { byte in
        ByteText((byte < 16 ? "0" : "") + String(byte, radix: 16))
    }.joined()
}

extension Asset {
    /// All files, by their names in `assets.c`.
    static let all: [ByteText: Asset] = {
        var count = 0
        let files = UnsafeBufferPointer(start: liststate_assets(&count), count: count)
        return Dictionary(
            uniqueKeysWithValues: files.map { file in
                let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
                return (ByteText(cString: file.name), Asset(Array(bytes)))
            })
    }()
}

extension API {
    /// `GET /openapi.yaml`: the contract of this program.
    func getContract(_ call: Call) throws(Problem) -> Answer {
        try send("openapi.yaml", .content(MediaType.yaml), call)
    }

    /// Sends a file: 304 if the client has it already, otherwise 200.
    ///
    /// - Throws: `not_found` if there is no such file.
    func send(_ name: ByteText, _ fields: Response.Fields, _ call: Call) throws(Problem) -> Answer {
        guard let asset = Asset.all[name] else { throw Problem(.notFound, "There is no such file.") }
        let isKnown = call.head.ifNoneMatch?.matches(asset.tag) == true
        let coded = call.head.wantsGzip ? asset.coded : nil
        var fields = fields
        fields.append(Response.Field("ETag", coded == nil ? "\"\(asset.tag)\"" as ByteText : "\"\(asset.tag)+gzip\""))
        if coded != nil, !isKnown { fields.append(.gzip) }
        fields.append(call.trace, id: call.trace.sentID)
        return .send(
            Response(status: isKnown ? .notModified : .ok, fields: fields, body: isKnown ? [] : coded ?? asset.bytes))
    }
}
