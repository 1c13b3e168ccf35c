import ListDiff
import ListModel
import ListStore

extension StoreFixture {
    func write(_ operations: [ListModel.Operation], by caller: String = "anonymous") throws -> WriteResult {
        try submit(.operations(operations), by: caller)
    }

    /// - Parameter version: The transaction; nil is the last one of the caller.
    func undo(_ version: Version?, by caller: String = "anonymous") throws -> WriteResult {
        try submit(.undo(version), by: caller)
    }

    func redo(_ version: Version?, by caller: String = "anonymous") throws -> WriteResult {
        try submit(.redo(version), by: caller)
    }

    func submit(_ intent: WriteIntent, by caller: String = "anonymous") throws -> WriteResult {
        try store.submit(Self.list, Write(intent, caller: ByteText(caller))).result.get()
    }
}
