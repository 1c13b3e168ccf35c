public import Foundation

/// A view that shows rows in sections and takes their changes in batches, such as `UICollectionView`.
///
/// The methods are those of `UICollectionView`, with its rules. In a batch, indexes of deletions and the sources of
/// moves are those before it, and all other indexes are those after it. What is reconfigured or reloaded stands outside
/// of a batch with other changes.
@MainActor public protocol BatchUpdatedView: AnyObject {
    /// Does the changes of one batch, between a look at the rows before them and one at the rows after them.
    func performUpdates(_ updates: @escaping () -> Void)
    /// Does changes without animating them.
    func performWithoutAnimation(_ updates: () -> Void)
    /// Shows everything anew.
    func reloadData()

    /// Shows sections that have come.
    func insertSections(_ sections: IndexSet)
    /// Takes sections away with their rows.
    func deleteSections(_ sections: IndexSet)
    /// Moves a section with its rows.
    func moveSection(_ section: Int, toSection newSection: Int)
    /// Shows sections anew, with all that belongs to them.
    func reloadSections(_ sections: IndexSet)

    /// Shows rows that have come.
    func insertItems(at indexPaths: [IndexPath])
    /// Takes rows away.
    func deleteItems(at indexPaths: [IndexPath])
    /// Moves the cell of a row.
    func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath)
    /// Lets the cells of rows show their new contents.
    func reconfigureItems(at indexPaths: [IndexPath])
    /// Gives rows new cells, perhaps of another kind.
    func reloadItems(at indexPaths: [IndexPath])
}
