internal import ListDiff
internal import ListStore
internal import Microhttpd

/// A request for changes that is answered when there are changes.
final class LongPoll: AnswerSource {
    private let list: ListActor
    private let live: LiveList
    private let base: Int
    /// The newest revision at which the view was the same as at `base`.
    private var known: Int
    private let rows: RowQuery
    private let answer: (LiveUpdate) -> Response
    private let refusal: (Problem) -> Response

    /// - Parameters:
    ///   - live: The live list that has admitted the query.
    ///   - base: The revision that the client knows.
    ///   - known: The newest revision at which the view is known to be the same as at `base`.
    ///   - answer: Makes the response for an update, also for an empty one.
    ///   - refusal: Makes the response for a problem.
    init(
        _ list: ListActor, _ live: LiveList, since base: Int, upTo known: Int, _ rows: RowQuery,
        answer: @escaping (LiveUpdate) -> Response, refusal: @escaping (Problem) -> Response
    ) {
        self.list = list
        self.live = live
        self.base = base
        self.known = known
        self.rows = rows
        self.answer = answer
        self.refusal = refusal
    }

    deinit { live.queries.leave(rows) }

    var groups: [WakeGroup] { [live.group] }

    func answer(_ occasion: Occasion) -> Response? {
        guard !list.standing.isGone else { return refusal(.noSuchList) }
        let update = live.update(of: list, since: known, rows)
        if update.kind == .nothing, occasion == .ordinary {
            known = update.end
            return nil
        }
        guard known != base else { return answer(update) }
        // The changes are found from `known`, because history may have dropped `base`. The answer names `base`, because
        // the client knows no other revision.
        return answer(live.update(of: list, since: known, from: base, rows))
    }
}
