import ListDiff
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
        do throws(StoreError) {
            switch try begin(number, of: id, write.pace) {
            case .next(let next): turn = next
            case .kept(let bytes): return replayed(bytes, view: write)
            case .out(let reason): throw .outOfSequence(reason)
            case .mustAsk: return .busy
            }
        } catch {
            return Submission(.failure(error), durability: nil)
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
    ) throws(StoreError) -> ClientSequences.Lookup {
        let known = shared.sequences.begin(number, of: id, hasAsked: false)
        guard case .mustAsk = known, pace != .brief, let journal else { return known }
        do throws(JournalError) {
            shared.sequences.take(try journal.record(number.key(of: id)), of: number, id)
        } catch {
            throw .journal(error)
        }
        return shared.sequences.begin(number, of: id, hasAsked: true)
    }

    /// Checks that a number is the next one of its sequence, for a write that is about to be refused.
    ///
    /// - Throws: `.outOfSequence`; `.busy` if a brief caller would have to ask the journal; `.journal` if it cannot be asked.
    public func checkNumber(_ number: WriteNumber, of id: ListID, _ pace: Write.Pace) throws(StoreError) {
        switch try begin(number, of: id, pace) {
        case .next(let turn):
            shared.sequences.release(number, of: id, turn: turn)
        // The answer is made by the list, and the write does not come to it any more.
        case .kept: throw .outOfSequence(.appliedBefore)
        case .out(let reason): throw .outOfSequence(reason)
        case .mustAsk: throw .busy
        }
    }

    /// Uses a number up whose write was refused, so that it is refused for good. The number has just been looked up.
    ///
    /// - Parameters:
    ///   - answer: What `.refusedBefore` has for retries.
    ///   - completion: It is called once, on any thread.
    public func refuse(
        _ number: WriteNumber, of id: ListID, answer: [UInt8],
        completion: @escaping @Sendable (ClientSequences.UsingUp) -> Void
    ) {
        guard case .next(let turn) = shared.sequences.begin(number, of: id, hasAsked: true) else {
            return completion(.overtaken)
        }
        shared.sequences.refuse(number, of: id, turn: turn, answer: answer, completion: completion)
    }
}

extension StoreShared {
    /// Notes that a write with a number is applied; nil if the write has none.
    func accept(_ write: Write, _ list: ListID, _ result: WriteResult) -> ClientSequences.Accepted? {
        guard let number = write.number else { return nil }
        let answer = KeptAnswer(number.request, list, write, result)
        return sequences.accept(number, of: list, answer: answer.bytes)
    }

    /// Keeps the receipt of a write that has become durable, or frees the key of one that was lost. The same for its
    /// number.
    func settle(
        _ receipt: Receipt?, of key: ReceiptKey?, _ accepted: ClientSequences.Accepted?,
        _ outcome: Result<Void, JournalError>
    ) {
        if let accepted { sequences.settle(accepted, outcome) }
        guard let key, let receipt else { return }
        switch outcome {
        case .success: receipts.keep(key, time: receipt.time, bytes: receipt.bytes)
        case .failure: receipts.abandon(key)
        }
    }
}
