import ArgumentParser
import Glibc
import JSONValue
import Texts

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Shows a list live, until it is deleted or Ctrl-C is pressed.",
        discussion: """
            On a terminal it shows the outline. Elsewhere it prints a line for each change: the version, what has happened, \
            the id, the place and the title, with tabs between. With --json it prints the events of the stream, one a line. \
            It comes back by itself when the server was away, and then shows what it has missed.
            """)

    @OptionGroup var about: ListArgument
    @OptionGroup var place: ServerOptions
    @OptionGroup var form: FormOption
    @OptionGroup var rows: RowOptions

    func run() throws {
        let server = try place.server()
        let view = view
        try Follower(server, list: about.list, rows.parameters) { view.show($0) }.run()
        if !form.json { printLines(["The list \(ByteText(about.list)) was deleted."]) }
    }

    private var view: any NewsView {
        guard !form.json else { return EventLines() }
        return Screen() == nil ? ChangeLog() : LiveOutline()
    }
}

/// Shows what a follower tells of. `show` returns false for an event that does not belong to what is shown.
private protocol NewsView {
    func show(_ news: Follower.News) -> Bool
}

/// The events of a stream, one a line: `{"event":"change","id":"k3v9-8","data":{…}}`.
private struct EventLines: NewsView {
    func show(_ news: Follower.News) -> Bool {
        guard case .event(let event) = news else { return show(absence: news) }
        // An id that comes alone changes nothing that is shown.
        guard !event.name.isEmpty else { return true }
        var line = Array("{\"event\":".utf8)
        JSONValue.string(event.name).write(to: &line)
        if let id = event.id {
            line += ",\"id\":".utf8
            JSONValue.string(id).write(to: &line)
        }
        printJSON(line + Array(",\"data\":".utf8) + event.data + [UInt8(ascii: "}")])
        return true
    }
}

extension NewsView {
    /// Says on standard error that the server is away, or is there again.
    fileprivate func show(absence news: Follower.News) -> Bool {
        if case .away(let reason, let seconds) = news {
            writeToStandardError(Array("liststate: \(reason) Trying again in \(tenths(seconds)) s.\n".utf8))
        }
        return true
    }

    fileprivate func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}

/// A list that follows the events of its stream.
private struct HeldOutline {
    private(set) var outline: Outline?

    /// Applies an event: a change, a reset, or an id that comes alone. Returns what it changes, and nil if it does not
    /// belong to the list that is held.
    mutating func apply(_ event: EventReader.Event) -> JSONObject? {
        if event.name.isEmpty {
            if let id = event.id { outline?.moveOn(to: id) }
            return JSONObject()
        }
        guard let data = JSONObject(answer: event.data) else { return nil }
        guard event.name == "change" else {
            outline = data["snapshot"]?.objectValue.flatMap { Outline(snapshot: $0) }
            return outline == nil ? nil : JSONObject()
        }
        do throws(Outline.Mismatch) { try outline?.apply(data) } catch { return nil }
        return outline == nil ? nil : data
    }
}

/// A line for each change.
private final class ChangeLog: NewsView {
    private var held = HeldOutline()

    func show(_ news: Follower.News) -> Bool {
        guard case .event(let event) = news else { return show(absence: news) }
        guard event.name != "gone" else { return true }
        guard let changes = held.apply(event), let outline = held.outline else { return false }
        guard event.name == "reset" else {
            printLines(outline.lines(of: changes))
            return true
        }
        let rows = outline.sections.reduce(0) { $0 + $1.rows.count }
        let fields: [ByteText] = [outline.version, "reset", outline.id, "\(rows) items", outline.title]
        printLines([fields.map(printable).joined(separator: "\t")])
        return true
    }
}

/// The outline on a terminal, drawn anew after each event.
private final class LiveOutline: NewsView {
    private var held = HeldOutline()
    private var notice = "live"

    func show(_ news: Follower.News) -> Bool {
        switch news {
        case .away(let reason, let seconds): notice = "\(reason) Trying again in \(tenths(seconds)) s."
        case .back: notice = "live"
        case .event(let event):
            guard event.name != "gone" else { return true }
            guard held.apply(event) != nil else { return false }
        }
        draw()
        return true
    }

    private func draw() {
        guard let outline = held.outline, let screen = Screen() else { return }
        let lines = outline.lines
        let room = max(screen.rows - 2, 1)
        var shown = lines.prefix(room).map { $0.shown(columns: screen.columns) }
        if lines.count > room { shown[room - 1] = "  … \(lines.count - room + 1) more lines" }
        // From the top left corner, each line to its end, and then the rest of the screen is empty.
        let end: ByteText = "\u{1B}[2m\(cut(printable(ByteText(notice)), to: screen.columns))\u{1B}[0m"
        let text = (shown + [end]).map { "\($0)\u{1B}[K\n" as ByteText }.joined()
        // As a `String` the text would be cut.
        writeAll(Array(("\u{1B}[H\(text)\u{1B}[J" as ByteText).utf8), to: STDOUT_FILENO)
    }
}
