internal import JSONValue
internal import Microhttpd
internal import SampleLists

extension API {
    /// `GET /v1/emoji`
    func listEmoji(_ call: Call) throws(Problem) -> Answer {
        var categories = EmojiCatalogue.categories
        if let name = call.query[.category] {
            categories = categories.filter { $0.id == name }
            guard !categories.isEmpty else {
                throw .parameter(.category, name, among: EmojiCatalogue.categories.map(\.id))
            }
        }
        let emoji = categories.flatMap { category in
            category.emoji.map { emoji -> JSONValue in
                ["text": .string(emoji.text), "title": .string(emoji.title), "category": .string(category.id)]
            }
        }
        let body: JSONValue = ["emoji": .array(emoji)]
        return .send(read(body.bytes, to: call))
    }

    /// `GET /v1/emoji/categories`
    func listEmojiCategories(_ call: Call) -> Answer {
        let categories = EmojiCatalogue.categories.map { category -> JSONValue in
            ["id": .string(category.id), "title": .string(category.title), "count": .integer(category.emoji.count)]
        }
        let body: JSONValue = ["categories": .array(categories)]
        return .send(read(body.bytes, to: call))
    }
}
