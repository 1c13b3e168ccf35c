extension ListState {
    /// Takes back a span of edits that ended at this state, as a part of a transaction.
    ///
    /// Nothing is checked: the state before the span was one that the rules had made.
    public mutating func takeBack(_ delta: Delta, into log: inout TransactionLog) {
        for edit in delta.inverse.reversed() {
            perform(edit, recording: &log.delta)
            log.note(edit)
        }
        shareTexts(of: delta)
    }
}
