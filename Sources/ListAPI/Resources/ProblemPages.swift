internal import HTTPTypes
internal import JSONValue
internal import Microhttpd
internal import Texts

extension API {
    /// `GET /problems`: all kinds of problem.
    func listProblems(_ call: Call) -> Answer {
        guard !call.head.prefersJSON else {
            let body: JSONValue = ["problems": .array(Explanation.all.map(\.json))]
            return .send(read(body.bytes, to: call))
        }
        let rows = Explanation.all.map { row in
            """
            <tr><td>\(row.code.status.code)</td>\
            <td><a href="/problems/\(row.code.rawValue)"><code>\(row.code.rawValue)</code></a></td>\
            <td>\(escaped(row.code.title))</td></tr>
            """
        }
        let body = htmlPage("Problems", "<table>\n\(rows.joined(separator: "\n"))\n</table>")
        return .send(read(body, htmlFields, to: call))
    }

    /// `GET /problems/{code}`: explains one kind of problem.
    func getProblem(_ call: Call) throws(Problem) -> Answer {
        guard let name = call.arguments.first, let code = ProblemCode(rawText: name),
            let row = Explanation.all.first(where: { $0.code == code })
        else {
            throw Problem(.notFound, "There is no such kind of problem: GET /problems returns all of them.")
        }
        return .send(
            call.head.prefersJSON
                ? read(row.json.bytes, to: call) : read(htmlPage(row.code.title, row.html), htmlFields, to: call))
    }
}

extension Explanation {
    fileprivate var json: JSONValue {
        let texts: [(ByteText, String)] = [
            ("type", "/problems/\(code.rawValue)"), ("code", code.rawValue), ("title", code.title),
            ("meaning", meaning), ("remedy", remedy), ("example", example),
        ]
        var object: JSONObject = ["status": .integer(code.status.code)]
        for (name, text) in texts { object.set(.string(ByteText(text)), for: name) }
        return .object(object)
    }

    fileprivate var html: String {
        """
        <p><code>\(code.rawValue)</code>, status \(code.status.code)</p>
        <h2>What it means</h2>
        <p>\(escaped(meaning))</p>
        <h2>What to do</h2>
        <p>\(escaped(remedy))</p>
        <h2>Example</h2>
        <pre>\(escaped(example))</pre>
        <p><a href="/problems">All problems</a> · <a href="/docs">The contract</a></p>
        """
    }
}

private let htmlFields = Response.Fields.content("text/html; charset=utf-8") + guarding

private func htmlPage(_ title: String, _ content: String) -> [UInt8] {
    Array(
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escaped(title)) · ListState</title>
        <h1>\(escaped(title))</h1>
        \(content)
        </html>

        """.utf8)
}

/// The text as HTML, outside of attributes.
private func escaped(_ text: String) -> String {
    text.reduce(into: "") { html, character in
        switch character {
        case "&": html += "&amp;"
        case "<": html += "&lt;"
        case ">": html += "&gt;"
        default: html.append(character)
        }
    }
}

extension RequestHead {
    /// Whether the client prefers JSON to a page.
    var prefersJSON: Bool {
        let values = fields(.accept)
        guard !values.isEmpty else { return false }
        let ranges = MediaRanges(values.joined(separator: ","))
        return ranges.weight(of: MediaType.json) > ranges.weight(of: MediaType.html)
    }
}
