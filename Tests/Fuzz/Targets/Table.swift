// The targets, and what they share. A closure that C calls must not stand in main.swift, where it would belong to the
// main actor.

typealias Target = @convention(c) @Sendable (UnsafePointer<UInt8>?, Int) -> Int32

let targets: [(name: String, test: Target)] = [
    ("heads", { bytes, count in tryHead(array(bytes, count)) }),
    ("json", { bytes, count in tryJSON(array(bytes, count)) }),
    ("transactions", { bytes, count in tryWrite("/v1/lists/l/transactions", array(bytes, count)) }),
    ("reorders", { bytes, count in tryWrite("/v1/lists/l/reorders", array(bytes, count)) }),
    ("lines", { bytes, count in tryLines(array(bytes, count)) }),
    ("pages", { bytes, count in tryPages(array(bytes, count)) }),
]

func array(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: bytes, count: count))
}

/// Ends the process if a rule does not hold. libFuzzer writes the bytes of the target to a file.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
    if !holds { fatalError(rule()) }
}
