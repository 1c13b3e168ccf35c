import Foundation
import Testing

@testable import liststate

/// An import takes a line whole or not at all.
@Suite struct ImportLineTests {
    private static let begun = [
        #"{"liststate":"export","format":1}"#, #"{"list":{"id":"l","title":"L"}}"#, #"{"section":{"id":"s"}}"#,
    ]

    private static let unknownOfSection =
        "Unknown member. Known here: id, title, layout, header, footer, reorderable."

    /// Lines that follow the lines above, and their errors.
    static let refused: [(String, String)] = [
        (#"{"item":{"id":"i","kind":"k","content":{},"parent":""}}"#, "The parent is not allowed."),
        (#"{"item":{"id":"i","kind":"k","content":{},"parent":"a\u0000"}}"#, "The parent is not allowed."),
        (#"{"item":{"id":"i","kind":"k","content":{},"parent":7}}"#, "parent is no text."),
        (#"{"item":{"id":"i","kind":"k","content":{},"parent":null}}"#, "parent is no text."),
        (#"{"item":{"id":"","kind":"k","content":{}}}"#, "The id is not allowed."),
        (#"{"item":{"id":"i","kind":"","content":{}}}"#, "The kind is not allowed."),
        (#"{"item":{"id":"i","content":{}}}"#, "kind is no text."),
        (#"{"item":{"id":"i","kind":"k"}}"#, "There is no content."),
        (#"{"item":{"id":"i","kind":"k","content":"c"}}"#, "content is no object."),
        (#"{"item":{"id":"i","kind":"k","content":{},"starred":1}}"#, "starred is neither true nor false."),
        (#"{"item":{"id":"i","kind":"k","content":{},"expanded":"true"}}"#, "expanded is neither true nor false."),
        (#"{"item":{"id":"i","kind":"k","content":{},"reorderable":null}}"#, "reorderable is neither true nor false."),
        (
            #"{"item":{"id":"i","kind":"k","content":{},"stared\u001b":true}}"#,
            "Unknown member. Known here: id, kind, content, parent, starred, expanded, reorderable."
        ),
        ("{\"section\":{\"id\":\"t\",\"\u{7F}\":1}}", Self.unknownOfSection),
        ("{\"section\":{\"id\":\"t\",\"\u{9B}31m\":1}}", Self.unknownOfSection),
        (#"{"section":{"id":"t","title":null}}"#, "title is no text."),
        (#"{"section":{"id":"t","layout":"list"}}"#, "layout is no object."),
        (#"{"section":{"id":"t","header":7}}"#, "header is neither a text nor an object."),
        (#"{"section":{"id":"t","footer":null}}"#, "footer is neither a text nor an object."),
        (#"{"section":{"id":"t","reorderable":0}}"#, "reorderable is neither true nor false."),
        (
            #"{"section":{"id":"t","items":[]}}"#,
            #"Unknown member "items". Known here: id, title, layout, header, footer, reorderable."#
        ),
        (
            #"{"end":{"id":"l","sections":1,"items":0,"version":"e-1"}}"#,
            #"Unknown member "version". Known here: id, sections, items."#
        ),
        (#"{"end":{"id":"l","sections":1,"items":1}}"#, "It is not the end of what came before."),
        (
            #"{"section":{"id":"t"},"item":{"id":"i","kind":"k","content":{}}}"#,
            "It must have one member: list, section, item or end."
        ),
        ("{}", "It must have one member: list, section, item or end."),
        (#"{"row":{}}"#, "It is neither list, section, item nor end."),
    ]

    @Test(arguments: refused)
    func nothingIsLeftOut(of line: String, _ text: String) throws {
        var reader = ImportReader()
        for line in Self.begun { _ = try reader.add(Array(line.utf8)) }
        let error = #expect(throws: ImportReader.Bad.self) { try reader.add(Array(line.utf8)) }
        #expect(error?.text == text)
    }

    @Test(arguments: [
        (#"{"list":{"id":"l","title":"L","layout":null}}"#, "layout is no object."),
        (#"{"list":{"id":"l","title":"L","sort":1}}"#, #"Unknown member "sort". Known here: id, title, layout."#),
        (#"{"list":{"id":"l"}}"#, "title is no text."),
    ])
    func nothingIsLeftOutOfAList(_ line: String, _ text: String) throws {
        var reader = ImportReader()
        _ = try reader.add(Array(Self.begun[0].utf8))
        let error = #expect(throws: ImportReader.Bad.self) { try reader.add(Array(line.utf8)) }
        #expect(error?.text == text)
    }

    @Test func aListWithABadLineIsNotMade() throws {
        let folder = try TemporaryFolder()
        let end = #"{"end":{"id":"l","sections":1,"items":0}}"#
        let lines = Self.begun + [end] + Self.begun.dropFirst().map { $0.replacing(#""id":"l""#, with: #""id":"bad""#) }
        let parent = #"{"item":{"id":"i","kind":"k","content":{},"parent":""}}"#
        let text = (lines + [parent, end.replacing(#""id":"l""#, with: #""id":"bad""#)]).joined(separator: "\n")
        try text.write(toFile: folder.path + "/lines", atomically: true, encoding: .utf8)
        let data = folder.path + "/data"
        let result = try ServerProcess.run(["import", "--data", data, folder.path + "/lines"])
        #expect(result.exitCode == 65)
        #expect(result.errors.contains("Line 7: The parent is not allowed."), "\(result.errors)")
        let exported = try ServerProcess.run(["export", "--data", data]).output
        #expect(exported == (Self.begun + [end]).joined(separator: "\n") + "\n")
    }
}
