internal import CCurl
internal import JSONValue

/// Fetches keys from a URL by libcurl, with its check of certificates.
///
/// - Safety: `@unchecked` is sound because the pointer is a constant, and only `stop()` may be called while `get` runs.
///   `deinit` frees it, when nobody has a reference any more.
final class KeyFetcher: @unchecked Sendable {
    private let fetch: OpaquePointer

    /// Nil if there is no memory.
    init?() {
        guard let fetch = liststate_fetch_new() else { return nil }
        self.fetch = fetch
    }

    deinit { liststate_fetch_free(fetch) }

    /// Ends the fetch that is under way within a second. All others fail.
    func stop() { liststate_fetch_stop(fetch) }

    /// The document at the URL. Only one thread at a time may call this.
    func get(_ url: String, deadlineMilliseconds: Int) throws(KeySourceError) -> [UInt8] {
        guard liststate_curl_load() != 0 else { throw .noLibrary }
        var (count, status, code) = (0, 0, Int32(0))
        let bytes = [UInt8](unsafeUninitializedCapacity: WebKeys.bytesMax) { buffer, filled in
            code = liststate_fetch_get(
                fetch, url, deadlineMilliseconds, buffer.baseAddress, buffer.count, &count, &status)
            filled = code == 0 ? count : 0
        }
        guard code != -1 else { throw .tooLong }
        guard code == 0 else { throw .fetch(code: code, reason: ByteText(cString: liststate_fetch_error(fetch))) }
        guard status == 200 else { throw .status(status) }
        return bytes
    }
}
