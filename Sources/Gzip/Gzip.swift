internal import CZlib

/// Compresses bytes to the format of RFC 1952 (gzip), if that makes them fewer.
///
/// The same bytes always give the same result, because it holds neither a name nor a time.
///
/// - Returns: Nil if the result would not be smaller, if there is no memory for it, or if the input has 4 GiB or more.
public func gzip(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count > 1, let inputCount = UInt32(exactly: bytes.count) else { return nil }
    var isComplete = false
    // The output has room for one byte less than the input, so a result that is not smaller does not fit.
    let coded = [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { output, count in
        count = bytes.withUnsafeBufferPointer { input in
            deflateWhole(input, inputCount, into: output)
        }
        isComplete = count > 0
    }
    return isComplete ? coded : nil
}

/// The level, from 1 (fast) to 9 (small).
private let level: Int32 = 6

/// - Returns: The number of bytes written; 0 if the result did not fit or there was no memory.
private func deflateWhole(
    _ input: UnsafeBufferPointer<UInt8>, _ inputCount: UInt32, into output: UnsafeMutableBufferPointer<UInt8>
) -> Int {
    var stream = z_stream()
    // zlib keeps a pointer to the stream and compares it, so all calls must pass the same pointer.
    return withUnsafeMutablePointer(to: &stream) { stream in
        guard liststate_gzip_start(stream, level) == Z_OK else { return 0 }
        defer { deflateEnd(stream) }
        // zlib only reads the input, although its declaration says mutable.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = inputCount
        stream.pointee.next_out = output.baseAddress
        // Swift may allocate more room than it was asked for, so the room is counted from the input.
        stream.pointee.avail_out = inputCount - 1
        guard deflate(stream, Z_FINISH) == Z_STREAM_END else { return 0 }
        return Int(inputCount - 1 - stream.pointee.avail_out)
    }
}
