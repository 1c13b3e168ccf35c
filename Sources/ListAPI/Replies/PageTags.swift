internal import HTTPTypes
internal import ListModel
internal import ListStore
internal import Microhttpd
internal import Texts

extension API {
    /// The answer with a page of lists: 304 if the client has this page, otherwise 200 with the body.
    ///
    /// The tag is made of what the page depends on, so a 304 takes less work than the page.
    ///
    /// - Parameters:
    ///   - stamp: Other bytes for each other body.
    ///   - next: The link to the next page; nil if this is the last one.
    func page(_ stamp: [UInt8], next: ByteText?, to call: Call, _ body: () -> [UInt8]) -> Answer {
        let tag = opaqueTag(of: [stamp, next.map { Array($0.utf8) } ?? []])
        let tags: (plain: ByteText, coded: ByteText) = ("\"\(tag)\"", "\"\(tag)+gzip\"")
        var fields = headFields
        if let next { fields.append(.next(next)) }
        fields.append(call.freshness)
        guard call.head.ifNoneMatch?.matches(tag) == true else {
            let body = body()
            let coded = call.head.wantsGzip ? worthwhileGzip(body) : nil
            fields.append(Response.Field("ETag", coded == nil ? tags.plain : tags.coded))
            if coded != nil { fields.append(.gzip) }
            fields.append(call.trace, id: call.trace.sentID)
            return .send(Response(status: .ok, fields: fields, body: coded ?? body))
        }
        let isCoded = wouldBeCoded(tags.coded, call) { worthwhileGzip(body()) != nil }
        fields.append(Response.Field("ETag", isCoded ? tags.coded : tags.plain))
        fields.append(call.trace, id: call.trace.sentID)
        return .send(Response(status: .notModified, fields: fields, body: []))
    }
}

/// What a page of lists depends on. A version names one state of a list, and so its title and counts.
func stamp(of lists: [ListedList]) -> [UInt8] {
    var stamp: [UInt8] = []
    stamp.reserveCapacity(64 * lists.count)
    for list in lists {
        switch list {
        case .readable(let summary): stamp.append(summary.id, summary.version)
        case .unreadable(let id): stamp.append(id, nil)
        }
    }
    return stamp
}

/// What a page of deleted lists depends on.
func stamp(of lists: some Collection<DeletedList>) -> [UInt8] {
    var stamp: [UInt8] = []
    stamp.reserveCapacity(80 * lists.count)
    for list in lists {
        stamp.append(list.id, list.version)
        stamp.append(list.time)
        stamp.append(list.end)
    }
    return stamp
}

extension [UInt8] {
    /// Appends a list at a version, or at none. No id or epoch has the byte 0, which ends them.
    fileprivate mutating func append(_ id: ListID, _ version: Version?) {
        append(contentsOf: id.rawValue.utf8)
        append(0)
        if let version { append(contentsOf: version.epoch.utf8) }
        append(0)
        append(version?.revision ?? 0)
    }

    fileprivate mutating func append(_ number: Int) {
        for shift in stride(from: 0, to: Int.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
