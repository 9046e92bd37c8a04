/// Runs ours and the peer one after the other, several times, in one process call.
///
/// The order turns round with every pair, so that a disk or a neighbour that slows down half-way burdens both
/// sides alike. The first pair warms up caches, files and the WAL of both and is thrown away.
struct PairedRuns: Sendable {
  /// Pairs that count.
  var runs: Int
  /// Pairs before them that do not.
  var warmUps = 1

  /// What a side measures in one run: one number per row.
  typealias Side = () async throws -> [Double]

  /// All numbers, by row and then by run.
  struct Result: Sendable {
    var ours: [[Double]]
    var peer: [[Double]]
  }

  /// Runs the pairs. `said` is told before each.
  func measure(ours: Side, peer: Side, said: (Int) -> Void = { _ in }) async throws -> Result {
    var result = Result(ours: [], peer: [])
    for pair in -warmUps..<max(1, runs) {
      said(pair)
      let first = pair.isMultiple(of: 2)
      var our: [Double] = []
      if first { our = try await ours() }
      let other = try await peer()
      if !first { our = try await ours() }
      if pair < 0 { continue }
      result.ours.append(our)
      result.peer.append(other)
    }
    return Result(ours: result.ours.transposed, peer: result.peer.transposed)
  }
}

extension [[Double]] {
  /// Rows become columns. Every row must be as long as the first; what is longer is cut.
  fileprivate var transposed: [[Double]] {
    guard let width = map(\.count).min() else { return [] }
    return (0..<width).map { column in map { $0[column] } }
  }
}
