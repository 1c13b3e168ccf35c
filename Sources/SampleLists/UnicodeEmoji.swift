public import JSONValue
import Layouts
import ListModel
public import Texts

/// The emoji of Unicode's `emoji-test.txt` by group and subgroup, as a list of one section.
///
/// Only the fully-qualified emoji of the file are taken. Source: Unicode Technical Standard #51, section 1.5.3.
public struct UnicodeEmoji: Sendable, Equatable {
    /// A fault in a file, and the number of its line, from 1.
    public struct Malformed: Error, Sendable, Equatable {
        public enum Fault: Error, Sendable, Equatable {
            case notUTF8
            /// An emoji before the first group and subgroup.
            case noGroup
            /// A line that is not of the form `code points ; status # emoji version name`.
            case badLine
            /// The file has no fully-qualified emoji.
            case noEmoji
        }

        public let fault: Fault
        public let line: Int
    }

    struct Emoji: Sendable, Equatable {
        let text: ByteText
        let name: ByteText
    }

    struct Subgroup: Sendable, Equatable {
        let name: ByteText
        var emoji: [Emoji] = []
    }

    struct Group: Sendable, Equatable {
        let name: ByteText
        var subgroups: [Subgroup] = []
    }

    /// The version of the standard, such as `15.0`; nil if the file does not name it.
    public private(set) var version: ByteText?
    private(set) var groups: [Group] = []

    public var groupCount: Int { groups.count }
    public var subgroupCount: Int { groups.reduce(0) { $0 + $1.subgroups.count } }
    public var emojiCount: Int {
        groups.reduce(0) { $0 + $1.subgroups.reduce(0) { $0 + $1.emoji.count } }
    }

    /// Reads the text of the file.
    ///
    /// - Throws: The first fault.
    public init(parsing bytes: [UInt8]) throws(Malformed) {
        guard let text = ByteText(validating: bytes) else { throw Malformed(fault: .notUTF8, line: 1) }
        var number = 0
        for line in text.split(at: "\n") {
            number += 1
            do throws(Malformed.Fault) {
                try read(line.withoutBlanks)
            } catch {
                throw Malformed(fault: error, line: number)
            }
        }
        guard emojiCount > 0 else { throw Malformed(fault: .noEmoji, line: number) }
        // The group of components, for one, has no fully-qualified emoji.
        for index in groups.indices { groups[index].subgroups.removeAll(where: \.emoji.isEmpty) }
        groups.removeAll(where: \.subgroups.isEmpty)
    }

    private mutating func read(_ line: ByteText) throws(Malformed.Fault) {
        if let name = line.dropping(prefix: "# group:") {
            groups.append(Group(name: name.withoutBlanks))
        } else if let name = line.dropping(prefix: "# subgroup:") {
            guard !groups.isEmpty else { throw .noGroup }
            groups[groups.count - 1].subgroups.append(Subgroup(name: name.withoutBlanks))
        } else if let version = line.dropping(prefix: "# Version:") {
            self.version = version.withoutBlanks
        } else if !line.isEmpty, !line.hasPrefix("#") {
            try readEmoji(line)
        }
    }

    private mutating func readEmoji(_ line: ByteText) throws(Malformed.Fault) {
        let fields = line.split(at: ";", splitsMax: 1)
        guard fields.count == 2 else { throw .badLine }
        let rest = fields[1].split(at: "#", splitsMax: 1)
        // The words are the emoji, the version of the standard that brought it, and its name.
        guard let words = rest.last?.withoutBlanks.split(at: " ", splitsMax: 2), rest.count == 2, words.count == 3
        else {
            throw .badLine
        }
        guard rest[0].withoutBlanks == "fully-qualified" else { return }
        let text = try Self.text(ofPoints: fields[0])
        guard let group = groups.indices.last, let subgroup = groups[group].subgroups.indices.last else {
            throw .noGroup
        }
        groups[group].subgroups[subgroup].emoji.append(Emoji(text: text, name: words[2]))
    }

    private static func text(ofPoints points: ByteText) throws(Malformed.Fault) -> ByteText {
        var text = String.UnicodeScalarView()
        for point in points.split(at: " ") where !point.isEmpty {
            guard let scalar = point.hexadecimal.flatMap(Unicode.Scalar.init) else { throw .badLine }
            text.append(scalar)
        }
        guard !text.isEmpty else { throw .badLine }
        return ByteText(String(text))
    }
}

extension ByteText {
    fileprivate var withoutBlanks: ByteText { trimmed { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }

    fileprivate var hexadecimal: UInt32? { UInt32(string, radix: 16) }

    fileprivate var withSpaces: ByteText {
        ByteText(decoding: utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: " ") : $0 })
    }
}

// MARK: - As a list

extension UnicodeEmoji {
    /// The snapshot that a `PUT` applies, with three levels of items.
    ///
    /// No item in it says whether it is expanded, so items that the list has expanded stay so, and new ones are
    /// collapsed. The id of an emoji is made of its code points, which no later version of the standard changes.
    public var snapshot: JSONValue {
        var items: [JSONValue] = []
        var (groupNamer, subgroupNamer) = (ItemNamer(section: "group"), ItemNamer(section: "subgroup"))
        var emojiNamer = ItemNamer(section: "emoji")
        for group in groups {
            let groupID = groupNamer.name(for: group.name)
            items.append(item(groupID, kind: "group", ["title": .string(group.name)]))
            for subgroup in group.subgroups {
                let subgroupID = subgroupNamer.name(for: subgroup.name)
                let title = subgroup.name.withSpaces
                items.append(item(subgroupID, kind: "subgroup", ["title": .string(title)], below: groupID))
                for emoji in subgroup.emoji {
                    let id = emojiNamer.name(for: codePoints(of: emoji.text))
                    let content: JSONValue = ["text": .string(emoji.text), "title": .string(emoji.name)]
                    items.append(item(id, kind: "emoji", content, below: subgroupID))
                }
            }
        }
        return [
            "title": .string(version.map { "Unicode Emoji \($0)" as ByteText } ?? "Unicode Emoji"),
            "layout": Self.layout.json,
            "sections": [["id": "emoji", "items": .array(items)]],
        ]
    }

    private static let layout = Layout(
        .list(ListStyle(.sidebar)),
        cells: [
            "group": Cell(.header, text: "title", accessories: [.outlineDisclosure]),
            "subgroup": Cell(.cell, text: "title", accessories: [.outlineDisclosure]),
            "emoji": Cell(.valueCell, text: "text", secondaryText: "title"),
        ])

    private func item(
        _ id: ItemID, kind: ByteText, _ content: JSONValue, below parent: ItemID? = nil
    ) -> JSONValue {
        var item: JSONObject = ["id": .string(id.rawValue), "kind": .string(kind)]
        if let parent { item.set(.string(parent.rawValue), for: "parent") }
        item.set(content, for: "content")
        return .object(item)
    }
}
