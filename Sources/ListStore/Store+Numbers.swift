public import ListModel

// Writes that clients have numbered (docs/contract.md section 11).

extension Store {
    /// Looks a number up before everything else, and frees it if the write is refused.
    ///
    /// - Parameter body: As that of `keyed`.
    func numbered(
        _ number: WriteNumber, _ id: ListID, _ write: Write, _ body: (Write) throws(StoreError) -> Submission
    ) -> Submission {
        let turn: Int
        switch begin(number, of: id, write.pace) {
        case .failure(let error): return Submission(.failure(error), durability: nil)
        case .success(.next(let next)): turn = next
        case .success(.kept(.result(let bytes))): return replayed(bytes, view: write)
        case .success(.kept(.applied)), .success(.applied):
            return Submission(.failure(.appliedBefore), durability: nil)
        case .success(.kept(.refusal(let bytes))): return Submission(.failure(.refusedBefore(bytes)), durability: nil)
        case .success(.refused): return Submission(.failure(.refusedBefore(nil)), durability: nil)
        case .success(.otherRequest): return Submission(.failure(.keyReused), durability: nil)
        case .success(.inFlight): return Submission(.failure(.keyInFlight), durability: nil)
        case .success(.gap(let expected)):
            return Submission(.failure(.sequenceGap(expected: expected)), durability: nil)
        case .success(.mustAsk): return .busy
        }
        let submission = run(id, write, body)
        shared.sequences.release(number, of: id, turn: turn)
        return submission
    }

    /// Looks a number up. If another store may know more, the journal is asked.
    ///
    /// - Returns: `.mustAsk` if a brief write would have to ask.
    private func begin(
        _ number: WriteNumber, of id: ListID, _ pace: Write.Pace
    ) -> Result<ClientSequences.Lookup, StoreError> {
        let known = shared.sequences.begin(number, of: id, hasAsked: false)
        guard case .mustAsk = known, pace != .brief, let journal else { return .success(known) }
        do throws(JournalError) {
            shared.sequences.take(try journal.record(number.key(of: id)), of: number, id)
        } catch {
            return .failure(.journal(error))
        }
        return .success(shared.sequences.begin(number, of: id, hasAsked: true))
    }

    /// Uses a number up whose write was refused, so that it is refused for good.
    ///
    /// - Parameters:
    ///   - answer: What `.refusedBefore` has for retries.
    ///   - completion: It is called once, on any thread, with whether the number is used up. It is not if it is not the
    ///     next one, or if the journal has failed.
    public func refuse(
        _ number: WriteNumber, of id: ListID, answer: [UInt8], completion: @escaping @Sendable (Bool) -> Void
    ) {
        guard case .next(let turn) = shared.sequences.begin(number, of: id, hasAsked: true) else {
            return completion(false)
        }
        shared.sequences.refuse(number, of: id, turn: turn, answer: answer, completion: completion)
    }
}
