internal import CMicrohttpd
internal import Glibc
internal import HTTPTypes

/// A small response in the engine's form, filled anew for one request after another.
///
/// The engine copies each field into memory of its own, and frees it all when the response is out: for a small answer
/// that is more work than to write it. But it reads fields and body only from when the response is queued until the
/// request is over, and what it reads are plain bytes that nobody else refers to. So between two requests they can
/// be written over, by as many others.
///
/// Touched only on the thread of its loop.
final class EngineResponse {
    /// A field, and the engine's copy of its value.
    private typealias Slot = (name: StaticString, value: UnsafeMutableRawBufferPointer)

    private let handle: OpaquePointer
    private let slots: [Slot]
    /// The engine's too, once there is a handle: it frees the body with it.
    private let body: UnsafeMutableRawBufferPointer

    /// Bytes of the longest body that is worth copying.
    private static let bodyBytesMax = 1024

    /// - Returns: Nil if the response had better be sent as it is, or the engine is out of memory.
    init?(_ response: Response) {
        let count = response.body.count
        // Some memory is needed even for none.
        guard response.others == nil, count <= Self.bodyBytesMax, let body = malloc(max(count, 1)) else { return nil }
        guard let handle = MHD_create_response_from_buffer(count, body, .RESPMEM_MUST_FREE) else {
            free(body)
            return nil
        }
        response.addFields(to: handle)
        var values: [UnsafeMutableRawBufferPointer] = []
        withUnsafeMutablePointer(to: &values) { _ = MHD_get_response_headers(handle, noteValue, $0) }
        self.handle = handle
        self.body = UnsafeMutableRawBufferPointer(start: body, count: count)
        slots = zip(response.lines, values).map { ($0.name, $1) }
        // Not if the engine has left out a field, or keeps one in another form.
        guard values.count == slots.count, become(response) else { return nil }
    }

    deinit { MHD_destroy_response(handle) }

    var bodyBytes: Int { body.count }

    /// Takes over what the response says.
    ///
    /// - Returns: False if that has another shape, or the engine would not send it as it is. Nobody must be sent this
    ///   one then, but it can still become another.
    func become(_ response: Response) -> Bool {
        guard response.others == nil, response.body.count == body.count, response.lines.count == slots.count else {
            return false
        }
        // By index, because each element that is taken out of the array is counted.
        for index in slots.indices {
            guard response.lines[index].name.utf8Start == slots[index].name.utf8Start else { return false }
            let isWritten = response.lines[index].value.utf8.span.withUnsafeBytes {
                Self.write($0, over: slots[index].value)
            }
            guard isWritten else { return false }
        }
        response.body.withUnsafeBytes { body.copyMemory(from: $0) }
        return true
    }

    private static func write(_ value: UnsafeRawBufferPointer, over old: UnsafeMutableRawBufferPointer) -> Bool {
        guard let start = value.baseAddress, let oldStart = old.baseAddress, value.count == old.count else {
            return false
        }
        guard memcmp(start, oldStart, value.count) != 0 else { return true }
        // What could end the value or the line.
        guard !hasControl(value) else { return false }
        old.copyMemory(from: value)
        return true
    }

    /// Hands the response to the engine, which reads it until the request is over.
    func queue(on connection: OpaquePointer, status: HTTPResponse.Status) -> Bool {
        MHD_queue_response(connection, UInt32(status.code), handle) == .YES
    }
}

/// The engine made its copy with `strdup`, and shows it as a constant because another length would not fit.
private let noteValue: MHD_KeyValueIterator = { values, _, _, value in
    guard let values, let value else { return .NO }
    let bytes = UnsafeMutableRawBufferPointer(start: UnsafeMutablePointer(mutating: value), count: strlen(value))
    values.assumingMemoryBound(to: [UnsafeMutableRawBufferPointer].self).pointee.append(bytes)
    return .YES
}
