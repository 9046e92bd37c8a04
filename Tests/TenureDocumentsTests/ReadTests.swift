import TenureState
import TenureSystem
import TenureTesting
import TenureTrace
import Testing

@testable import TenureDocuments

@Suite("Reading") struct ReadTests {
  @Test("Any kept version is read with its own bytes; what was never there is named")
  func versions() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      for version in 0..<5 { try await store.write("v\(version + 1)", to: "a.md", expecting: Int64(version)) }
      for version in 1...5 {
        #expect(try await store.text(of: "a.md", version: Int64(version)) == "v\(version)")
      }
      #expect(try await store.versions(of: "a.md", before: 4, limit: 2).map(\.version) == [3, 2])
      #expect(try await store.revision(of: "a.md", version: 6) == nil)
      await #expect(throws: DocumentError.noSuchVersion("a.md", version: 6)) {
        try await store.body(of: "a.md", version: 6)
      }
      await #expect(throws: DocumentError.noSuchDocument("b.md")) { try await store.body(of: "b.md") }
    }
  }

  @Test("Listing goes by prefix in the order of the bytes, page after page, each document once")
  func list() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let inside =
        (0..<25).map { DocumentID("Trips/\($0 < 10 ? "0" : "")\($0).md") } + ["Trips/é.md", "Trips/🇮🇸.md"]
      for id in inside + ["Trip", "Trips", "Tripster/a", "Trips0"] {
        try await store.write("x", to: id, expecting: 0)
      }
      var found: [DocumentID] = []
      var after: DocumentID?
      repeat {
        let page = try await store.list(prefix: "Trips/", after: after, limit: 4)
        found += page.items.map(\.document)
        after = page.next
      } while after != nil
      #expect(found == inside.sorted())
      #expect(try await store.list().items.count == inside.count + 4)
    }
  }

  @Test("D5: bytes that are not what was committed are never returned", arguments: [10, 100_000])
  func damage(size: Int) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let edit = Edit(of: "a.md", expecting: 0, body: .data(Data(repeating: 1, count: size)))
      _ = try await store.commit(edit)
      if let name = try fixture.bodies.first {
        let file = try System.live.open(fixture.path + "/bodies/" + name, .write)
        try [UInt8(9)].withUnsafeBytes { bytes in
          Result { () throws(SystemError) in try file.writeAll(bytes, at: 17) }
        }.get()
      } else {
        try await store.database.write("damage") {
          try $0.connection.run("UPDATE changes SET inline = zeroblob(10)")
        }
      }
      await #expect {
        try await store.body(of: "a.md")
      } throws: { error in
        guard case .bodyDamaged("a.md", 1, _) = error as? DocumentError else { return false }
        return true
      }
      await #expect(throws: DocumentError.self) { try await store.withBodyFile(of: "a.md") { _, _ in } }
      #expect(try await store.check().count == 1)
    }
  }

  @Test("A body file that is gone is found by reading and by a check")
  func missing() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      _ = try await store.commit(
        Edit(of: "a.md", expecting: 0, body: .data(Data(repeating: 1, count: 100_000))))
      let name = try #require(try fixture.bodies.first)
      try System.live.remove(fixture.path + "/bodies/" + name)
      await #expect(
        throws: DocumentError.bodyDamaged("a.md", version: 1, detail: "the file bodies/\(name) is missing")
      ) { try await store.body(of: "a.md") }
      #expect(try await store.check() == [.bodyMissing("a.md", version: 1, file: name)])
    }
  }

  @Test("A body is lent as a file of its own and gone afterwards", arguments: [0, 10, 200_000])
  func lent(size: Int) async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let url = try fixture.file("film", Array(repeating: 3, count: size))
      _ = try await store.commit(Edit(of: "film.mov", expecting: 0, body: .file(url)))
      let path = try await store.withBodyFile(of: "film.mov") { revision, lent in
        #expect(revision.size == Int64(size))
        let bytes = try System.live.contents(of: lent.path, limit: 1 << 20)
        #expect(bytes == Array(repeating: 3, count: size))
        return lent.path
      }
      #expect(try System.live.status(path) == nil)
      #expect(try System.live.status(url.path)?.size == Int64(size))
    }
  }

  @Test("D5: a conflict or a refused change leaves no body file behind")
  func noLitter() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let large = Data(repeating: 1, count: 100_000)
      let edit = Edit(of: "a.md", expecting: 0, body: .data(large))
      _ = try await store.commit(edit)
      #expect(try fixture.bodies.count == 1)
      _ = try await store.commit(edit)
      _ = try await store.commit(Edit(of: "a.md", expecting: 0, body: .data(large)))
      _ = try? await store.commit(Edit(of: "b.md", expecting: 0, body: .data(large), change: edit.change))
      #expect(try fixture.bodies.count == 1)
      #expect(try await store.check().isEmpty)
    }
  }
}

@Suite("Observing") struct ObserveTests {
  @Test("S1, G5: the first snapshot is returned; own and other clients' commits follow, never going back")
  func observe() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let other = try await fixture.open(role: "service")
      try await store.write("1", to: "a.md", expecting: 0)
      let (heard, told) = AsyncStream.makeStream(of: Int64.self)
      let (first, subscription) = try await store.observe("a.md") { told.yield($0.version) }
      #expect(first.version == 1)
      #expect(first.value?.version == 1)
      let last: Int64 = 40
      async let writing: Void = {
        for version in 1..<last {
          let writer = version % 2 == 0 ? store : other
          try await writer.write("\(version + 1)", to: "a.md", expecting: version)
        }
      }()
      var seen = first.version
      for await version in heard {
        #expect(version > seen)
        seen = version
        if version == last { break }
      }
      try await writing
      subscription.cancel()
      #expect(fixture.ring.events(DocumentObserved.self).first?.version == 1)
    }
  }

  @Test("A document that does not exist is observed from nothing to its first version and its deletion")
  func fromNothing() async throws {
    try await Fixture.run { fixture in
      let store = try await fixture.open()
      let (heard, told) = AsyncStream.makeStream(of: Versioned<Revision?>.self)
      let (first, subscription) = try await store.observe("a.md") { told.yield($0) }
      #expect(first == Versioned(version: 0, value: nil))
      var iterator = heard.makeAsyncIterator()
      let one = try await store.write("1", to: "a.md", expecting: 0)
      #expect(await iterator.next() == Versioned(version: 1, value: one))
      _ = try await store.commit(Edit(of: "a.md", expecting: 1, body: .deleted))
      #expect(await iterator.next()?.value?.isDeleted == true)
      subscription.cancel()
    }
  }
}
