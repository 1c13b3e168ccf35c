internal import CZlib

/// Decompresses a gzip body.
///
/// - Throws: `NotGzip` if the bytes are not exactly one gzip member.
public func gunzipped(_ coded: [UInt8]) throws -> [UInt8] {
    var stream = z_stream()
    return try withUnsafeMutablePointer(to: &stream) { stream in
        guard liststate_gunzip_start(stream) == Z_OK else { throw NotGzip(code: Z_MEM_ERROR) }
        defer { inflateEnd(stream) }
        var input = coded
        var output: [UInt8] = []
        return try input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            var code = Z_OK
            while code == Z_OK { code = inflatePart(stream, &output) }
            guard code == Z_STREAM_END, stream.pointee.avail_in == 0 else { throw NotGzip(code: code) }
            return output
        }
    }
}

public struct NotGzip: Error {
    /// The result code of zlib.
    public let code: Int32
}

private func inflatePart(_ stream: UnsafeMutablePointer<z_stream>, _ output: inout [UInt8]) -> Int32 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { part in
        stream.pointee.next_out = part.baseAddress
        stream.pointee.avail_out = UInt32(part.count)
        let code = inflate(stream, Z_NO_FLUSH)
        output.append(contentsOf: part[..<(part.count - Int(stream.pointee.avail_out))])
        return code
    }
}
