import Glibc
import Testing

/// Finds the places at which text from outside could become a `String`. Swift compares, hashes and searches a `String`
/// by canonical equivalence, which takes quadratic time in runs of combining marks.
///
/// Everything that reads from outside makes a `ByteText`. A comparison of a `ByteText` with a `String` does not
/// compile. So only making a `String` of one must be found here. These tables allow it in some files, each with a
/// reason.
@Suite struct TextTests {
    /// The targets in which text from outside lives. Their only other text is our own prose.
    private static let targets: Set<String> = [
        "JSONValue", "ListModel", "ListDiff", "ListStore", "Layouts", "SampleLists", "Microhttpd", "ListWire",
        "ListAPI", "JSONWebTokens",
    ]

    /// Files that may name the type `String`, each with the text for which they use it.
    private static let strings: [String: String] = [
        "JSONValue/JSONNumber.swift": "a number's literal, checked to be ASCII",
        "JSONValue/JSONNumber+Order.swift": "a number's literal, checked to be ASCII",
        "JSONValue/JSONReader+Number.swift": "a number's literal, checked to be ASCII",
        "JSONValue/JSONValue.swift": "a literal of the source",
        "ListModel/Values/Identifier.swift": "a literal of the source; descriptions, which are bounded",
        "ListModel/Values/Version.swift": "a description, which is bounded",
        "ListDiff/Views/CharacterReader.swift": "text in which no run of marks is long: the one reader by characters",
        "ListDiff/Views/TextFilter.swift": "characters of CharacterReader",
        "ListStore/Log/Journal.swift": "what failed on the disk",
        "SampleLists/Sample.swift": "names of samples",
        "SampleLists/Slug.swift": "text that is only looked through, scalar by scalar",
        "SampleLists/UnicodeEmoji.swift": "hexadecimal digits; scalars that are put together",
        "Microhttpd/Loop/EventLoop+Requests.swift": "a method, which HTTPTypes checks to be a token",
        "Microhttpd/Request/ClientAddress+Text.swift": "numbers of an address",
        "Microhttpd/Loop/Engine.swift": "the version of the engine",
        "Microhttpd/Loop/InheritedSocket.swift": "an address in numbers, which the system has written",
        "Microhttpd/Loop/ListeningSocket.swift": "an address of the command line",
        "Microhttpd/ServerConfiguration.swift": "an address of the command line",
        "Microhttpd/ServerError.swift": "an address of the command line",
        "ListAPI/Access/Gate.swift": "prose of our own",
        "ListAPI/Resources/Tickets.swift": "prose of our own",
        "ListAPI/Configuration.swift": "what failed, for the log",
        "ListAPI/Live/EventText.swift": "versions in their text form",
        "ListAPI/Live/ResumeVector.swift": "versions in their text form",
        "ListAPI/Problems/Explanation.swift": "prose of our own",
        "ListAPI/Problems/Problem.swift": "prose of our own",
        "ListAPI/Problems/Problem+Errors.swift": "prose of our own, with bounded descriptions of ids",
        "ListAPI/Problems/Problem+Refusal.swift": "prose of our own",
        "ListAPI/Problems/Problem+JSON.swift": "prose of our own, with names and words of at most 64 bytes",
        "ListAPI/Problems/ProblemCode.swift": "prose of our own",
        "ListAPI/Problems/WireError+Effects.swift": "prose of our own",
        "ListAPI/Requests/Query.swift": "prose of our own",
        "ListAPI/Resources/Assets.swift": "digits of a tag",
        "ListAPI/Replies/RequestLine.swift": "templates of our own",
        "ListAPI/Resources/Metrics.swift": "templates of our own",
        "ListAPI/Resources/ProblemPages.swift": "prose of our own",
        "ListAPI/Version.swift": "the commit in the binary",
        "ListAPI/Routing/Endpoint.swift": "templates of our own",
        "ListAPI/Routing/Routes.swift": "templates of our own",
        "ListAPI/Routing/Router.swift": "templates of our own",
        "ListAPI/Routing/Signposts.swift": "prose and templates of our own",
        "JSONWebTokens/Keys/KeyFetcher.swift": "a URL of the command line",
        "JSONWebTokens/Keys/KeyFile.swift": "a path of the command line",
        "JSONWebTokens/Keys/KeySource.swift": "a path or a URL of the command line",
        "ListWire/Errors/KnownNames.swift": "prose of our own, with names of at most 64 bytes",
        "ListWire/Errors/WireError.swift": "prose of our own",
        "ListWire/Errors/LayoutForm.swift": "prose of our own",
        "ListWire/Errors/WireError+Advice.swift": "prose of our own",
        "ListWire/Writing/Intents.swift": "names of operations",
        "ListWire/Writing/JSONSplicer.swift": "words of our own",
    ]

    /// Files that may turn a whole text, or bytes, into a `String`, also in targets that the table above does not have.
    private static let doors: [String: String] = [
        "ListStore/Log/Journal.swift": "what the system says of an error",
        "JSONValue/JSONReader+Number.swift": "a number's literal, checked to be ASCII",
        "ListDiff/Views/CharacterReader.swift": "lower case and characters, with runs of marks cut",
        "SampleLists/Slug.swift": "lower case and scalars",
        "ListAPI/Version.swift": "the commit in the binary",
        "ListStateClient/Wire/CurlTransport.swift": "heads, the environment, and what libcurl says of an error",
        "Microhttpd/Loop/Engine.swift": "the version of the engine",
        "Microhttpd/Loop/EventLoop+Requests.swift": "a method, which HTTPTypes checks to be a token",
        "Microhttpd/Loop/InheritedSocket.swift": "an address in numbers, which the system has written",
        "PostgreSQLJournal/PostgreSQLJournal.swift": "names of settings",
        "PostgreSQLJournal/Sessions/ConnectionString.swift":
            "a URL of the command line, and what libpq says of an error",
        "PostgreSQLJournal/Sessions/Session.swift": "what the server says of an error; payloads, which become bytes",
        "SQLiteJournal/Files/AcknowledgedMark.swift": "digits of our own file",
        "SQLiteJournal/Files/File.swift": "what the system says of an error",
        "SQLiteJournal/Files/FolderLock.swift": "what another process of ours says of itself",
        "SQLiteJournal/Tables/LibraryVersion.swift": "the version of SQLite",
        "SQLiteJournal/Tables/SQLiteConnection.swift": "what SQLite says of an error",
        "liststate/AccessLog.swift": "what the system says of an error",
        "liststate/Advice.swift": "what the system says of an error",
        "liststate/AuditLog.swift": "what the system says of an error",
        "liststate/Client/Asking/Printable.swift": "text that is shown, scalar by scalar",
        "liststate/Client/Asking/RemoteProblem.swift": "what is printed of a problem, and the id of a list, in ASCII",
        "liststate/Client/Asking/RemoteServer.swift": "a path of ASCII",
        "liststate/Client/Queue/QueueFolder.swift": "the environment, and what the system says of an error",
        "liststate/Client/Queue/WriteQueue+JSON.swift": "a path of ASCII",
        "liststate/Client/Asking/ServerOptions.swift": "the environment, and a token of a file",
        "liststate/Control.swift": "a line of a command of the same user",
        "liststate/Environment.swift": "the environment",
        "liststate/Export.swift": "what the system says of an error",
        "liststate/Failure.swift": "what the system says of an error",
        "liststate/Health.swift": "the environment",
        "liststate/LineInput.swift": "what the system says of an error",
        "liststate/Maintain.swift": "the environment",
        "liststate/SecureClient.swift": "the environment, and what libcurl says of an error",
        "liststate/ServiceManager.swift": "the environment",
        "liststate/Status.swift": "the environment; numbers of metrics",
    ]

    @Test("A file makes no String of text from outside", arguments: SourceFile.sources)
    func strings(_ file: SourceFile) {
        guard Self.targets.contains(file.target), Self.strings[Self.name(of: file)] == nil else { return }
        #expect(Self.linesNamingStrings(in: file) == [])
    }

    @Test("A file turns no text into a String, nor bytes", arguments: SourceFile.sources)
    func doors(_ file: SourceFile) {
        guard file.target != "Texts", Self.doors[Self.name(of: file)] == nil else { return }
        #expect(Self.linesWithDoors(in: file) == [])
    }

    /// An exception that is not used would hide the next mistake.
    @Test func theTablesNameWhatIsThere() throws {
        for (path, _) in Self.strings {
            #expect(try Self.linesNamingStrings(in: SourceFile.read("Sources/" + path)) != [], "\(path)")
        }
        for (path, _) in Self.doors {
            #expect(try Self.linesWithDoors(in: SourceFile.read("Sources/" + path)) != [], "\(path)")
        }
    }

    @Test(
        "A planted line is found",
        arguments: [
            "    let name: String", "    func has(_ key: String) -> Bool {", "    var seen: Set<String> = []",
            "    private var values: [String: Int] = [:]", "    init?(_ text: some StringProtocol) {",
            "    let main = Substring(value)", "    let isOutside: (Character) -> Bool = { $0 == \" \" }",
            "    let text = String(value.utf8) // not a comment", "enum Word { case other(String) }",
        ])
    func plantedString(_ line: String) {
        #expect(Self.linesNamingStrings(in: SourceFile(path: "Sources/ListAPI/Planted.swift", lines: [line])) == [1])
    }

    @Test(
        "A planted door is found",
        arguments: [
            "    if key.string == \"id\" { return }", "    switch text?.string {", "    names.map(\\.string)",
            "    let name = object[key]!.text.string", "    let text = String(decoding: bytes, as: UTF8.self)",
            "    parts(of: text).string.lowercased()", "    String(cString: start)", "    String(validating: bytes)",
        ])
    func plantedDoor(_ line: String) {
        #expect(Self.linesWithDoors(in: SourceFile(path: "Sources/ListAPI/Planted.swift", lines: [line])) == [1])
    }

    @Test(
        "What is no String of text is let pass",
        arguments: [
            "/// A `String` compares otherwise.", "    // No String here.", "enum Word: String, CaseIterable {",
            "    func raw(_ text: StaticString) {", "    case .string(let text): text", "    if case .string = value {",
            "    .wrongType(expected: .string)", "    func pop(_ rest: inout Substring.UTF8View) -> ByteText? {",
            "    func word<Word: RawRepresentable<String> & CaseIterable>() -> Word {",
        ])
    func innocent(_ line: String) {
        let file = SourceFile(path: "Sources/ListAPI/Planted.swift", lines: [line])
        #expect(Self.linesNamingStrings(in: file) == [])
        #expect(Self.linesWithDoors(in: file) == [])
    }

    private static func name(of file: SourceFile) -> String { String(file.path.dropFirst("Sources/".count)) }

    /// The numbers of the lines that name a type of Swift's text. The bytes of a text and the raw values of words are
    /// allowed.
    private static func linesNamingStrings(in file: SourceFile) -> [Int] {
        numbers(of: file) { line in
            // The bytes are looked at first, because most lines name no such type and regular expressions are slow.
            guard ["String", "string", "Character"].contains(where: { has($0, in: line) }) else { return false }
            let bytesAndWords = /\b(Sub)?[Ss]tring\.UTF8View\b|\benum \w+: String\b|\bRawRepresentable<String>/
                .wordBoundaryKind(.simple)
            let rest = line.replacing(bytesAndWords, with: "")
            return rest.contains(/\b(String|Substring|Character|StringProtocol)\b/.wordBoundaryKind(.simple))
        }
    }

    private static func linesWithDoors(in file: SourceFile) -> [Int] {
        numbers(of: file) { line in
            guard [".string", "String("].contains(where: { has($0, in: line) }) else { return false }
            let door = /[\w)\]?!\\]\.string\b(?!\()|\bString\((decoding|cString|validating|copying|describing):/
            return line.contains(door.wordBoundaryKind(.simple))
        }
    }

    private static func has(_ word: String, in line: String) -> Bool { strstr(line, word) != nil }

    private static func numbers(of file: SourceFile, where isFound: (String) -> Bool) -> [Int] {
        file.lines.enumerated().compactMap { index, line in
            let isComment = line.drop(while: \.isWhitespace).hasPrefix("//")
            return !isComment && isFound(line) ? index + 1 : nil
        }
    }
}
