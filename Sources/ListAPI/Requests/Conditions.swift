internal import HTTPTypes
internal import ListStore
internal import Microhttpd

extension RequestHead {
    /// The tags of `If-None-Match`, all lines together; nil if there is none or it is malformed.
    var ifNoneMatch: EntityTags? {
        let values = fields(.ifNoneMatch)
        return values.isEmpty ? nil : EntityTags(values.joined(separator: ","))
    }
}

extension Call {
    /// `If-Match`.
    func match() throws(Problem) -> Write.Match? {
        let values = head.fields(.ifMatch)
        guard !values.isEmpty else { return nil }
        guard let tags = EntityTags(values.joined(separator: ",")) else {
            throw Problem(.badRequest, #"If-Match is * or versions, each in double quotes: If-Match: "k3v9-42"."#)
        }
        return tags.match
    }

    /// Whether `If-None-Match: *` requires that the list, or the section, does not exist yet.
    ///
    /// - Throws: `bad_request` for any other value of the field, because the server would have to ignore it.
    func mustNotExist() throws(Problem) -> Bool {
        let values = head.fields(.ifNoneMatch)
        guard !values.isEmpty else { return false }
        guard endpoint == .putList || endpoint == .putSection, values.allSatisfy({ $0 == "*" }) else {
            throw Problem(
                .badRequest,
                "On a write, If-None-Match can only be *, and only on PUT of a list or a section: leave it out.")
        }
        return true
    }
}
