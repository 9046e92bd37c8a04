import TenureTesting
import Testing

@testable import TenureDocuments

/// Random commands of three clients, each asked of a store and of the in-memory model; every answer is compared.
/// 12 seeds of 120 commands over three documents: conflicts, resends, reuses, merges, damaged drafts and observers
/// that hear of other clients' commits come up in every run. A difference is told with the seed and all commands.
@Suite("Store and model agree") struct ModelTests {
  @Test("The store answers what the contract in memory answers", arguments: 0..<12)
  func agree(seed: Int) async throws {
    try await Fixture.run { fixture in
      var options = DocumentStore.Options()
      options.inlineLimit = 24
      var clients: [DocumentStore] = []
      for _ in 0..<3 { clients.append(try await fixture.open(options: options)) }
      for client in clients { client.register(LineMerge(), forKind: "md") }
      var run = ModelRun(seed: seed, epoch: try await clients[0].database.epoch)
      for _ in 0..<120 { try await run.step(clients) }
      try await run.end(clients[0])
    }
  }
}
