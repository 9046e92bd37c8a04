// swift-tools-version: 6.1
//
// The floors of the house, lowest first. A target may depend on targets of lower floors only;
// `Tools/CheckFloors` holds the same order against every `import` in the sources.

import PackageDescription

let package = Package(
  name: "Tenure",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "Tenure", targets: ["Tenure"]),
    .library(name: "TenureTesting", targets: ["TenureTesting"]),
    .library(name: "TenureDiagnosis", targets: ["TenureDiagnosis"]),
    .executable(name: "tenure", targets: ["TenureCommand"]),
  ],
  targets: [
    // System libraries and the one shim for what Swift cannot call: variadics and macros.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
    .systemLibrary(
      name: "CEdit", pkgConfig: "libedit",
      providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
    .target(name: "CTenureShim"),

    // 1
    .target(
      name: "TenureSystem",
      dependencies: [
        "CTenureShim",
        .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ]),
    // 2
    .target(name: "TenureTrace", dependencies: ["TenureSystem"]),
    // 3
    .target(name: "TenureFindings", dependencies: ["TenureTrace"]),
    .target(name: "TenureState", dependencies: ["TenureTrace"]),
    .target(name: "TenureGroup", dependencies: ["TenureTrace"]),
    // 4
    .target(
      name: "TenureStorage", dependencies: ["TenureState", "TenureGroup", "CSQLite", "CTenureShim"]),
    // 5
    .target(name: "TenureDocuments", dependencies: ["TenureStorage"]),
    // 7
    .target(name: "Tenure", dependencies: ["TenureDocuments"]),
    // 8
    .target(name: "TenureTesting", dependencies: ["Tenure", "CSQLite", "CTenureShim"]),
    .target(name: "TenureDiagnosis", dependencies: ["TenureFindings"]),
    // 9
    .target(
      name: "Notebook", dependencies: ["Tenure"], path: "Examples/Notebook",
      exclude: ["Notes"], sources: ["Sources"]),
    // 10
    .target(
      name: "TenureScenarios", dependencies: ["Notebook", "TenureTesting", "TenureDiagnosis"]),
    // 11
    // Not named after its product: file systems that fold case would take it for the umbrella.
    .executableTarget(
      name: "TenureCommand",
      dependencies: ["TenureScenarios", "CEdit", "CSQLite"]),

    // Not part of the house: holds it to its floors.
    .executableTarget(
      name: "CheckFloors", path: "Tools/CheckFloors",
      exclude: ["README.md", "extension-unavailable.tsv"]),

    .testTarget(name: "CheckFloorsTests", dependencies: ["CheckFloors"]),
    .testTarget(name: "TenureSystemTests", dependencies: ["TenureSystem"]),
    .testTarget(name: "TenureTraceTests", dependencies: ["TenureTrace"]),
    .testTarget(name: "TenureStateTests", dependencies: ["TenureState"]),
    // A process for the tests of the G laws to kill.
    .executableTarget(name: "GroupProbe", dependencies: ["TenureGroup"], path: "Tests/GroupProbe"),
    .testTarget(name: "TenureGroupTests", dependencies: ["TenureGroup", "TenureTesting", "GroupProbe"]),
    .testTarget(name: "TenureStorageTests", dependencies: ["TenureStorage", "TenureTesting"]),
    .testTarget(name: "TenureDocumentsTests", dependencies: ["TenureDocuments", "TenureTesting"]),
    .testTarget(name: "TenureTestingTests", dependencies: ["TenureTesting", "CSQLite"]),
    .testTarget(name: "TenureDiagnosisTests", dependencies: ["TenureDiagnosis", "TenureTesting"]),
    .testTarget(name: "NotebookTests", dependencies: ["Notebook", "TenureTesting"]),
    .testTarget(name: "TenureScenariosTests", dependencies: ["TenureScenarios"]),
    .testTarget(name: "TenureCommandTests", dependencies: ["TenureCommand"]),
  ],
  swiftLanguageModes: [.v6]
)
