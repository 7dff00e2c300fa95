// swift-tools-version: 6.2
import PackageDescription

// The rooms of the house, lowest first: a target imports only what stands above it here.
// docs/dependencies.md says why each system library is used.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A system library that Debian ships: its module map and nothing else.
func systemLibrary(_ name: String, pkgConfig: String? = nil, apt package: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// A room: one library target in `Sources/` and, unless it is only tested through others, one test target in `Tests/`.
func room(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, uses dependencies: [Target.Dependency] = [], beside files: [String] = []) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: [.byName(name: name), "TestSupport"] + dependencies,
    exclude: files,
    swiftSettings: settings)
}

let package = Package(
  name: "symclust",
  products: [.executable(name: "symclust", targets: ["symclust"])],
  targets: [
    systemLibrary("CElfutils", apt: "libdw-dev"),
    systemLibrary("CSQLite", apt: "libsqlite3-dev"),
    systemLibrary("CZlib", apt: "zlib1g-dev"),
    systemLibrary("CZstd", apt: "libzstd-dev"),
    systemLibrary("CLzma", apt: "liblzma-dev"),
    systemLibrary("CArchive", apt: "libarchive-dev"),
    systemLibrary("CCrypto", apt: "libssl-dev"),
    systemLibrary("CIberty", apt: "libiberty-dev"),
    .target(name: "CShims"),
    // libcurl is loaded when something is downloaded: linked, it would cost every start.
    .target(name: "CCurl"),

    room("Bytes", uses: ["CShims"]),
    room("Identity", uses: ["Bytes", "CCrypto"]),
    room("Compression", uses: ["Bytes", "CZlib", "CZstd", "CLzma"]),
    room("Archives", uses: ["Bytes", "CArchive"]),
    room("CommandLine", uses: []),
    room("JSON", uses: []),
    room("Workers", uses: []),
    room("Files", uses: ["Bytes", "Identity"]),
    room("ObjectFiles", uses: ["Bytes", "Identity"]),
    room("DebugInfo", uses: ["Bytes", "Compression", "ObjectFiles", "CElfutils"]),
    room("CompanionFiles", uses: ["Bytes", "Identity", "Compression", "ObjectFiles", "DebugInfo"]),
    room("Demangling", uses: ["CShims", "CIberty"]),
    room(
      "SymbolIndex",
      uses: ["Bytes", "Identity", "Compression", "JSON", "Workers", "ObjectFiles", "DebugInfo", "Demangling"]),
    room(
      "IndexWorker",
      uses: [
        "Bytes", "Identity", "JSON", "Workers", "Files", "ObjectFiles", "DebugInfo", "CompanionFiles", "SymbolIndex",
      ]),
    room(
      "SymbolStore",
      uses: [
        "Bytes", "Identity", "Compression", "Archives", "JSON", "Workers", "Files", "ObjectFiles", "DebugInfo",
        "CompanionFiles",
        "SymbolIndex",
      ]),
    room("SymbolServers", uses: ["Bytes", "Identity", "Files", "SymbolStore", "CCurl"]),
    room("Diagnostics", uses: ["Bytes", "Identity", "JSON"]),
    room("Symbolication", uses: ["Identity", "Workers", "SymbolIndex"]),
    room(
      "Signatures",
      uses: ["Bytes", "Identity", "Workers", "Demangling", "SymbolIndex", "Diagnostics", "Symbolication"]),
    room("SignatureStore", uses: ["Bytes", "Identity", "Diagnostics", "Signatures", "CSQLite"]),
    room("FlameGraphs", uses: ["JSON"]),
    room("ReleaseHealth", uses: ["Identity", "JSON", "Diagnostics", "SignatureStore"]),
    room(
      "Pipeline",
      uses: [
        "Bytes", "Identity", "Compression", "Archives", "Workers", "Files", "Demangling", "SymbolIndex", "Diagnostics",
        "Symbolication", "Signatures", "SignatureStore", "FlameGraphs", "ReleaseHealth",
      ]),
    .executableTarget(
      name: "symclust",
      dependencies: [
        "Bytes", "Identity", "Compression", "CommandLine", "JSON", "Workers", "Files", "ObjectFiles", "DebugInfo",
        "CompanionFiles",
        "Demangling", "SymbolIndex", "IndexWorker", "SymbolStore", "SymbolServers", "Diagnostics", "Symbolication",
        "Signatures", "SignatureStore", "FlameGraphs", "ReleaseHealth", "Pipeline",
      ],
      swiftSettings: settings),

    // What scripts/bench measures inside one process; no product.
    .executableTarget(
      name: "symclust-bench", dependencies: ["Bytes", "Identity", "JSON", "SymbolIndex", "Diagnostics"],
      path: "Sources/Benchmarks", swiftSettings: settings),

    .target(name: "TestSupport", dependencies: ["Bytes", "JSON"], path: "Tests/TestSupport", swiftSettings: settings),
    tests(of: "Bytes"),
    tests(of: "Identity"),
    tests(of: "Compression", uses: ["CZlib", "CZstd"]),
    tests(of: "Archives", uses: ["Bytes"]),
    tests(of: "CommandLine"),
    tests(of: "JSON"),
    tests(of: "Workers"),
    tests(of: "Files", uses: ["Bytes", "Identity"]),
    tests(of: "ObjectFiles", uses: ["Bytes", "Identity"]),
    tests(of: "DebugInfo", uses: ["Bytes", "Compression", "ObjectFiles"]),
    tests(of: "Demangling"),
    tests(
      of: "SymbolIndex", uses: ["Bytes", "Identity", "JSON", "Workers", "ObjectFiles", "DebugInfo", "Demangling"]),
    tests(of: "SymbolStore", uses: ["Bytes", "Identity", "Files", "ObjectFiles", "SymbolIndex"]),
    tests(of: "SymbolServers", uses: ["Files", "Identity", "SymbolStore"]),
    tests(of: "Diagnostics", uses: ["JSON", "Identity"]),
    tests(of: "Symbolication", uses: ["Bytes", "Diagnostics", "Identity", "ObjectFiles", "SymbolIndex", "Workers"]),
    tests(
      of: "Signatures",
      uses: ["Bytes", "Diagnostics", "Symbolication", "Identity", "Workers", "Files", "SignatureStore", "Pipeline"],
      beside: ["Goldens"]),
    tests(of: "SignatureStore", uses: ["Diagnostics", "Signatures", "Identity"]),
    tests(
      of: "IndexWorker", uses: ["Bytes", "Identity", "JSON", "ObjectFiles", "SymbolIndex", "SymbolStore", "symclust"]),
    tests(of: "CompanionFiles", uses: ["Bytes", "DebugInfo", "Identity", "ObjectFiles", "SymbolIndex"]),
    tests(of: "FlameGraphs", uses: ["JSON"]),
    tests(of: "ReleaseHealth", uses: ["Diagnostics", "SignatureStore"]),
    tests(
      of: "Pipeline",
      uses: [
        "Bytes", "Compression", "Diagnostics", "Files", "Identity", "SignatureStore", "Signatures", "Symbolication",
        "Workers",
      ]),
    tests(
      of: "symclust", uses: ["Bytes", "CommandLine", "Compression", "Files", "Identity", "JSON"],
      beside: ["Explanations", "Faults"]),
    .testTarget(
      name: "HostileTests",
      dependencies: [
        "Bytes", "Identity", "Compression", "JSON", "Workers", "ObjectFiles", "DebugInfo", "CompanionFiles",
        "SymbolIndex", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TrapTests",
      dependencies: [
        "Bytes", "Identity", "Files", "ObjectFiles", "DebugInfo", "CompanionFiles", "Demangling", "SymbolIndex",
        "IndexWorker", "JSON", "SymbolStore", "Diagnostics", "Symbolication", "Signatures", "SignatureStore",
        "Pipeline",
        "symclust",
        "TestSupport",
      ],
      swiftSettings: settings),
  ]
)
