import Tenure
import TenureStorage
import TenureSystem

/// Takes the files of a folder into the workspace, each content exactly once, however often it runs or is killed
/// (D1, D2, D3).
///
/// ```swift
/// let report = try await Importer(folder: "Notes", workspace: workspace).run()
/// ```
/// A change is named by path, digest and the version last imported, and its edit expects that version, never
/// simply the current one. Hence a file that went A, B, A becomes three versions; one killed between a commit and
/// its answer is recognised; and a file that changed outside while a scene changed its document is a conflict,
/// whose outside half is kept as a draft. The folder is only read.
public struct Importer: Sendable {
  /// The scene whose drafts hold the outside half of conflicts.
  public static let scene = "import"

  /// The folder.
  public let folder: String
  let workspace: Workspace

  /// Files up to this size travel in memory, larger ones are copied without being loaded.
  static let inMemoryLimit: Int64 = 64 << 10
  /// The largest file whose content is kept as a draft when it is in conflict.
  static let draftLimit: Int64 = 64 << 20
  /// Edits on their way at the same time share transactions and their syncs.
  static let inFlight = 256
  /// Bytes on their way at the same time.
  static let bytesInFlight: Int64 = 8 << 20

  /// An importer of `folder` into `workspace`.
  public init(folder: String, workspace: Workspace) {
    self.folder = folder
    self.workspace = workspace
  }

  /// How far a pass is.
  public struct Progress: Hashable, Sendable {
    /// Files looked at.
    public var done: Int
    /// Files there are.
    public var total: Int
  }

  /// One pass. Throws when the folder cannot be read or the store cannot be written; what was imported until
  /// then stays. A cancelled pass ends after the files that are on their way and reports what it did.
  public func run(
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> ImportReport {
    let system = workspace.container.system
    let walk = try await SystemThread.run(name: "notebook.files") {
      [folder, container = workspace.container.path] isCancelled in
      try FolderWalk(folder, leavingOut: container, system: system, until: isCancelled)
    }
    if Task.isCancelled {
      var report = ImportReport()
      report.isInterrupted = true
      return report
    }
    let known = try await workspace.database.read("imported files") { try ImportTable.all($0) }
    var report = ImportReport()
    report.files = walk.files.count
    report.problems = walk.problems
    progress(Progress(done: 0, total: walk.files.count))

    // One batch is read and digested while the one before it is committed.
    let batches = Self.batches(of: walk.files)
    var ready = await prepare(batches.first ?? [])
    for index in batches.indices {
      async let next = prepare(index + 1 < batches.count ? batches[index + 1] : [])
      for outcome in try await take(try ready.get(), known: known) { report.note(outcome) }
      ready = await next
      if Task.isCancelled || report.isInterrupted {
        report.isInterrupted = true
        return report
      }
      progress(
        Progress(done: batches[...index].reduce(0) { $0 + $1.count }, total: walk.files.count))
    }
    try await dropStaleDrafts(of: walk.files, report: report)
    report.missing = try await missing(from: walk, known: known)
    return report
  }

  private static func batches(of files: [FolderWalk.Found]) -> [[FolderWalk.Found]] {
    var batches: [[FolderWalk.Found]] = []
    var batch: [FolderWalk.Found] = []
    var bytes: Int64 = 0
    for file in files {
      let weight = min(file.size, inMemoryLimit)
      if batch.count == inFlight || (bytes + weight > bytesInFlight && !batch.isEmpty) {
        batches.append(batch)
        batch = []
        bytes = 0
      }
      batch.append(file)
      bytes += weight
    }
    if !batch.isEmpty { batches.append(batch) }
    return batches
  }

  // MARK: Reading files

  /// A file's content, or why there is none.
  struct Prepared: Sendable {
    var file: FolderWalk.Found
    var content: Result<Content, SystemError>

    struct Content: Sendable {
      var body: Body
      var digest: String
    }
  }

  /// Reads and digests files. When the task is cancelled it ends in the middle of one, and the rest is left out.
  private func prepare(_ files: [FolderWalk.Found]) async -> Result<[Prepared], any Error> {
    if files.isEmpty { return .success([]) }
    let system = workspace.container.system
    do {
      return .success(
        try await SystemThread.run(name: "notebook.files") { isCancelled in
          var prepared: [Prepared] = []
          for file in files {
            let content = Result { () throws(SystemError) in try Self.read(file, system, until: isCancelled) }
            if isCancelled() { break }
            prepared.append(Prepared(file: file, content: content))
          }
          return prepared
        })
    } catch {
      return .failure(error)
    }
  }

  private static func read(
    _ file: FolderWalk.Found, _ system: System, until isOver: () -> Bool
  ) throws(SystemError) -> Prepared.Content {
    if file.size <= inMemoryLimit {
      // It may have grown since it was listed.
      let bytes = try system.contents(of: file.path, limit: Int(inMemoryLimit) * 4)
      return Prepared.Content(body: .data(Data(bytes)), digest: Digest(of: bytes).description)
    }
    let opened = try system.open(file.path, .read)
    var hasher = DigestHasher()
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    var offset: Int64 = 0
    while !isOver() {
      let result = chunk.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in try opened.read(into: buffer, at: offset) }
      }
      let count = try result.get()
      if count == 0 { break }
      chunk.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      offset += Int64(count)
    }
    return Prepared.Content(
      body: .file(URL(filePath: file.path)), digest: hasher.finish().description)
  }

  // MARK: Committing

  /// What became of one file.
  enum Outcome: Sendable {
    case committed(Revision)
    case unchanged
    case conflict(ImportConflict)
    case problem(ImportProblem)
    /// Not begun, because the pass was cancelled.
    case left
  }

  private func take(_ files: [Prepared], known: [DocumentID: ImportedFile]) async throws -> [Outcome] {
    try await withThrowingTaskGroup(of: Outcome.self) { group in
      for file in files {
        group.addTask {
          // What is begun has one outcome, which is told; the rest is left for the next pass.
          if Task.isCancelled { return .left }
          return try await self.take(file, known: known[file.file.document])
        }
      }
      var outcomes: [Outcome] = []
      for try await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
  }

  private func take(_ prepared: Prepared, known: ImportedFile?) async throws -> Outcome {
    let document = prepared.file.document
    let content: Prepared.Content
    switch prepared.content {
    case .success(let read): content = read
    case .failure(let error):
      return .problem(ImportProblem(path: document.rawValue, reason: .unreadable(error)))
    }
    if known?.digest == content.digest { return .unchanged }

    let base = known?.version ?? 0
    let change = ChangeID(derivedFrom: [document.rawValue, content.digest, String(base)])
    let edit = Edit(of: document, expecting: base, body: content.body, change: change)
    // A base that has no next version is refused by the commit.
    let record = RecordImport(
      document: document, file: ImportedFile(version: base &+ 1, digest: content.digest))
    do {
      switch try await workspace.documents.commit(edit, accepting: [record], scene: Self.scene) {
      case .committed(let revision):
        if revision.digest != content.digest {
          // The file changed between the two readings; what was committed is what the file held last.
          let file = ImportedFile(version: revision.version, digest: revision.digest)
          try await workspace.database.write("import") {
            try ImportTable.put($0.connection, document, file)
          }
        }
        return .committed(revision)
      case .alreadyCommitted:
        // Another import of the same folder was quicker.
        return .unchanged
      case .conflict(let current):
        return try await conflict(edit, content.digest, current: current, prepared.file)
      }
    } catch is CancellationError {
      // In the middle of copying it.
      return .left
    } catch let error as DocumentError where error.isAboutOneFile {
      return .problem(ImportProblem(path: document.rawValue, reason: .refused("\(error)")))
    }
  }

  private func conflict(
    _ edit: Edit, _ digest: String, current: Revision?, _ found: FolderWalk.Found
  ) async throws -> Outcome {
    if let current, !current.isDeleted, current.digest == digest {
      // Both went the same way. What the file holds is this version, whatever comes after it.
      let file = ImportedFile(version: current.version, digest: digest)
      try await workspace.database.write("import") {
        try ImportTable.put($0.connection, edit.document, file)
      }
      return .unchanged
    }
    let isKept = found.size <= Self.draftLimit
    if isKept {
      let bytes: Data
      switch edit.body {
      case .data(let data): bytes = data
      case .file(let url):
        let system = workspace.container.system
        let again = try await SystemThread.run(name: "notebook.files") {
          Result { () throws(SystemError) in
            try system.contents(of: url.path, limit: Int(Self.draftLimit) * 2)
          }
        }
        let contents: [UInt8]
        do { contents = try again.get() } catch {
          return .problem(ImportProblem(path: edit.document.rawValue, reason: .unreadable(error)))
        }
        // The draft's change is named by the content that was met first.
        if Digest(of: contents).description != digest {
          return .problem(ImportProblem(path: edit.document.rawValue, reason: .changed))
        }
        bytes = Data(contents)
      case .deleted: bytes = Data()
      }
      try await workspace.documents.checkpoint(
        Draft(
          scene: Self.scene, document: edit.document, change: edit.change, base: edit.expected, body: bytes))
    }
    return .conflict(
      ImportConflict(document: edit.document, base: edit.expected, current: current, isKept: isKept))
  }

  // MARK: After the files

  /// A file that was changed back leaves a draft of a conflict that no longer is one.
  private func dropStaleDrafts(of files: [FolderWalk.Found], report: ImportReport) async throws {
    let inConflict = Set(report.conflicts.map(\.document))
    let present = Set(files.map(\.document))
    for draft in try await workspace.documents.draftEntries(scene: Self.scene)
    where present.contains(draft.document) && !inConflict.contains(draft.document) {
      try await workspace.documents.discardDraft(scene: Self.scene, document: draft.document)
    }
  }

  private func missing(
    from walk: FolderWalk, known: [DocumentID: ImportedFile]
  ) async throws -> [DocumentID] {
    let present = Set(walk.files.map(\.document))
    let hidden = Set(walk.problems.map(\.path))
    var missing: [DocumentID] = []
    for document in known.keys.sorted() where !present.contains(document) {
      let text = document.rawValue
      if hidden.contains(text) || walk.unreadable.contains(where: { text.hasPrefix($0 + "/") }) { continue }
      let current = try await workspace.documents.revision(of: document)
      if current?.isDeleted == false { missing.append(document) }
    }
    return missing
  }
}

extension ImportReport {
  fileprivate mutating func note(_ outcome: Importer.Outcome) {
    switch outcome {
    case .committed(let revision): committed.append(revision)
    case .unchanged: unchanged += 1
    case .conflict(let conflict): conflicts.append(conflict)
    case .problem(let problem): problems.append(problem)
    case .left: isInterrupted = true
    }
  }
}

extension DocumentError {
  /// Whether the next file may fare better.
  fileprivate var isAboutOneFile: Bool {
    switch self {
    case .invalidID, .bodyTooLarge, .bodyUnreadable, .bodyNotAFile, .bodyChanged: true
    default: false
    }
  }
}
