/// Ids and titles that begin with a dash, where an option could stand.
///
/// The parser takes each letter behind one dash for an option of its own: `-dash` would show the help, for its `h`.
enum Dashes {
    /// - Throws: `.failed` if an argument begins with one dash and is no option. It could stand behind `--`.
    static func check(_ given: [String]) throws(Failure) {
        // Scripts of shells call the program with three dashes and with what is typed so far.
        guard given.first?.hasPrefix("---") != true else { return }
        let options = given.prefix { $0 != "--" }
        guard let index = options.firstIndex(where: isStray) else { return }
        // A token is not shown.
        let isToken = index > 0 && given[index - 1] == "--token"
        let word = isToken ? "TOKEN" : Advice.word(given[index])
        let command = index > 0 ? given[0] : "COMMAND"
        var advice = [String]()
        if ["-help", "-version"].contains(given[index]) { advice.append("Did you mean -\(word)?") }
        if index > 0, given[index - 1].hasPrefix("--") {
            advice.append("As the value of an option it stands behind =, as in \(given[index - 1])=\(word).")
        }
        advice.append("As an id or a title it stands behind -- and all options: liststate \(command) … -- \(word)")
        throw .failed("\(word) is no option. \(advice.joined(separator: " "))", 64)
    }

    /// `-` alone is standard input or output.
    private static func isStray(_ argument: String) -> Bool {
        argument.hasPrefix("-") && !argument.hasPrefix("--") && argument != "-" && argument != "-h"
    }
}
