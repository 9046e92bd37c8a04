import TenureSystem
import TenureTrace

/// The trace files that some paths stand for.
///
/// A file stands for itself; a directory for the traces in it, and a container, or a folder that holds one in
/// `.tenure`, for those in its `traces/`.
public enum TraceInputs {
  /// Nothing that could be read as a trace.
  public struct NoTraces: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path that was given.
    public let path: String
    /// One line for a person.
    public var description: String {
      """
      \(path) holds no trace: there is no file ending in \(TraceFormat.suffix) in it, its traces/ or its \
      .tenure/traces/. Record with Workspace.open(…, trace: .file), or name the file itself.
      """
    }
  }

  /// The files, in the order of the paths and in a directory by name, each once.
  public static func files(at paths: [String], system: System = .live) throws -> [String] {
    var found: [String] = []
    for path in paths {
      guard let status = try system.status(path) else { throw SystemError(.open, .noEntry, path: path) }
      if status.kind != .directory {
        found.append(path)
        continue
      }
      let directories = [path, path.appendingPath("traces"), path.appendingPath(".tenure/traces")]
      let traces = try directories.flatMap { directory -> [String] in
        guard try system.status(directory)?.kind == .directory else { return [] }
        return try system.list(directory).filter { $0.hasSuffix(TraceFormat.suffix) }
          .map { directory.appendingPath($0) }
      }
      if traces.isEmpty { throw NoTraces(path: path) }
      found += traces
    }
    var seen = Set<String>()
    return found.filter { seen.insert($0).inserted }
  }

  /// All of them merged.
  public static func merge(_ files: [String], system: System = .live) throws -> TraceMerge {
    TraceMerge(try files.map { try TraceReader(path: $0, system: system) })
  }
}
