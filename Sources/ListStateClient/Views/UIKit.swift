#if canImport(UIKit)
    import ListDiff
    public import ListModel
    public import UIKit

    // MARK: - Collection views

    extension UICollectionView: BatchUpdatedView {
        /// Does the changes of one batch.
        public func performUpdates(_ updates: @escaping () -> Void) { performBatchUpdates(updates, completion: nil) }

        /// Does changes without animating them.
        public func performWithoutAnimation(_ updates: () -> Void) { UIView.performWithoutAnimation(updates) }
    }

    extension LiveList {
        /// Lets a collection view show the rows and follow all changes, with a data source that is made here.
        ///
        /// - Parameters:
        ///   - view: The view, whose data source is set.
        ///   - cell: Makes the cell of a row. It is called again when the row looks different.
        public func bind(
            to view: UICollectionView,
            cell: @escaping (UICollectionView, IndexPath, LiveRow<Content>) -> UICollectionViewCell
        ) {
            let source = CellSource(self, cell)
            view.dataSource = source
            bind(view, of: view, keeping: source)
        }
    }

    /// A data source that reads a list.
    private final class CellSource<Content: Codable & Sendable>: NSObject, UICollectionViewDataSource {
        private weak var list: LiveList<Content>?
        private let cell: (UICollectionView, IndexPath, LiveRow<Content>) -> UICollectionViewCell

        init(
            _ list: LiveList<Content>,
            _ cell: @escaping (UICollectionView, IndexPath, LiveRow<Content>) -> UICollectionViewCell
        ) {
            (self.list, self.cell) = (list, cell)
        }

        func numberOfSections(in collectionView: UICollectionView) -> Int { list?.sections.count ?? 0 }

        func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
            list?.sections[section].items.count ?? 0
        }

        func collectionView(
            _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
        ) -> UICollectionViewCell {
            guard let list else { return UICollectionViewCell() }
            return cell(collectionView, indexPath, list.row(at: indexPath))
        }
    }

    // MARK: - Diffable data sources

    extension LiveList {
        /// Lets a diffable data source show the rows, and follow all changes until it goes or is unbound.
        ///
        /// Rows that look different are reconfigured, so their cells stay.
        public func bind(to source: UICollectionViewDiffableDataSource<SectionID, ItemID>) {
            bind(snapshotsTo: source, isShown: { [weak source] in source?.indexPath(for: $0) != nil }) {
                [weak source] rows, changes in
                let snapshot = NSDiffableDataSourceSnapshot(rows)
                guard let changes else {
                    source?.applySnapshotUsingReloadData(snapshot)
                    return
                }
                source?.apply(snapshot, animatingDifferences: changes.isAnimated)
            }
        }

        /// Gives rows the order that a diffable data source shows after a drag.
        ///
        /// If the rows cannot have that order, nothing is sent, and the data source gets the old order back.
        @discardableResult
        public func reorder(_ transaction: NSDiffableDataSourceTransaction<SectionID, ItemID>) -> SentEdit {
            reorder(shown: transaction.sectionTransactions.map { ($0.sectionIdentifier, $0.difference) })
        }
    }

    extension NSDiffableDataSourceSnapshot<SectionID, ItemID> {
        fileprivate init(_ rows: ViewSnapshot) {
            self.init()
            appendSections(rows.sections.map(\.id))
            for (section, items) in rows.sections { appendItems(items, toSection: section) }
            reloadSections(rows.reloadedSections)
            reloadItems(rows.reloadedItems)
            reconfigureItems(rows.reconfiguredItems)
        }
    }

    // MARK: - Table views

    extension LiveList {
        /// Lets a table view show the rows of `sections`, and follow all changes until the view goes or is unbound.
        public func bind(to view: UITableView) {
            let rows = TableRows(view)
            bind(rows, of: view, keeping: rows)
        }
    }

    /// A table view with the words of a collection view.
    private final class TableRows: BatchUpdatedView {
        private weak var view: UITableView?

        init(_ view: UITableView) { self.view = view }

        func performUpdates(_ updates: @escaping () -> Void) {
            guard let view else { return updates() }
            view.performBatchUpdates(updates, completion: nil)
        }

        func performWithoutAnimation(_ updates: () -> Void) { UIView.performWithoutAnimation(updates) }
        func reloadData() { view?.reloadData() }

        func insertSections(_ sections: IndexSet) { view?.insertSections(sections, with: .automatic) }
        func deleteSections(_ sections: IndexSet) { view?.deleteSections(sections, with: .automatic) }
        func moveSection(_ section: Int, toSection newSection: Int) {
            view?.moveSection(section, toSection: newSection)
        }
        func reloadSections(_ sections: IndexSet) { view?.reloadSections(sections, with: .automatic) }

        func insertItems(at indexPaths: [IndexPath]) { view?.insertRows(at: indexPaths, with: .automatic) }
        func deleteItems(at indexPaths: [IndexPath]) { view?.deleteRows(at: indexPaths, with: .automatic) }
        func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
            view?.moveRow(at: indexPath, to: newIndexPath)
        }
        func reconfigureItems(at indexPaths: [IndexPath]) { view?.reconfigureRows(at: indexPaths) }
        func reloadItems(at indexPaths: [IndexPath]) { view?.reloadRows(at: indexPaths, with: .automatic) }
    }
#endif
