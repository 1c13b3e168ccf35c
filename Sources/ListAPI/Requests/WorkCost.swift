internal import HTTPTypes
internal import ListModel
internal import ListStore
internal import Microhttpd
internal import Texts
internal import Threads

/// About how much memory a worker takes for a request, besides the request itself. The memory counts while it works.
extension API {
    /// Lets a worker answer, if there is room for the work when it begins.
    func handOver(_ request: Request, _ freshness: Freshness) -> Answer {
        let (head, body) = (request.head.kept, request.body)
        let errand = Errand(of: request.head, router)
        return .later { [self] resumption in
            workers?.run(errand) { [self] in
                let request = Request(head: RequestHead(head), body: body)
                let memory = configuration.memory
                let cost = workCost(of: request)
                guard memory.take(cost, .work) else {
                    let problem = memory.neverHasRoom(for: cost) ? neverFits : .overloaded
                    let trace = Trace(request.head, origins: configuration.origins, isWatched: watchesRequests)
                    return resumption.resume(with: .send(refusal(problem, request.head, trace)))
                }
                let answer = answer(to: request, .long, freshness)
                memory.count(-cost, .work)
                resumption.resume(with: answer)
            }
        }
    }

    private var neverFits: Problem {
        .exceeded(.bodyTooLarge, Problem.Limit(name: "memoryMebibytes", value: configuration.memory.bytesMax >> 20))
    }

    private func workCost(of request: Request) -> Int {
        guard request.body.isEmpty else {
            // The server counts a body four times while it is here, which is enough for most.
            return max(0, Self.rowBytes * mostRows(in: request.body.bytes) - 4 * request.body.bytes.count)
        }
        guard request.head.method == .get, !request.head.asksForAPart,
            let name = request.head.segment(after: "/v1/lists/"), let id = ListID(name)
        else { return 0 }
        // The text of the answer, and as much again while it grows. A list that is still to be read needs some room.
        return store.loaded(id).map { 2 * $0.answerBytes } ?? MemoryBudget.longBytes
    }

    /// The bytes that a short row takes at most while a list is made of it.
    private static let rowBytes = 192

    /// Lets lists leave memory for a request that was refused. Many refusals at once do this once.
    func makeRoomForRefused() {
        guard let workers else { return }
        let mustBegin = isMakingRoom.withLock { isMaking in
            defer { isMaking = true }
            return !isMaking
        }
        guard mustBegin else { return }
        workers.run(for: nil, on: nil, isAlone: false) { [self] in
            isMakingRoom.withLock { $0 = false }
            store.makeRoomForRefused()
        }
    }
}

/// A number of rows that a body does not exceed: the objects in it that are elements of arrays.
func mostRows(in body: [UInt8]) -> Int {
    var count = 0
    var last: UInt8 = 0
    for byte in body where byte > 0x20 {
        if byte == UInt8(ascii: "{"), last == UInt8(ascii: ",") || last == UInt8(ascii: "[") { count += 1 }
        last = byte
    }
    return count
}

extension RequestHead {
    /// Whether a request names a parameter by which the answer is short, however long the list is.
    fileprivate var asksForAPart: Bool {
        query.contains { item in formDecoded(item.name).map(Self.parting.contains) ?? false }
    }

    private static let parting: Set<ByteText> = Set(
        [QueryParameter.limit, .around, .row].map { ByteText($0.rawValue) })
}
