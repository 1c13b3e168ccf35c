internal import ListDiff
internal import ListModel
internal import ListWire

extension Query {
    /// The problems of all parameters. Each is read on its own, for a request that one of them has refused already.
    ///
    /// - Parameter parameters: Nil stands for those of the endpoint.
    func problems(of parameters: [QueryParameter]? = nil, at endpoint: Endpoint) -> [Problem] {
        var problems: [Problem] = []
        for parameter in parameters ?? endpoint.parameters {
            do throws(Problem) { try check(parameter, at: endpoint) } catch { problems.append(error) }
        }
        return problems
    }

    /// Adds the problems of all other parameters to a problem of one parameter. Any other problem is returned
    /// unchanged.
    func completed(_ problem: Problem, at endpoint: Endpoint) -> Problem {
        guard problem.code == .invalid, problem.faults.first?.pointer.hasPrefix("?") == true else { return problem }
        return Problem(all: [problem] + problems(at: endpoint))
    }

    private func check(_ parameter: QueryParameter, at endpoint: Endpoint) throws(Problem) {
        switch parameter {
        case .view: _ = try view()
        case .strict, .dryRun, .deleted, .purge, .starred: _ = try flag(parameter)
        case .since, .at: _ = try version(parameter)
        case .until: _ = try until(isStream: false)
        case .mode: _ = try isReload()
        case .wait: _ = try wait()
        case .limit: _ = try limit(at: endpoint)
        case .cursor: try checkCursor(at: endpoint)
        case .list: _ = try followedNames(most: followedListsMax)
        case .expanded: _ = try expanded(view(orElse: hasWindow ? .visible : .items))
        case .section: _ = try sections()
        case .filter, .previousFilter: _ = try textFilter(parameter)
        case .field: _ = try path(.field, self[.field])
        case .kind: _ = try kind()
        case .where: _ = try valueFilters()
        case .sort: _ = try sort()
        case .before, .after: _ = try windowCount(parameter)
        case .around, .row: _ = try window()
        // `category` is the only parameter of its endpoint, which checks it. A ticket was looked at before the query.
        case .category, .ticket: break
        }
    }

    private func checkCursor(at endpoint: Endpoint) throws(Problem) {
        guard let cursor = self[.cursor] else { return }
        guard endpoint != .getList else { return _ = try Page(self, []) }
        guard endpoint == .listLists ? ListID(cursor) != nil : Version(cursor) != nil else { throw .notACursor }
    }
}

extension Problem {
    /// Joins the problems of one request into one.
    ///
    /// - Parameter problems: At least one problem; the first one decides the code, and its detail tells its first fault.
    init(all problems: [Problem]) {
        self = problems[0]
        for fault in problems.dropFirst().flatMap(\.faults) where faults.count < WireErrors.most {
            let isTold = faults.contains { $0.pointer == fault.pointer && $0.detail == fault.detail }
            if !isTold { faults.append(fault) }
        }
        switch faults.count - 1 {
        case ...0: break
        case 1: detail += " There is another error: see errors."
        case let others: detail += " There are \(others) more errors: see errors."
        }
    }
}
