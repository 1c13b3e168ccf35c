extension Server {
    /// What a server has done since its start, and has now.
    public struct Figures: Sendable {
        /// Times in buckets whose bounds double.
        public struct Times: Sendable {
            /// How many times were in each bucket alone. The last has all that are greater than its last bound.
            public var counts: [Int]
            /// The sum of all times.
            public var microseconds: Int

            static let bucketCount = 26
            /// The bounds of all buckets but the last, in microseconds: 1, 2, 4 and so on to 16,777,216.
            public static let bounds = (0..<bucketCount - 1).map { 1 << $0 }

            /// The index of the first bucket whose bound is no less.
            static func bucket(of microseconds: UInt64) -> Int {
                guard microseconds > 1 else { return 0 }
                return min(UInt64.bitWidth &- (microseconds &- 1).leadingZeroBitCount, bucketCount &- 1)
            }

            mutating func add(_ other: Self) {
                for index in counts.indices { counts[index] += other.counts[index] }
                microseconds += other.microseconds
            }
        }

        /// The answers to the requests of one route.
        public struct Route: Sendable {
            /// The number that the handler has given to the route; 0 for requests that it has given none.
            public var number: Int
            /// The number of answers by status; status 0 stands for all that are not known here.
            public var answers: [Int: Int]
            /// The times from the start of the turn in which a request began until its answer was handed over.
            /// Requests that waited in a wake group are not among them.
            public var times: Times
        }

        /// The routes that have answers.
        public var routes: [Route] = []
        /// The bytes of bodies and streams that were handed over.
        public var sentBytes = 0
        /// The streams that are open now.
        public var streams = 0
        /// The requests that wait in wake groups now.
        public var polls = 0
        /// The connections that were closed without an answer, because there was no room for them.
        public var closedUnheard = 0
        /// The connections that are open now.
        public var connections = 0
        /// The times from a wake of a timed group to the end of the turn in which the last member on a loop got the news.
        public var lag: Times
    }

    public var figures: Figures {
        let tallies = loops.map(\.tally)
        var figures = Figures(lag: sum(tallies.map(\.lag)))
        figures.routes = (0...Tally.routesMax).compactMap { number in
            let answers = tallies.flatMap { $0.answers(of: number) }
            guard !answers.isEmpty else { return nil }
            return Figures.Route(
                number: number, answers: Dictionary(answers.map { ($0.status, $0.count) }, uniquingKeysWith: +),
                times: sum(tallies.map { $0.times(of: number) }))
        }
        figures.sentBytes = tallies.reduce(0) { $0 + $1.value(of: .sentBytes) }
        figures.streams = tallies.reduce(0) { $0 + $1.value(of: .streams) }
        figures.polls = tallies.reduce(0) { $0 + $1.value(of: .polls) }
        figures.closedUnheard = tallies.reduce(0) { $0 + $1.value(of: .closedUnheard) }
        figures.connections = connections.count
        return figures
    }
}

private func sum(_ times: [Server.Figures.Times]) -> Server.Figures.Times {
    var sum = Server.Figures.Times(
        counts: Array(repeating: 0, count: Server.Figures.Times.bucketCount), microseconds: 0)
    for one in times { sum.add(one) }
    return sum
}
