// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as the other benchmarks are.
let package = Package(
    name: "storage-benchmark",
    dependencies: [.package(name: "liststate", path: "../../..")],
    targets: [
        .executableTarget(
            name: "storage",
            dependencies: [
                .product(name: "ListModel", package: "liststate"),
                .product(name: "ListStore", package: "liststate"),
                .product(name: "SQLiteJournal", package: "liststate"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
    ]
)
