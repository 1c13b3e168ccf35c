import Glibc

/// The condition for a figure.
enum Goal {
    case atLeast(Double)
    case atMost(Double)

    func isReached(by figure: Double) -> Bool {
        switch self {
        case .atLeast(let goal): figure >= goal
        case .atMost(let goal): figure <= goal
        }
    }

    var text: String {
        switch self {
        case .atLeast(let goal): "≥ " + decimal(goal)
        case .atMost(let goal): "≤ " + decimal(goal)
        }
    }
}

/// Prints a table, and remembers whether a goal was missed.
struct Table {
    private(set) var isMissed = false

    func head(_ title: String, _ columns: [String]) {
        show("\n" + padded(title, 58) + columns.map { leftPadded($0, 12) }.joined())
    }

    /// - Parameters:
    ///   - costs: The costs in nanoseconds.
    ///   - note: A remark about a check on the way.
    mutating func row(_ what: String, costs: [Double], ratio: Double, goal: Goal?, note: String = "") {
        line(what, costs.map(microseconds) + [decimal(ratio)], ratio, goal, note)
    }

    mutating func line(_ what: String, _ columns: [String], _ figure: Double, _ goal: Goal?, _ note: String = "") {
        let verdict = goal.map { $0.isReached(by: figure) ? "ok" : "MISSED" } ?? ""
        if verdict == "MISSED" { isMissed = true }
        let cells = columns + [goal?.text ?? "", verdict]
        show(padded(what, 58) + cells.map { leftPadded($0, 12) }.joined() + (note.isEmpty ? "" : "  " + note))
    }

    /// Reports a wrong result of the measured code.
    mutating func check(_ holds: Bool, _ what: String) {
        guard !holds else { return }
        isMissed = true
        show("WRONG: \(what)")
    }
}

/// Prints a line at once, because the next one may take a while.
private func show(_ line: String) {
    print(line)
    fflush(nil)
}

func microseconds(_ nanoseconds: Double) -> String { decimal(nanoseconds / 1_000) }

/// A number with three significant digits.
func decimal(_ number: Double) -> String {
    guard number.isFinite else { return "-" }
    if number >= 99.95 { return grouped(Int(number.rounded())) }
    let places = number >= 9.995 ? 1 : 2
    let scale = places == 1 ? 10 : 100
    let scaled = Int((number * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    return "\(scaled / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
}

func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    var position = digits.count - 3
    while position > 0 {
        digits.insert(",", at: position)
        position -= 3
    }
    return String(digits)
}

private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

private func leftPadded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
}
