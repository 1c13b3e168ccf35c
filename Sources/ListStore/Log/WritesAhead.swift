/// A journal that takes a long record in parts, before the entry that the record belongs to.
///
/// The record of an entry may be as long as a whole list, and commits of other lists would wait while it is written. So
/// it is *written ahead*, and then the entry is committed with a name in the place of the record:
///
///     write(ahead: parts) ──▶ name ──▶ commit of an entry with that name
///                                 └──▶ forget(ahead: name), if there will be none
///
/// Readers get the entry with its whole record. Parts whose entry never came belong to nobody. They are removed as other
/// things that are no longer needed, but not while their entry may still come.
public protocol WritesAhead: Sendable {
    /// The most bytes of a part. A longer record is written ahead.
    var partBytes: Int { get }

    /// Writes the parts of a record, one after the other. Commits go between them.
    ///
    /// Blocks until all are written. They are durable no later than the entry that gets the name.
    ///
    /// - Parameter parts: At least one. The journal frees each when it is written.
    /// - Returns: The name, for one entry.
    /// - Throws: As `Journal.commit`. There is no name then, and what was written belongs to nobody.
    func write(ahead parts: consuming [[UInt8]]) throws(JournalError) -> [UInt8]

    /// Gives up what was written ahead for an entry that will not be written. Does nothing if there is an entry with the
    /// name.
    func forget(ahead name: [UInt8])
}
