// swift-tools-version: 6.2
import PackageDescription

/// The gates that every target of ours passes.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
/// Of the client in Swift only on Linux, where it takes the place of URLSession.
let curl: Target.Dependency = .target(name: "CCurl", condition: .when(platforms: [.linux]))
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

/// The commit that `make build` names. Whoever builds in another way gets a program that knows none.
let commit: [CSetting] =
    Context.environment["LISTSTATE_COMMIT"].map { [.define("LISTSTATE_COMMIT", to: "\"\($0)\"")] } ?? []

/// Sanitizers bring an allocator of their own. jemalloc would hand out what theirs then frees.
let allocator: [LinkerSetting] =
    Context.environment["LISTSTATE_SANITIZED"] == nil ? [.linkedLibrary("jemalloc")] : []

func source(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func test(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

/// Whether benchmarks are part of the package. They take half a minute to build, and no test needs them.
let hasBenchmarks = Context.environment["LISTSTATE_BENCHMARKS"] != nil

func benchmark(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Benchmarks/\(folder)",
        swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
}

let benchmarks = [
    benchmark(
        "ClientBenchmark", "client",
        [
            "ClientState", "ListAPI", "ListDiff", "ListModel", "ListStateClient", "ListStore", "ListWire", "Microhttpd",
            "Texts",
        ]),
    benchmark(
        "ListsBenchmark", "lists",
        [
            "CMalloc", "ListModel", "ListDiff", "ListStore",
            .product(name: "OrderedCollections", package: "swift-collections"),
        ]),
    benchmark(
        "StorageBenchmark", "storage", ["CMalloc", "ListModel", "ListStore", "PostgreSQLJournal", "SQLiteJournal"]),
]

/// The readers of what comes from outside with their rules: a test over the inputs that are kept, or the program that
/// runs libFuzzer, which needs flags of its own (`make fuzzer`).
let fuzzed: [Target.Dependency] = [
    "JSONValue", "ListAPI", "ListDiff", "ListModel", "ListStore", "Microhttpd", "SQLiteJournal", "TestSupport", "Texts",
    "Threads", httpTypes,
]
let fuzzers: [Target] =
    Context.environment["LISTSTATE_FUZZ"] == nil
    ? [
        .testTarget(
            name: "FuzzTests", dependencies: fuzzed + ["ListWire"], path: "Tests/Fuzz",
            exclude: ["Corpus", "Driver", "Program", "keep.py", "words.txt"], swiftSettings: strict)
    ]
    : [
        .target(name: "Driver", path: "Tests/Fuzz/Driver"),
        .executableTarget(
            name: "Fuzz", dependencies: fuzzed + ["Driver"], path: "Tests/Fuzz",
            exclude: ["Corpus", "Driver", "Replay", "keep.py", "words.txt"], swiftSettings: strict),
    ]

let package = Package(
    name: "liststate",
    // For the client in Swift. The server needs Linux.
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .executable(name: "liststate", targets: ["liststate"]),
        .library(name: "ListStateClient", targets: ["ListStateClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // Only for ListStateClient: the server is built without it.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ] + (hasBenchmarks ? [.package(url: "https://github.com/apple/swift-collections", exact: "1.6.0")] : []),
    targets: [
        // In the order in which a request flows: see Sources/README.md.
        .systemLibrary(
            name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CCRC32C"),
        .target(name: "CBirth"),
        .target(name: "CPostgreSQL"),
        .target(name: "CGnuTLS"),
        .target(name: "CCurl"),
        .target(name: "CMalloc", linkerSettings: allocator),
        .target(name: "CReading"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
        source("Threads"),
        source("Texts"),
        source("Microhttpd", ["CMicrohttpd", "CReading", "Threads", "Texts", httpTypes]),
        source("JSONValue", ["Texts"]),
        source("ListModel", ["JSONValue", "Texts"]),
        source("ListDiff", ["ListModel", "Texts"]),
        source("ListStore", ["Threads", "ListModel", "ListDiff", "Texts"]),
        source("SQLiteJournal", ["CBirth", "CCRC32C", "CSQLite", "Threads", "ListModel", "ListStore", "Texts"]),
        source(
            "PostgreSQLJournal",
            ["CCRC32C", "CNettle", "CPostgreSQL", "SHA256", "Threads", "ListModel", "ListStore", "Texts"]),
        source("Layouts", ["JSONValue", "Texts"]),
        source("SampleLists", ["JSONValue", "Layouts", "ListModel", "Texts"]),
        source("ListWire", ["JSONValue", "Layouts", "ListDiff", "ListModel", "Texts"]),
        source("ClientState", ["JSONValue", "ListDiff", "ListModel", "Texts"]),
        source(
            "ListStateClient", ["ClientState", "JSONValue", "ListDiff", "ListModel", "ListWire", "Texts", grdb, curl]),
        source("Gzip", ["CZlib"]),
        source("SHA256", ["CNettle"]),
        source("Access", ["JSONValue", "SHA256", "Texts", "Threads"]),
        source("JSONWebTokens", ["CCurl", "CGnuTLS", "JSONValue", "SHA256", "Threads"]),
        source("ServerMetrics", ["Threads", metrics]),
        .target(name: "CAssets", cSettings: commit),
        source(
            "ListAPI",
            [
                "Access", "CAssets", "Gzip", "JSONWebTokens", "Threads", "Microhttpd", "JSONValue", "ListModel",
                "ListDiff", "ListStore",
                "ListWire", "SHA256", "SampleLists", "Texts", httpTypes,
            ]),
        .executableTarget(
            name: "liststate",
            dependencies: [
                "Access", "CCurl", "JSONWebTokens", "CMalloc", "Threads", "Microhttpd", "JSONValue", "ListDiff",
                "ListModel", "ListStore", "PostgreSQLJournal", "SQLiteJournal", "SampleLists", "ServerMetrics",
                "ListAPI", "SHA256", "Texts", argumentParser, logging, metrics, httpTypes,
            ],
            swiftSettings: strict),

        .target(
            name: "TestSupport",
            dependencies: [
                "CZlib", "JSONValue", "Layouts", "ListModel", "ListDiff", "ListStore", "ListWire", "Microhttpd",
                "Texts",
                "Threads", httpTypes,
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        test("MicrohttpdTests", ["Threads", "Microhttpd", httpTypes, "Texts"]),
        test("JSONValueTests", ["JSONValue", "Texts"]),
        test("AccessTests", ["Access", "Texts", "Threads"]),
        test("JSONWebTokensTests", ["JSONWebTokens", "JSONValue", "Microhttpd", "Texts", "Threads", httpTypes]),
        test("ListModelTests", ["ListModel", "ListDiff", "JSONValue", "Texts"]),
        test("ListDiffTests", ["ListDiff", "ListModel", "Threads", "JSONValue", "Texts"]),
        test("ListStoreTests", ["Threads", "ListStore", "ListDiff", "ListModel", "JSONValue", "Texts"]),
        test(
            "SQLiteJournalTests",
            [
                "CCRC32C", "CSQLite", "SQLiteJournal", "ListStore", "ListDiff", "ListModel", "Threads", "JSONValue",
                "Texts",
            ]),
        test(
            "JournalTests",
            ["ListDiff", "ListModel", "ListStore", "PostgreSQLJournal", "SQLiteJournal", "Texts", "Threads"]),
        test(
            "PostgreSQLJournalTests", ["ListDiff", "ListModel", "ListStore", "PostgreSQLJournal", "Texts", "Threads"]),
        test("ClientStateTests", ["ClientState", "JSONValue", "ListDiff", "ListModel", "ListWire", "Texts"]),
        test(
            "ListStateClientTests",
            [
                "ClientState", "ConformanceAdapter", "JSONValue", "ListAPI", "ListDiff", "ListModel", "ListStateClient",
                "ListStore", "Microhttpd", "Texts", "Threads",
            ]),
        // The client in Swift, as a program that the runner of the cases for others asks.
        .executableTarget(
            name: "ConformanceAdapter",
            dependencies: ["JSONValue", "ListDiff", "ListModel", "ListStateClient", "ListWire", "Texts"],
            path: "Tests/Conformance/Adapter", swiftSettings: strict),
        // The same in the story of clients who are away.
        .executableTarget(
            name: "StoryAdapter",
            dependencies: [
                "ClientState", "JSONValue", "ListDiff", "ListModel", "ListStateClient", "ListWire", "Texts",
            ],
            path: "Tests/Story/Adapter", swiftSettings: strict),
        test("ListWireTests", ["ListWire", "Layouts", "JSONValue", "Texts"]),
        test("SampleListsTests", ["SampleLists", "Layouts", "ListDiff", "ListModel", "JSONValue", "Texts"]),
        test(
            "ListAPITests",
            [
                "Access", "Threads", "Gzip", "ListAPI", "ListWire", "Microhttpd", "ListStore", "ListDiff", "ListModel",
                "JSONValue", "PostgreSQLJournal", "SHA256", "Texts", httpTypes, yams,
            ]),
        test("EndToEndTests", ["Access", "JSONValue", "Layouts", "liststate", yams, "Texts"]),
        test("ServerMetricsTests", ["ServerMetrics", metrics]),
        test("TextsTests", ["Texts"]),
        test("TidyTests", []),
    ] + (hasBenchmarks ? benchmarks : []) + fuzzers
)
