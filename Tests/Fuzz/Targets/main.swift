// Runs libFuzzer on one of the readers of what comes from outside: `Fuzz TARGET [options of libFuzzer] [folders]`. A
// target traps if a rule does not hold, and libFuzzer keeps the bytes with which that happened.

import Driver
import Glibc

typealias Target = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

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

guard CommandLine.arguments.count > 1, let target = targets.first(where: { $0.name == CommandLine.arguments[1] }) else {
    print("Fuzz TARGET …, of: \(targets.map(\.name).joined(separator: ", "))")
    exit(64)
}
var count = CommandLine.argc - 1
// libFuzzer finds the program's name where the target's was.
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
arguments?[0] = CommandLine.unsafeArgv[0]
exit(LLVMFuzzerRunDriver(&count, &arguments, target.test))
