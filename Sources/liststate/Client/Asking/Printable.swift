import Glibc
import Texts

/// The text without what a terminal would take for a command, or what would turn the order of its letters around.
/// Each such character becomes U+FFFD.
func printable(_ text: ByteText) -> ByteText {
    let scalars = text.string.unicodeScalars
    guard scalars.contains(where: isCommand) else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in scalars { shown.append(isCommand(scalar) ? "\u{FFFD}" : scalar) }
    return ByteText(String(shown))
}

private func isCommand(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
}

/// The beginning of a text, of at most `count` scalars.
func cut(_ text: ByteText, to count: Int) -> ByteText {
    guard text.scalarCount > count else { return text }
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: text.string.unicodeScalars.prefix(max(count - 1, 0)))
    return ByteText(String(shown) + "…")
}

/// Writes lines to standard output, each whole.
func printLines(_ lines: [ByteText]) {
    guard !lines.isEmpty else { return }
    writeAll(Array(lines.joined(separator: "\n").utf8) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
}

/// Writes a line of JSON to standard output.
func printJSON(_ bytes: [UInt8]) {
    // The server ends some answers with a line feed, and others not.
    let rest = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    writeAll(Array(rest) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
}

/// The lines of a table. The last column is not filled up with spaces.
func tableLines(_ names: [ByteText], _ rows: [[ByteText]]) -> [ByteText] {
    let cells = [names] + rows.map { $0.map(printable) }
    let widths = names.indices.map { column in cells.map { $0[column].scalarCount }.max() ?? 0 }
    return cells.map { row in
        row.enumerated().map { column, cell in
            guard column < row.count - 1 else { return cell }
            return "\(cell)\(String(repeating: " ", count: widths[column] - cell.scalarCount))"
        }.joined(separator: "  ")
    }
}

/// The screen of a terminal.
struct Screen {
    let rows: Int
    let columns: Int

    /// Nil if standard output is no terminal.
    init?() {
        guard isatty(STDOUT_FILENO) != 0 else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
        (rows, columns) = isKnown ? (Int(size.ws_row), Int(size.ws_col)) : (24, 80)
    }
}
