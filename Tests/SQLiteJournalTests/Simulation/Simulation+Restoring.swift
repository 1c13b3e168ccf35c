import ListDiff
import ListModel
import TestSupport

@testable import ListStore

// Restorations of existing and of deleted lists.

extension Simulation {
    /// A restoration of a version that is or was kept, sometimes of an earlier life. The version is left out at times,
    /// mostly for a deleted list.
    mutating func restoration(of list: ListID) -> WriteIntent {
        let deleted = store.deletedLists(after: nil, limit: .max).first { $0.id == list }
        guard let head = head(of: list) ?? deleted?.version, !random.once(in: deleted == nil ? 20 : 2) else {
            return .operations([])
        }
        if random.once(in: 12), let other = images.keys.filter({ $0.epoch != head.epoch }).min(by: isOlder) {
            return .restore(other)
        }
        // History keeps eight versions.
        return .restore(Version(epoch: head.epoch, revision: max(1, head.revision + 1 - random.below(14))))
    }

    /// Sorts versions, so that the same seed makes the same choice.
    private func isOlder(_ left: Version, _ right: Version) -> Bool {
        (left.epoch, left.revision) < (right.epoch, right.revision)
    }

    /// Checks that a restored list is as it was.
    ///
    /// - Parameter version: The version that was asked for; nil for the last one before the deletion.
    mutating func checkRestored(_ image: ListImage, _ result: WriteResult, _ version: Version?) throws {
        let before = Version(epoch: result.version.epoch, revision: result.version.revision - 1)
        let wanted = version ?? before
        guard wanted.epoch == result.version.epoch else {
            throw violation("\(wanted) was restored as \(result.version)")
        }
        if !images.keys.contains(where: { $0.epoch == wanted.epoch }), images.values.contains(image) {
            // A start has given the deleted list this epoch, because commits may be missing.
            images[wanted] = image
        }
        guard images[wanted] == image else {
            throw violation("\(result.version) is not what \(wanted) was, which it restored")
        }
    }

    /// Checks after a start that the list that was deleted last can be restored while it is kept.
    func checkLastDeletion(now: Int) throws {
        guard let deleted = lastDeletion, lastKeys[deleted.list] == deleted.key,
            let limits = Self.limits.deleted, now - deleted.time < limits.ageMax, !store.isDeleted(deleted.list)
        else { return }
        // The order of two lists that were deleted in the same second is not kept.
        let others = store.deletedLists(after: nil, limit: .max)
        guard others.contains(where: { $0.time >= deleted.time }) else {
            throw violation("the list \(deleted.list) was deleted last, and cannot be restored")
        }
    }

    /// Checks that a refusal names neither a version that must be kept nor a deleted list that can be restored.
    mutating func checkRefusal(
        _ error: StoreError, of write: Write, on list: ListID, isRestorable: Bool
    ) throws {
        switch error {
        case .versionGone:
            besides.tooLate += 1
            guard let wanted = write.restored, images[wanted] != nil else { return }
            // A version that was lost may nevertheless have pushed an older one out.
            let furthest = furthest[wanted.epoch] ?? 0
            guard furthest - wanted.revision > Self.limits.historyVersionsMax else {
                throw violation("\(wanted) is said to be no longer kept, and \(furthest) was the furthest")
            }
        case .noSuchList:
            besides.tooLate += 1
            guard !isRestorable else { throw violation("the list \(list) is said to be gone, and can be restored") }
        default: break
        }
    }
}

extension Write {
    /// The version that a restoration names; nil if it names none.
    var restored: Version? {
        if case .restore(let version) = intent { version } else { nil }
    }
}
