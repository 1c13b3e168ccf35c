internal import HTTPTypes
internal import ListModel
internal import ListStore
internal import Microhttpd
internal import Texts

/// How current the lists in memory are that a request reads.
enum Freshness: Sendable, Equatable {
    /// Others may have written to them.
    case unknown
    /// They are as the storage has had them since the request came, or nobody else writes to it.
    case current
    /// The client takes them as they are. So many whole seconds ago they were known to be current.
    case aged(seconds: Int)

    /// The value of `Age`; nil if the answer has none.
    var age: Int? {
        if case .aged(let seconds) = self { seconds } else { nil }
    }
}

extension API {
    /// The freshness that a read of one list has without a check. It is `.unknown` if the read must be checked.
    ///
    /// Versions that the request names are the least that its answer may be made from.
    ///
    /// - Parameters:
    ///   - list: The list; nil if it is not in memory.
    ///   - isPinned: Whether the answer is made from a version that the request names, and never changes.
    func freshnessInMemory(
        of list: ListActor?, _ head: RequestHead, isPinned: Bool = false, naming versions: [Version] = []
    ) -> Freshness {
        let staleMax = head.staleSecondsMax
        guard isPinned || staleMax != nil, let list, list.isReadable else { return .unknown }
        guard versions.allSatisfy({ list.isAt(orPast: $0) }),
            head.ifNoneMatch?.versions.allSatisfy({ list.isAt(orPast: $0) }) != false
        else { return .unknown }
        if isPinned { return .current }
        guard let staleMax, let age = store.millisecondsSinceCurrent(list), age <= staleMax * 1_000 else {
            return .unknown
        }
        return .aged(seconds: age / 1_000)
    }

    /// The same for a call.
    func freshnessInMemory(of call: Call) throws(Problem) -> Freshness {
        let isPinned = call.query[.at] != nil || call.query[.until] != nil
        guard isPinned || call.head.staleSecondsMax != nil else { return .unknown }
        var versions: [Version] = []
        for parameter in [QueryParameter.at, .since, .until] {
            if let version = try call.query.version(parameter) { versions.append(version) }
        }
        // The cursor of a page of transactions is a version.
        versions += [call.query[.cursor], call.head.field(.lastEventID)].compactMap { $0.flatMap { Version($0) } }
        return freshnessInMemory(
            of: store.loaded(try call.listID()), call.head, isPinned: isPinned, naming: versions)
    }

    /// Answers a read once the lists in memory are as the storage has had them since now.
    func check(_ lists: [ListID], _ body: Body = .empty) -> Answer {
        .later { [self] resumption in
            store.whenCurrent(lists) { [self] outcome in
                resumption.resume { [self] head in
                    switch outcome {
                    case .success:
                        let pace: Write.Pace = workers == nil ? .ordinary : .brief
                        return answer(to: Request(head: head, body: body), pace, .current)
                    case .failure(let error):
                        let trace = Trace(head, configuration)
                        return .send(refusal(Problem(checking: error), head, trace))
                    }
                }
            }
        }
    }
}

extension Problem {
    /// The problem of a read that cannot be checked.
    init(checking error: JournalError) {
        let reason = if case .away = error { "The storage cannot be reached" } else { "The storage could not be asked" }
        self = Problem(
            .unavailable,
            """
            \(reason), so nobody knows whether others have written since. To read what this server has in memory, send \
            the header Cache-Control: max-stale.
            """
        )
        .retrying(afterSeconds: 5)
        cause = "\(error)"
    }
}

extension ListActor {
    /// Whether readers see this version, or a later one of its epoch.
    fileprivate nonisolated func isAt(orPast version: Version) -> Bool {
        version.epoch == epoch && version.revision <= standing.revision
    }
}

extension RequestHead {
    /// The seconds for which an answer may be stale; nil if the client wants a current one.
    var staleSecondsMax: Int? {
        guard let first = field(.cacheControl) else { return nil }
        return staleSeconds(in: first) ?? fields(.cacheControl).dropFirst().lazy.compactMap(staleSeconds).first
    }
}
