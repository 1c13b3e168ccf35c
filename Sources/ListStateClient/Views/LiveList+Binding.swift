public import Foundation
import ListDiff
import ListModel

// Views that show a list.

extension LiveList {
    /// Lets a view show the rows of `sections`, and follow all changes until the view goes or is unbound.
    ///
    /// The data source of the view reads `sections` and `row(at:)`. It sees a change just when the view is told of it.
    /// Each change set is one batch, and what looks different follows in a second one.
    public func bind(to view: some BatchUpdatedView) { bind(view, of: view, keeping: nil) }

    /// Ends what `bind` has begun.
    public func unbind(from view: AnyObject) { views.removeAll { $0.view === view } }

    /// The row at an index path of `sections`.
    public func row(at path: IndexPath) -> LiveRow<Content> { shownRow(sections[path[0]].items[path[1]]) }

    /// - Parameter owner: An object whose end is the end of the binding.
    func bind(_ view: some BatchUpdatedView, of owner: AnyObject, keeping kept: AnyObject?) {
        bind(owner, keeping: kept) { [weak view] changes, change in
            guard let view else { return change() }
            guard let changes else {
                change()
                return view.reloadData()
            }
            let batch = ViewBatch(changes)
            guard !changes.isAnimated else { return batch.perform(on: view, change) }
            view.performWithoutAnimation { batch.perform(on: view, change) }
        }
        view.reloadData()
    }

    /// Lets something that takes whole snapshots show the rows.
    ///
    /// - Parameters:
    ///   - isShown: Whether it shows an item already.
    ///   - apply: Shows a snapshot. The change set is nil if everything is new.
    func bind(
        snapshotsTo owner: AnyObject, isShown: @escaping (ItemID) -> Bool,
        apply: @escaping (ViewSnapshot, ChangeSet?) -> Void
    ) {
        bind(owner, keeping: nil) { [weak self] changes, change in
            change()
            guard let self else { return }
            apply(ViewSnapshot(shownItems, after: changes, isShown: isShown), changes)
        }
        apply(ViewSnapshot(shownItems, after: nil, isShown: isShown), nil)
    }

    private func bind(
        _ view: AnyObject, keeping kept: AnyObject?, show: @escaping (ChangeSet?, @escaping () -> Void) -> Void
    ) {
        unbind(from: view)
        views.append(BoundView(view, keeping: kept, show: show))
    }

    private var shownItems: [(id: SectionID, items: [ItemID])] { sections.map { ($0.id, $0.items) } }
}
