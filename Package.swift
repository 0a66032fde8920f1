// swift-tools-version: 6.0
import PackageDescription

// CI sets this, so that a newer compiler's new warnings never stop a user's build.
let treatsWarningsAsErrors = Context.environment["SEGDL_WARNINGS_AS_ERRORS"] != nil

// scripts/check sets it to the toolchain's libFuzzer without a main function. Only then there is a fuzzer, and what it
// calls is instrumented.
let fuzzerRuntime = Context.environment["SEGDL_FUZZER_RUNTIME"]

let swiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (treatsWarningsAsErrors ? [.unsafeFlags(["-warnings-as-errors"])] : [])
    + (fuzzerRuntime != nil ? [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])] : [])

let package = Package(
    name: "segdl",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SegmentedDownload", targets: ["SegmentedDownload"]),
        .executable(name: "segdl", targets: ["segdl"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSegdlLibcurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .systemLibrary(
            name: "CSegdlLibcrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl"])]
        ),
        .systemLibrary(name: "CSegdlMalloc"),
        .target(name: "CSegdlShims", dependencies: ["CSegdlLibcurl", "CSegdlLibcrypto"]),
        .target(name: "SegmentedDownloadLocking", swiftSettings: swiftSettings),
        .target(name: "SegmentedDownloadCore", swiftSettings: swiftSettings),
        .target(
            name: "SegmentedDownload",
            dependencies: ["CSegdlShims", "SegmentedDownloadCore", "SegmentedDownloadLocking"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "SegdlCommand",
            dependencies: ["CSegdlMalloc", "SegmentedDownload", "SegmentedDownloadLocking"],
            swiftSettings: swiftSettings
        ),
        .executableTarget(name: "segdl", dependencies: ["SegdlCommand"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "segdl-bench",
            dependencies: ["SegmentedDownloadCore", "SegmentedDownloadTestSupport"],
            path: "Benchmarks/segdl-bench",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "SegmentedDownloadTestSupport",
            dependencies: ["SegmentedDownloadCore"],
            path: "Tests/SegmentedDownloadTestSupport",
            swiftSettings: swiftSettings
        ),
        .target(name: "CSegdlAllocationCounter", path: "Tests/CSegdlAllocationCounter"),
        .testTarget(
            name: "SegmentedDownloadCoreTests",
            dependencies: ["SegmentedDownloadCore", "SegmentedDownloadTestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SegmentedDownloadTests",
            dependencies: [
                "CSegdlAllocationCounter", "CSegdlShims", "SegmentedDownload", "SegmentedDownloadCore",
                "SegmentedDownloadLocking", "SegmentedDownloadTestSupport",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SegdlCommandTests",
            dependencies: ["SegdlCommand", "SegmentedDownloadTestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SegdlTests",
            dependencies: ["SegmentedDownloadCore", "SegmentedDownloadTestSupport", "segdl"],
            swiftSettings: swiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)

if let fuzzerRuntime {
    package.targets += [
        .target(name: "CSegdlFuzzer", path: "Fuzz/CSegdlFuzzer"),
        .executableTarget(
            name: "segdl-fuzz",
            dependencies: ["CSegdlFuzzer", "SegdlCommand", "SegmentedDownload", "SegmentedDownloadCore"],
            path: "Fuzz/segdl-fuzz",
            swiftSettings: swiftSettings,
            linkerSettings: [.unsafeFlags([fuzzerRuntime]), .linkedLibrary("stdc++")]
        ),
    ]
}
