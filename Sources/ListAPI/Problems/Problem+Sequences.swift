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
                numbers are there; those from it on are not, also if they were answered once and the server was \
                restored from a copy since.
                """)
            self.expected = expected
        case .otherRequest:
            self.init(
                .keyReused,
                """
                Another request came with this number before. A retry has the same path, query, body and preconditions; \
                another request needs the next number.
                """)
        case .inFlight:
            self = Problem(
                .keyInFlight, "The first request with this number is not answered yet: try again when it is."
            ).retrying(afterSeconds: 1)
        case .appliedBefore, .refusedBefore:
            self.init(
                .sequenceRefused,
                "The write with this number was refused, and the reason is no longer kept. Go on with the next one.")
        }
    }
}
