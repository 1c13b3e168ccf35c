// swift-tools-version:6.0

import PackageDescription

let package = Package(
    name: "Job",
    platforms: [.macOS(.v10_15)],
    // Generated beside this package when it is copied.
    dependencies: [.package(name: "OpenAPIClient", path: "../swift6")],
    targets: [.executableTarget(name: "job", dependencies: ["OpenAPIClient"])]
)
