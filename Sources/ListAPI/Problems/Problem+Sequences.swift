internal import ListStore

extension Problem {
    /// The problem of a write whose number is not the next one of its sequence.
    init(_ reason: OutOfSequence) {
        switch reason {
        case .gap(let expected):
            self.init(
                .sequenceGap,
                """
                The sequence of this client for this list goes on with Client-Sequence: \(expected). The writes with lower \
                numbers were applied or refused; those from it on are not in the list, also if they were answered once and \
                the server was restored from a copy since.
                """)
            self.expected = expected
        case .unknown:
            self.init(
                .sequenceGap,
                """
                The server does not know this sequence. Nothing with number 1 has come, or the sequence was not used for \
                longer than clientAgeDays, went for lack of room, or was lost when the server was restored from an older \
                copy or repaired. Look at the list before you send writes again; their numbers begin with 1.
                """)
        case .otherRequest:
            self.init(
                .keyReused,
                """
                Another request came with this number before. A retry has the same path, query, body and preconditions; \
                another request needs the next number.
                """)
        case .inFlight:
            self = Problem(
                .keyInFlight,
                "A request with this number, or with one before it, is not answered yet: try again when it is."
            ).retrying(afterSeconds: 1)
        case .appliedBefore, .refusedBefore:
            self.init(
                .sequenceRefused,
                "The write with this number was refused, and the reason is no longer kept. Go on with the next one.")
        }
    }
}
