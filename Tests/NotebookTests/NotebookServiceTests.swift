import Tenure
import Testing

@testable import Notebook

@Suite("The service") struct NotebookServiceTests {
  @Test("D9: every change is indexed, once, whatever the service's restarts")
  func index() async throws {
    try await NotesFolder.with { folder in
      try folder.write("# Soup\n\nred lentils\n", to: "soup.md")
      try folder.write([0, 1, 2], to: "picture.png")
      try await folder.importAll()
      let service = NotebookService(workspace: folder.workspace)
      #expect(try await service.catchUp() == 2)
      #expect(try await NotebookService(workspace: folder.workspace).catchUp() == 0)
      try await folder.commit("soup.md", expecting: 1, "# Better soup\n")
      #expect(try await service.catchUp() == 1)
      #expect(
        try await service.entries() == [
          IndexEntry(document: "picture.png", version: 1, title: "", words: 0),
          IndexEntry(document: "soup.md", version: 2, title: "Better soup", words: 3),
        ])
    }
  }

  @Test("A deleted document leaves the index")
  func deleted() async throws {
    try await NotesFolder.with { folder in
      try folder.write("a", to: "a.md")
      try await folder.importAll()
      let service = NotebookService(workspace: folder.workspace)
      _ = try await service.catchUp()
      _ = try await folder.workspace.documents.commit(Edit(of: "a.md", expecting: 1, body: .deleted))
      _ = try await service.catchUp()
      #expect(try await service.entries().isEmpty)
    }
  }

  @Test("Two processes of the service together index everything")
  func together() async throws {
    try await NotesFolder.with { folder in
      for number in 0..<450 { try folder.write("note \(number)", to: "n\(number).md") }
      try await folder.importAll()
      let service = NotebookService(workspace: folder.workspace)
      async let first = service.catchUp()
      async let second = service.catchUp()
      _ = try await (first, second)
      #expect(try await service.entries().count == 450)
    }
  }
}
