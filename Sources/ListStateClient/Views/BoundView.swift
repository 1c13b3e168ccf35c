import ListDiff

/// A view that shows a list, for as long as the view lives.
@MainActor final class BoundView {
    private(set) weak var view: AnyObject?
    /// Shows a change, of which nil says that everything is new. It calls `change`, which changes the rows, once.
    let show: (_ changes: ChangeSet?, _ change: @escaping () -> Void) -> Void
    private let kept: AnyObject?

    /// - Parameter kept: An object that lives as long as the binding, such as the data source of the view.
    init(_ view: AnyObject, keeping kept: AnyObject?, show: @escaping (ChangeSet?, @escaping () -> Void) -> Void) {
        (self.view, self.kept, self.show) = (view, kept, show)
    }
}
