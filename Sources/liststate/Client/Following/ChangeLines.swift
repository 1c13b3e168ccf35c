import JSONValue
import Texts

extension Outline {
    /// A change set that was applied, as lines of fields with a tab between them: the version, what has happened, and to
    /// what.
    ///
    ///     k3v9-8  inserted  plum  fruit 1  Plum
    ///     k3v9-9  deleted   rye
    func lines(of changes: JSONObject) -> [ByteText] {
        var lines: [[ByteText]] = []
        if let properties = changes["properties"], let title = properties.member("title")?.textValue {
            lines.append(["renamed", id, "", title])
        }
        let parts = changes["sections"]
        for part in ["deleted", "inserted", "moved", "reconfigured", "reloaded"] as [ByteText] {
            for change in parts?.member(part)?.arrayValue ?? [] {
                let section = change.member("section")
                let id = (change.member("id") ?? section?.member("id"))?.textValue ?? ""
                let index = change.member(part == "moved" ? "to" : "index")?.integerValue
                let place = part == "deleted" ? "" : index.map { "\($0)" as ByteText } ?? ""
                lines.append(["section \(part)", id, place, section?.member("title")?.textValue ?? ""])
            }
        }
        for part in ["deleted", "inserted", "moved", "reconfigured", "reloaded"] as [ByteText] {
            for change in changes["items"]?.member(part)?.arrayValue ?? [] {
                lines.append(line(part, change))
            }
        }
        return lines.map { ([version] + $0).map(printable).joined(separator: "\t") }
    }

    private func line(_ part: ByteText, _ change: JSONValue) -> [ByteText] {
        let place = part == "moved" ? change.member("to") : change
        let row = row(at: place)
        let item = change.member("item")?.objectValue ?? row
        let id = (change.member("id") ?? item?["id"])?.textValue ?? ""
        guard part != "deleted" else { return [part, id, "", ""] }
        let star = item?["starred"] == true ? "★ " : "" as ByteText
        return [part, id, self.place(place), "\(star)\(item.flatMap(rowName) ?? "")"]
    }

    private func row(at place: JSONValue?) -> JSONObject? {
        guard let section = place?.member("section")?.integerValue, let index = place?.member("index")?.integerValue,
            sections.indices.contains(section), sections[section].rows.indices.contains(index)
        else { return nil }
        return sections[section].rows[index]
    }

    /// The section by its id, and the index in it.
    private func place(_ place: JSONValue?) -> ByteText {
        guard let section = place?.member("section")?.integerValue, sections.indices.contains(section) else {
            return ""
        }
        return "\(sections[section].id) \(place?.member("index")?.integerValue ?? 0)"
    }
}
