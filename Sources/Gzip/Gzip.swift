internal import CZlib

/// The bytes in the format of RFC 1952, if that makes them fewer.
///
/// The same bytes always give the same result: it carries neither a name nor a time.
///
/// - Parameter level: From 1, fast, to 9, small.
/// - Returns: Nil if the result would not be smaller, or if there is no memory for it.
public func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
    guard bytes.count > 1, let inputCount = UInt32(exactly: bytes.count) else { return nil }
    var isComplete = false
    // With room for one byte less, what would not be smaller does not fit.
    let coded = [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { output, count in
        count = bytes.withUnsafeBufferPointer { input in
            deflateWhole(input, inputCount, into: output, level)
        }
        isComplete = count > 0
    }
    return isComplete ? coded : nil
}

/// - Returns: How many bytes were written; 0 if they did not fit.
private func deflateWhole(
    _ input: UnsafeBufferPointer<UInt8>, _ inputCount: UInt32, into output: UnsafeMutableBufferPointer<UInt8>,
    _ level: Int32
) -> Int {
    var stream = z_stream()
    // zlib remembers where the stream is, so all calls are made with one pointer.
    return withUnsafeMutablePointer(to: &stream) { stream in
        guard liststate_gzip_start(stream, level) == Z_OK else { return 0 }
        defer { deflateEnd(stream) }
        // zlib only reads what it takes as mutable.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = inputCount
        stream.pointee.next_out = output.baseAddress
        // The room may be greater than what was asked for.
        stream.pointee.avail_out = inputCount - 1
        guard deflate(stream, Z_FINISH) == Z_STREAM_END else { return 0 }
        return Int(inputCount - 1 - stream.pointee.avail_out)
    }
}
