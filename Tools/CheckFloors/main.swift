import Foundation

// Usage: CheckFloors [ROOT]. Ends with 0 when all is well, 1 with a line for each fault, 2 when it could not read.

let root = CommandLine.arguments.dropFirst().first ?? "."
do {
  let faults = try check(package: root)
  for fault in faults { print(fault) }
  if !faults.isEmpty { exit(1) }
} catch {
  FileHandle.standardError.write(Data("CheckFloors: \(error)\n".utf8))
  exit(2)
}
