/// Responses of a loop whose requests are over, to be filled anew.
///
/// Most answers to writes have one of a few shapes. One that is made at once is nearly always out before the next is
/// made; those that one sync has let go are made in one turn, and only then sent.
struct SpareResponses {
    /// The newest at the end.
    private var spares: [(bodyBytes: Int, response: EngineResponse)] = []

    /// As many as one sync lets go, with some room; looking for a rare shape takes longer the more there are.
    private static let countMax = 128

    /// A spare one, or a new one, that says the same as `response`; nil if that had better be sent as it is.
    mutating func engineResponse(for response: Response) -> EngineResponse? {
        let count = response.body.count
        var index = spares.endIndex
        while index > 0 {
            index -= 1
            guard spares[index].bodyBytes == count, spares[index].response.become(response) else { continue }
            return spares.remove(at: index).response
        }
        return EngineResponse(response)
    }

    /// - Parameter response: Of a request that is over.
    mutating func add(_ response: EngineResponse) {
        if spares.count == Self.countMax { spares.removeFirst() }
        spares.append((response.bodyBytes, response))
    }
}
