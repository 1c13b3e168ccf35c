// On Apple's platforms, the spans of arrays and strings are there from iOS 26 and macOS 26 on. The client in Swift is
// for older ones, too. `.ci/check-apple` finds what is not there.

extension ByteText {
    /// Calls `body` with the bytes in place.
    @inlinable @inline(__always)
    public func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        #if canImport(Darwin)
            var string = storage
            return string.withUTF8 { body($0.span) }
        #else
            return body(storage.utf8.span)
        #endif
    }
}

extension Array {
    /// Calls `body` with the elements in place.
    @inlinable @inline(__always)
    public func withSpan<Result>(_ body: (Span<Element>) -> Result) -> Result {
        #if canImport(Darwin)
            return withUnsafeBufferPointer { body($0.span) }
        #else
            return body(span)
        #endif
    }
}
