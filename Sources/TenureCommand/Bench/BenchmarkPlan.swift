import TenureSystem

/// How long and how often to measure, and where.
struct BenchmarkPlan: Sendable {
  /// The machine.
  var system: System = .live
  /// Where temporary folders are made: it decides which disk is measured.
  var directory = "/var/tmp"
  /// Pairs of runs per row.
  var runs = 5
  /// A look rather than a measurement: everything shorter and smaller.
  var isQuick = false
  /// The path of the command itself, started again for the rows that need several processes.
  var program: String
  /// Told what is being measured, for whoever watches.
  var progress: @Sendable (String) -> Void = { _ in }

  /// What must not stay behind when the run is interrupted.
  let belongings = BenchmarkBelongings()

  /// Length of a run of committing.
  var seconds: Double { isQuick ? 0.3 : 2 }
  /// Length of a run with several processes; long enough for a starved one to show.
  var processSeconds: Double { isQuick ? 1 : 4 }
  /// Changes watched in one run.
  var changes: Int { isQuick ? 50 : 300 }
  /// Files imported.
  var files: Int { isQuick ? 500 : 5000 }
  /// Size of the file whose import is weighed.
  var largeFile: Int64 { isQuick ? 128 << 20 : 1 << 30 }
  /// Length of the run that tries to make the WAL grow.
  var growthSeconds: Double { isQuick ? 5 : 60 }
}
