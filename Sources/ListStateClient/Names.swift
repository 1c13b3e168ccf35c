public import ClientState
public import ListDiff
public import ListModel
public import Texts

// The types of other modules that this one speaks of, so that a program imports nothing else. Whole modules would bring
// names that others have, too, such as the `View` of SwiftUI.

/// The id of a list.
public typealias ListID = ListModel.ListID
/// The id of a section.
public typealias SectionID = ListModel.SectionID
/// The id of an item.
public typealias ItemID = ListModel.ItemID
/// An item with its kind, its content and its flags.
public typealias Item = ListModel.Item
/// The title and the layout of a list.
public typealias ListProperties = ListModel.ListProperties
/// The title, the layout, the header and the footer of a section.
public typealias SectionProperties = ListModel.SectionProperties
/// A section, or an item with children.
public typealias Container = ListModel.Container
/// The numbers of a whole list: its sections, its items, and the items of which every ancestor is expanded.
public typealias ListCounts = ListModel.ListCounts
/// The place of a window among the rows: the number of rows above it, and that of all rows.
public typealias WindowPlace = ListDiff.WindowPlace
/// A text that is compared as bytes.
public typealias ByteText = Texts.ByteText
/// The difference between two states of what is shown, as the indexes of a batch update.
public typealias ChangeSet = ListDiff.ChangeSet
/// The reason why rows cannot have a wanted order.
public typealias ReorderError = ListDiff.ReorderError
/// What became of one operation of an edit.
public typealias OperationOutcome = ClientState.OperationOutcome
/// The reason for which a server has refused a request.
public typealias ServerProblem = ClientState.ServerProblem
