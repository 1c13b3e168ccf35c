internal import ListStore
internal import Threads

/// Reads pieces ahead on a thread of its own, so that one piece is read while another is used.
final class Prefetch<Piece: Sendable>: Sendable {
    private struct State: Sendable {
        var pieces: [Piece] = []
        var hasEnded = false
        var failure: (any Error)?
        var isStopping = false
    }

    /// The most pieces that wait to be used.
    private static var waitingMax: Int { 4 }
    private let state = Locked(State())

    /// Calls `body` with the pieces in order, until there are no more.
    ///
    /// - Parameter read: Returns the next piece; nil at the end. It runs on a thread of its own, and not after this has
    ///   returned.
    /// - Throws: The error of `read` or of `body`.
    static func forEach(_ read: @escaping @Sendable () throws -> Piece?, _ body: (Piece) throws -> Void) throws {
        let prefetch = Prefetch()
        let thread = try Thread { prefetch.run(read) }
        defer {
            prefetch.state.change { $0.isStopping = true }
            thread.join()
        }
        while let piece = try prefetch.next() { try body(piece) }
    }

    private func run(_ read: () throws -> Piece?) {
        while state.wait(until: { $0.pieces.count < Self.waitingMax || $0.isStopping }, then: { !$0.isStopping }) {
            let piece = Result(catching: read)
            let isLast = state.change { state in
                switch piece {
                case .success(let piece?): state.pieces.append(piece)
                case .success(nil): state.hasEnded = true
                case .failure(let error): (state.hasEnded, state.failure) = (true, error)
                }
                return state.hasEnded
            }
            guard !isLast else { return }
        }
    }

    private func next() throws -> Piece? {
        state.wait(until: { !$0.pieces.isEmpty || $0.hasEnded }) { _ in }
        let (piece, failure): (Piece?, (any Error)?) = state.change { state in
            state.pieces.isEmpty ? (nil, state.failure) : (state.pieces.removeFirst(), nil)
        }
        if let failure { throw failure }
        return piece
    }
}
