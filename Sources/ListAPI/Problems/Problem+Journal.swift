internal import ListStore

extension Problem {
    init(_ error: JournalError) {
        switch error {
        case .full:
            self.init(.diskFull, "There is no room on the disk. Nothing was written, and reading goes on.")
        case .tooLarge:
            self.init(
                .transactionTooLarge,
                "The transaction is larger than a row of the database can be. Nothing was written.")
        case .moved:
            self = Problem(
                .unavailable,
                "Others write to the list at the same time, and were first each time. Nothing was written: try again."
            )
            .retrying(afterSeconds: 1)
        case .away:
            self = Problem(.unavailable, "The storage cannot be reached. Nothing was written: try again.")
                .retrying(afterSeconds: 5)
        case .otherFormat:
            self = Problem(
                .unavailable, "A newer server has changed the storage. Nothing was written: replace this server."
            )
            .retrying(afterSeconds: 5)
        case .unknown, .io, .corrupt, .locked, .readOnly, .closed:
            self = Problem(.unavailable, "The write may not be on disk. Retry it with the same Idempotency-Key.")
                .retrying(afterSeconds: 5)
        }
        cause = "\(error)"
    }
}
