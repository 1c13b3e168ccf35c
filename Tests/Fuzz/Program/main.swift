// Runs libFuzzer on one of the readers of what comes from outside: `FUZZ_TARGET=NAME Fuzz [options of libFuzzer]
// [folders]`. The process ends if a rule does not hold, and libFuzzer keeps the bytes with which that happened.
//
// The target is no argument, because libFuzzer starts the program again with its own arguments to merge and to minimise.

import Driver
import Glibc

guard chosen != nil else {
    print("FUZZ_TARGET=NAME Fuzz …, with one of: \(FuzzTarget.all.map(\.name))")
    exit(64)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments, test))
