internal import HTTPTypes
internal import ListModel

extension HTTPField.Name {
    static let listVersion = Self("List-Version")!
    static let requestID = Self("X-Request-Id")!
    static let idempotencyKey = Self("Idempotency-Key")!
    static let idempotencyReplayed = Self("Idempotency-Replayed")!
    static let prefer = Self("Prefer")!
    static let preferenceApplied = Self("Preference-Applied")!
    static let link = Self("Link")!
}

extension HTTPFields {
    /// What every answer with a body says, made once for the type that most have.
    static let json = content(MediaType.json)

    /// What every answer with a body says.
    static func content(_ type: String) -> HTTPFields {
        [
            .contentType: type,
            .vary: "Accept, Accept-Encoding, Prefer",
            .cacheControl: "no-cache",
            .xContentTypeOptions: "nosniff",
        ]
    }

    /// What an answer about a list at one version says.
    mutating func set(_ version: Version) {
        let text = version.description
        self[.eTag] = "\"\(text)\""
        self[.listVersion] = text
    }
}
