internal import HTTPTypes
internal import ListDiff
internal import ListModel
internal import ListStore
internal import Microhttpd

extension API {
    /// `GET /v1/lists/{list}/changes`
    func getChanges(_ call: Call) throws(Problem) -> Answer {
        let (since, view) = (try call.query.version(.since), try call.query.view())
        let isReload = try isReload(call)
        let id = try call.listID()
        guard let list = store.list(id) else { throw .noSuchList }
        let answer = list.enter { $0.catchup(since: since, view: view, isReload: isReload) }
        guard !answer.isHistoryLost || !call.preferences.isStrict else {
            throw Problem(.versionGone, "What happened since that version is no longer known; leave since out.")
        }
        var fields = [Response.Field].json
        if call.preferences.isStrict { fields.append(Response.Field("Preference-Applied", "handling=strict")) }
        let version = VersionText(answer.catchup.version)
        return .send(read(body(answer.catchup, id, view), fields, version: version, to: call))
    }

    /// A reset to the head takes the snapshot that all readers share: after a restart every client may want one.
    private func body(_ catchup: Catchup, _ list: ListID, _ view: View) -> [UInt8] {
        guard case .reset(let snapshot) = catchup, view == .items, let published = published(list),
            published.version == snapshot.version
        else { return catchup.body(list: list, view: view) }
        return resetBody(list: list, to: published.version, snapshot: published.body)
    }

    private func isReload(_ call: Call) throws(Problem) -> Bool {
        switch call.query[.mode] {
        case nil, "difference": return false
        case "reload": return true
        default: throw .parameter("mode", "Either difference or reload.")
        }
    }
}

extension Catchup {
    /// The version that it leads to.
    var version: Version {
        switch self {
        case .changes(_, _, let version): version
        case .reset(let snapshot): snapshot.version
        }
    }
}
