// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the product resolves nothing that only a benchmark compares it with.
let package = Package(
    name: "lists-benchmark",
    dependencies: [
        .package(name: "liststate", path: "../../.."),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    ],
    targets: [
        .systemLibrary(name: "CMalloc"),
        .executableTarget(
            name: "lists",
            dependencies: [
                "CMalloc",
                .product(name: "ListModel", package: "liststate"),
                .product(name: "ListDiff", package: "liststate"),
                .product(name: "ListStore", package: "liststate"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    ]
)
