import TenureSystem
import TenureTesting
import Testing

@testable import TenureDocuments

@Suite("Bad input") struct BadInputTests {
  static let ids: [(String, DocumentID.InvalidID)] = [
    ("", .empty), (String(repeating: "é", count: 257), .tooLong(514)), ("/etc/passwd", .absolute),
    ("..", .dotComponent), ("a/../b", .dotComponent), (".", .dotComponent), ("a/./b", .dotComponent),
    ("a//b", .emptyComponent), ("a/", .emptyComponent), ("a\u{0}b", .controlCharacter),
    ("a\nb", .controlCharacter),
    ("a\\b", .backslash),
  ]

  @Test(
    "An ID that is empty, over-long, path-like or has control characters is refused everywhere",
    arguments: ids)
  func invalidID(text: String, reason: DocumentID.InvalidID) async throws {
    #expect(throws: DocumentError.invalidID(text, reason)) { try DocumentID(text).validated() }
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let id = DocumentID(text)
      let error = DocumentError.invalidID(text, reason)
      await #expect(throws: error) { try await store.commit(Edit(of: id, expecting: 0, body: .deleted)) }
      await #expect(throws: error) { try await store.body(of: id) }
      await #expect(throws: error) { try await store.observe(id) { _ in } }
      await #expect(throws: error) {
        try await store.checkpoint(Draft(scene: "s", document: id, change: ChangeID(), base: 0, body: Data()))
      }
      #expect(try await store.list(includingDeleted: true).items.isEmpty)
    }
  }

  @Test(
    "Names that only look odd are taken",
    arguments: [
      "a", "...", "a b", "folder/note.md", "é", ".hidden", "a..b/c", "🇮🇸.md",
      String(repeating: "x", count: 512),
    ])
  func validID(text: String) throws {
    #expect(try DocumentID(text).validated().rawValue == text)
    #expect(try DocumentID(bytes: Array(text.utf8)) == DocumentID(text))
  }

  @Test(
    "File names that are not UTF-8 are refused, never repaired",
    arguments: [[0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80]])
  func invalidUTF8(_ bytes: [UInt8]) {
    #expect { try DocumentID(bytes: bytes) } throws: { error in
      guard case .invalidID(_, .notUTF8) = error as? DocumentError else { return false }
      return "\(error)".contains("UTF-8")
    }
  }

  @Test("é written in one and in two characters are two documents, as they are two file names")
  func normalisation() async throws {
    #expect(DocumentID("\u{e9}") != DocumentID("e\u{301}"))
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      try await store.write("one", to: "\u{e9}", expecting: 0)
      try await store.write("two", to: "e\u{301}", expecting: 0)
      #expect(try await store.text(of: "\u{e9}") == "one")
      #expect(try await store.list().items.count == 2)
    }
  }

  @Test("A body over the limit is refused before anything is written, as data and as a file")
  func bodyLimit() async throws {
    try await Fixture.run { fixture in
      var options = DocumentStore.Options()
      options.inlineLimit = 8
      options.bodyLimit = 100
      let store = try await fixture.open(options: options)
      let url = try fixture.file("large", Array(repeating: 1, count: 101))
      for body in [Body.data(Data(count: 101)), .file(url)] {
        await #expect(throws: DocumentError.bodyTooLarge(size: 101, limit: 100)) {
          try await store.commit(Edit(of: "a", expecting: 0, body: body))
        }
      }
      #expect(try fixture.bodies.isEmpty)
      #expect(try await store.revision(of: "a") == nil)
      guard
        case .committed = try await store.commit(Edit(of: "a", expecting: 0, body: .data(Data(count: 100))))
      else {
        Issue.record("the limit itself is refused")
        return
      }
    }
  }

  @Test("A body file that is missing, a folder or unreadable is a typed error that names it")
  func badFiles() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let missing = URL(fileURLWithPath: fixture.path + "/nothing")
      await #expect(throws: DocumentError.bodyUnreadable(SystemError(.open, .noEntry, path: missing.path))) {
        try await store.commit(Edit(of: "a", expecting: 0, body: .file(missing)))
      }
      await #expect(throws: DocumentError.bodyNotAFile(fixture.path + "/bodies")) {
        try await store.commit(
          Edit(of: "a", expecting: 0, body: .file(URL(fileURLWithPath: fixture.path + "/bodies"))))
      }
    }
  }

  @Test(
    "A file that changes whenever it is read is an error, and leaves nothing behind",
    arguments: [100, 100_000])
  func changingFile(size: Int) async throws {
    try await Fixture.run { fixture in
      let url = try fixture.file("moving", Array(repeating: 1, count: size))
      let path = url.path
      // The editor writes just before the first look that follows the copying.
      let isRead = Lock(false)
      let calls = InterceptedCalls(PlatformCalls()) { site in
        guard site.path == path else { return .proceed }
        if site.call == .pread { isRead.withLock { $0 = true } }
        if site.call == .stat {
          let mustWrite = isRead.withLock { isRead in
            defer { isRead = false }
            return isRead
          }
          if mustWrite {
            let file = try? System.live.open(path, [.write, .append])
            _ = [UInt8](repeating: 2, count: 10).withUnsafeBytes { bytes in
              Result { () throws(SystemError) in try file?.writeAll(bytes) }
            }
          }
        }
        return .proceed
      }
      let store = try await fixture.open(system: System(calls: calls))
      let edit = Edit(of: "a", expecting: 0, body: .file(url))
      await #expect(throws: DocumentError.bodyChanged(path)) { try await store.commit(edit) }
      #expect(try fixture.bodies.isEmpty)
      #expect(try await store.outcome(of: edit.change) == .notCommitted)
    }
  }

  @Test("A negative version, limit or base, and a nameless scene or consumer, are refused with a sentence")
  func arguments() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let calls: [@Sendable () async throws -> Void] = [
        { _ = try await store.commit(Edit(of: "a", expecting: -1, body: .deleted)) },
        { _ = try await store.commit(Edit(of: "a", expecting: .max, body: .deleted)) },
        { _ = try await store.list(limit: 0) },
        { _ = try await store.versions(of: "a", limit: -1) },
        { _ = try await store.history(after: nil, limit: 0) },
        { _ = try await store.history(after: nil, for: "") },
        { _ = try await store.purge(keepingVersions: 0) },
        { try await store.saveState(Data(), ofScene: "") },
        {
          try await store.checkpoint(
            Draft(scene: "s", document: "a", change: ChangeID(), base: -1, body: Data()))
        },
      ]
      for call in calls {
        await #expect {
          try await call()
        } throws: { error in
          guard case .invalidArgument(let text) = error as? DocumentError else { return false }
          return text.hasSuffix(".")
        }
      }
    }
  }

  @Test("Change IDs and tokens read back what they write, and refuse everything else")
  func texts() {
    let change = ChangeID()
    #expect(ChangeID(hexadecimal: change.description) == change)
    for text in ["", "12", String(repeating: "0", count: 31), String(repeating: "g", count: 32)] {
      #expect(ChangeID(hexadecimal: text) == nil)
    }
    #expect(ChangeID(derivedFrom: ["a", "b"]) == ChangeID(derivedFrom: ["a", "b"]))
    #expect(ChangeID(derivedFrom: ["a", "b"]) != ChangeID(derivedFrom: ["ab"]))
    #expect(ChangeID() != ChangeID())
    let token = HistoryToken(epoch: "e:1", sequence: 42)
    #expect(HistoryToken(token.description) == token)
    for text in ["", ":", "e:", ":4", "e:-1", "e:x", "42"] { #expect(HistoryToken(text) == nil) }
  }
}
