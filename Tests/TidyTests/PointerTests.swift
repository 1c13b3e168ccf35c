import Testing

/// The files that may use raw memory and `@unchecked`, as the map says (Sources/README.md, "Which line lives where").
@Suite struct PointerTests {
    /// The targets that call C. All of their files may have pointers.
    private static let targets: Set<String> = [
        "Microhttpd", "SQLiteJournal", "PostgreSQLJournal", "Gzip", "SHA256", "JSONWebTokens", "Threads", "Texts",
        "JSONValue", "liststate",
    ]
    /// The files of all other targets that may have pointers, each with the use that it makes of them.
    private static let files: [String: String] = [
        "Access/ListPattern.swift": "bytes that are compared where they are",
        "Access/OpenBook.swift": "a digest, as words of a key",
        "ListStateClient/Wire/CurlTransport.swift": "requests of libcurl, and what it tells of them",
        "ListModel/State/SectionOrder.swift": "a storage that copies share until one writes",
        "ListModel/State/Steps.swift": "a count that copies share",
        "ListModel/Edits/Delta.swift": "a storage that copies share until one writes",
        "ListModel/Values/ContentPath.swift": "bytes that are copied",
        "ListModel/Values/ContentValue.swift": "bytes that are copied",
        "ListModel/Values/Identifier.swift": "bytes that are checked where they are",
        "ListModel/Values/Item.swift": "bytes that go to an answer without a copy",
        "ListModel/Values/JSONText.swift": "bytes that go to an answer without a copy",
        "ListStore/Log/Durability.swift": "what waits for one sync, behind a lock",
        "ListAPI/Resources/Assets.swift": "files in the binary",
        "ListWire/Errors/WireErrors.swift": "a collection that one call fills",
        "ListWire/Writing/JSONSplicer.swift": "the room in which an answer is put together",
        "ListWire/Writing/VersionText.swift": "a text that is put together without an allocation",
    ]

    @Test func areWhereTheMapHasThem() {
        let found = SourceFile.sources.filter { !Self.targets.contains($0.target) && $0.holdsPointers }
        #expect(Set(found.map { String($0.path.dropFirst("Sources/".count)) }) == Set(Self.files.keys))
    }

    @Test func theRulesHaveNone() {
        let pure: Set<String> = ["ListDiff", "Layouts", "SampleLists"]
        #expect(SourceFile.sources.filter { pure.contains($0.target) && $0.holdsPointers }.map(\.path) == [])
    }
}

extension SourceFile {
    fileprivate var holdsPointers: Bool {
        code.contains { line in ["Unsafe", "Unmanaged", "OpaquePointer", "@unchecked"].contains { line.contains($0) } }
    }
}
