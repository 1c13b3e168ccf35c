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
        let word = Advice.word(given[index])
        let before = index > 0 && given[index - 1].hasPrefix("--") ? given[index - 1] : nil
        let asValue = before.map { "; the value of an option stands behind =: \($0)=\(word)" } ?? ""
        throw .failed(
            """
            \(word) is no option. Ids and titles that begin with a dash stand behind --, and behind all options: \
            liststate \(index > 0 ? given[0] : "COMMAND") … -- \(word)\(asValue)
            """, 64)
    }

    /// `-` alone is standard input or output.
    private static func isStray(_ argument: String) -> Bool {
        argument.hasPrefix("-") && !argument.hasPrefix("--") && argument != "-" && argument != "-h"
    }
}
