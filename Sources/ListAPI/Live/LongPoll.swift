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
    /// Whether the view has changed since `known`.
    private var isChanged = false
    private let rows: RowQuery
    private let standingRight: StandingRight
    private let form: UpdateForm
    /// The update that a worker makes; nil if there is none.
    private var order: LiveList.Order?
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
        _ standingRight: StandingRight, as form: UpdateForm, answer: @escaping (LiveUpdate) -> Response,
        refusal: @escaping (Problem) -> Response
    ) {
        self.list = list
        self.live = live
        self.base = base
        self.known = known
        self.rows = rows
        self.standingRight = standingRight
        self.form = form
        self.answer = answer
        self.refusal = refusal
    }

    deinit { live.leavePoll(rows) }

    var groups: [WakeGroup] { [live.group, standingRight.group] }

    func answer(_ occasion: Occasion) -> Response? {
        guard standingRight.isStill() else { return standingRight.refusal.map(refusal) }
        guard !list.standing.isGone else { return refusal(list.isReplaced ? .replaced : .noSuchList) }
        // Without anything new, each wake-up would order an update that says so.
        guard occasion != .ordinary || order != nil || list.standing.revision != known else { return nil }
        do throws(NoRoom) { return try news(occasion) } catch { return refusal(.overloaded) }
    }

    /// Nil if the view has not changed, or if a worker makes the update.
    private func news(_ occasion: Occasion) throws(NoRoom) -> Response? {
        if !isChanged {
            // Many polls share this look, whichever revision their clients know.
            guard let update = try update(from: known, occasion) else { return nil }
            if update.kind == .nothing, occasion == .ordinary {
                known = update.end
                return nil
            }
            guard known != base else { return answer(update) }
            isChanged = true
        }
        return try update(from: base, occasion).map(answer)
    }

    /// The changes are found from `known`, because history may have dropped `base`. The answer names `base`, because the
    /// client knows no other revision.
    ///
    /// - Returns: Nil if a worker makes the update. It is not waited for on the last occasion.
    private func update(from named: Int, _ occasion: Occasion) throws(NoRoom) -> LiveUpdate? {
        let form = named == base ? form : nil
        guard occasion == .ordinary else { return try live.update(of: list, since: known, from: named, rows, as: form) }
        return try live.promptUpdate(of: list, since: known, from: named, rows, as: form, &order)
    }
}
