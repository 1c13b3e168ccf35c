import ArgumentParser
import JSONValue
import SampleLists

struct Samples: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the samples that come with the server, or keeps one moving.",
        subcommands: [SampleNames.self, SampleRun.self], defaultSubcommand: SampleNames.self)
}

struct SampleNames: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the samples that come with the server.")

    func run() {
        for line in sampleLines { print(line) }
    }
}

struct SampleRun: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Makes steps of a sample that moves, on a server that runs.",
        discussion: """
            A client like any other: it installs the sample where it is missing, then asks for a step at a time. When \
            insertion-sort is sorted it waits, shuffles and begins again.
            """)

    @Argument(help: "wifi or insertion-sort.")
    var sample: String
    @Option(help: "The server.")
    var url = ServerAddress.standard
    @Option(help: "Milliseconds between two steps. (default: 2000 for wifi, 125 for insertion-sort)")
    var everyMilliseconds: Int?
    @Option(help: "How many steps. (default: until it is stopped)")
    var steps: Int?
    @Option(help: "What the random part depends on.")
    var seed = Int(Sample.defaultSeed)

    func validate() throws {
        guard Sample(rawValue: sample)?.moves == true else {
            let names = Sample.allCases.filter(\.moves).map(\.id).joined(separator: ", ")
            throw ValidationError("Samples that move are \(names).")
        }
        guard (1...3_600_000).contains(everyMilliseconds ?? 1), (1...Int.max).contains(steps ?? 1) else {
            throw ValidationError("--every-milliseconds is a number from 1 to 3600000, --steps at least 1.")
        }
        guard (0...JSONNumber.integerMax / 2).contains(seed) else {
            throw ValidationError("--seed is a number from 0 to \(JSONNumber.integerMax / 2).")
        }
    }

    func run() throws(Failure) {
        let pause = everyMilliseconds ?? (sample == Sample.wifi.id ? 2_000 : 125)
        for index in 0..<(steps ?? .max) {
            if index > 0 { sleep(milliseconds: pause) }
            let result = try step(index)
            if case .string(let version)? = result["version"] { try printLine("\(sample) \(version)") }
            guard result["changed"] == false, sample == Sample.insertionSort.id else { continue }
            sleep(milliseconds: pause * 8)
            _ = try install(seed: seed + index + 1)
        }
    }

    /// Each step has a seed of its own, because with one seed the sample would return to an earlier state sooner or
    /// later.
    private func step(_ index: Int) throws(Failure) -> JSONObject {
        let body: JSONValue = ["seed": .integer(seed + index % (1 << 32))]
        do throws(Failure) {
            return try url.ask("POST", "/v1/samples/\(sample)/step", json: body)
        } catch .refused(404, _, _) {
            return try install(seed: seed)
        } catch {
            throw error
        }
    }

    private func install(seed: Int) throws(Failure) -> JSONObject {
        try url.ask("POST", "/v1/samples/\(sample)", json: ["seed": .integer(seed)])
    }
}
