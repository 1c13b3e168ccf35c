import Glibc

/// A progress bar on the terminal.
final class ProgressBar {
    private let name: String
    /// Whether lines say how far it is if standard error is no terminal. Otherwise nothing is shown there.
    private let hasLines: Bool
    private let isTerminal = isatty(STDERR_FILENO) != 0
    private var last = -1

    init(_ name: String, hasLines: Bool = false) { (self.name, self.hasLines) = (name, hasLines) }

    func show(_ done: Int, of all: Int) {
        let percent = all > 0 ? done * 100 / all : 100
        guard percent != last else { return }
        defer { last = percent }
        guard isTerminal else { return showLine(done, all, isTenth: percent / 10 > last / 10) }
        let full = percent * 40 / 100
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: 40 - full)
        write("\r\(name) [\(bar)] \(percent) %")
    }

    private func showLine(_ done: Int, _ all: Int, isTenth: Bool) {
        if hasLines, isTenth { write("\(name): \(done) of \(all)\n") }
    }

    func end() {
        if isTerminal, last >= 0 { write("\n") }
    }

    private func write(_ text: String) {
        _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}
