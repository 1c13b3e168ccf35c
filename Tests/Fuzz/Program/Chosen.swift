// A closure that C calls must not stand in main.swift, where it would belong to the main actor.

import Glibc

/// The target that the environment names; nil if there is none of that name.
let chosen = getenv("FUZZ_TARGET").flatMap { name in FuzzTarget.all.first { $0.name == String(cString: name) } }

let test: @convention(c) @Sendable (UnsafePointer<UInt8>?, Int) -> Int32 = { bytes, count in
    do {
        _ = try chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
