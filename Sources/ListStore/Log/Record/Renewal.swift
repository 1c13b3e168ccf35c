public import ListModel
public import Texts

extension JournalEntry {
    /// The entries that lead a list into a new epoch, because entries of it may be missing. A deleted list stays deleted.
    ///
    /// - Parameters:
    ///   - epoch: `[a-z0-9]{1,32}`, never used before.
    ///   - last: The bytes of the last entry of the list.
    public static func renewal(of list: ListID, epoch: ByteText, after last: [UInt8]?) -> [JournalEntry] {
        guard let last, case .retire(let retirement)? = try? Record(last) else {
            return renewal(of: list, epoch: epoch, nil)
        }
        return renewal(of: list, epoch: epoch, retirement.renewed(epoch))
    }

    /// - Parameter retirement: That of the list in the new epoch, if it is deleted.
    static func renewal(of list: ListID, epoch: ByteText, _ retirement: Retirement?) -> [JournalEntry] {
        let first = JournalEntry(list: list, kind: .append, bytes: Record.renew(epoch: epoch).bytes, receipt: nil)
        guard let retirement else { return [first] }
        return [first, JournalEntry(list: list, kind: .retire, bytes: Record.retire(retirement).bytes, receipt: nil)]
    }
}

extension Retirement {
    /// The same for the list in a new epoch.
    func renewed(_ epoch: ByteText) -> Retirement {
        var renewed = self
        renewed.version = Version(epoch: epoch, revision: version.revision)
        return renewed
    }
}
