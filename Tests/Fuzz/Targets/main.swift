// Runs libFuzzer on one of the readers of what comes from outside: `Fuzz TARGET [options of libFuzzer] [folders]`. A
// target traps if a rule does not hold, and libFuzzer keeps the bytes with which that happened.

import Driver
import Glibc

guard CommandLine.arguments.count > 1, let target = targets.first(where: { $0.name == CommandLine.arguments[1] }) else {
    print("Fuzz TARGET …, of: \(targets.map(\.name).joined(separator: ", "))")
    exit(64)
}
var count = CommandLine.argc - 1
// libFuzzer finds the program's name where the target's was.
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
arguments?[0] = CommandLine.unsafeArgv[0]
exit(LLVMFuzzerRunDriver(&count, &arguments, target.test))
