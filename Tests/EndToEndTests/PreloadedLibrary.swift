import Foundation
import TestSupport
import Testing

/// A library that a process loads first, so that its functions take the place of the system's.
struct PreloadedLibrary {
    let path: String

    /// Compiles the library.
    init(_ source: String, in folder: TemporaryFolder) throws {
        let file = folder.path + "/preloaded.c"
        path = folder.path + "/preloaded.so"
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["gcc", "-shared", "-fPIC", "-o", path, file, "-ldl"]
        try compiler.runAlone()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
    }

    /// The environment of a process that loads the library.
    var environment: [String: String] { ["LD_PRELOAD": path] }
}
