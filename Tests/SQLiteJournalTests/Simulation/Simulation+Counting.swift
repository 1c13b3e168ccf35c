// Counts the outcomes of writes, and how often each kind of write met a failure.

extension Simulation {
    /// Counts of events beside failing commits. Without these events a simulation that finds nothing would prove
    /// little.
    struct Besides: Sendable, Equatable {
        /// DELETEs that were answered with a failure.
        var endsFailed = 0
        /// PUTs of a list whose end waited for the disk, and how many of them failed.
        var successors = 0
        var successorsFailed = 0
        /// Ends that were decided, and ends that failed, while the next PUT was being carried out.
        var endsWithinSuccessors = 0
        var endsFailedWithinSuccessors = 0
        /// Undos that failed, and undos that were written while another write failed.
        var undosFailed = 0
        var undosBesideFailures = 0
        /// Restorations of existing lists and of deleted ones, and how many of each failed.
        var restored = 0
        var revived = 0
        var restoresFailed = 0
        var revivalsFailed = 0
        /// Restorations of deleted lists whose end waited for the disk, and how many of them failed.
        var revivedOverEnd = 0
        var revivedOverEndFailed = 0
        /// Restorations that were refused because the version was no longer kept or the list was purged.
        var tooLate = 0
    }

    /// The outcomes since they were last read.
    struct Told: Sendable {
        var acknowledged: [Sent] = []
        var refused: [Sent] = []
        var unknown: [Sent] = []

        var failed: [Sent] { refused + unknown }
        var all: [Sent] { acknowledged + failed }
    }

    mutating func count(_ told: Told) {
        let failed = told.failed
        besides.endsFailed += failed.count { $0.kind == .delete }
        besides.successors += told.all.count { $0.isOverEnd && !$0.isRevival }
        besides.successorsFailed += failed.count { $0.isOverEnd && !$0.isRevival }
        besides.undosFailed += failed.count { $0.kind == .undo }
        if !failed.isEmpty { besides.undosBesideFailures += told.acknowledged.count { $0.kind == .undo } }
        besides.restored += told.acknowledged.count { $0.kind == .restore && !$0.isRevival }
        besides.revived += told.acknowledged.count { $0.isRevival }
        besides.restoresFailed += failed.count { $0.kind == .restore && !$0.isRevival }
        besides.revivalsFailed += failed.count { $0.isRevival }
        besides.revivedOverEnd += told.all.count { $0.isRevival && $0.isOverEnd }
        besides.revivedOverEndFailed += failed.count { $0.isRevival && $0.isOverEnd }
    }
}
