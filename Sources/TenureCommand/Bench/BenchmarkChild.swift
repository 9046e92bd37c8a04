import TenureSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The rows that need several processes start the command again with one of these jobs.
///
/// The child opens what it needs, prints `ready`, waits for a line on standard input, works, and prints what it
/// found as one line of JSON.
enum BenchmarkJob: Codable, Sendable {
  /// Commits for a while with Tenure.
  case write(container: String, document: Int, seconds: Double)
  /// Commits for a while with the raw C API.
  case rawWrite(database: String, document: Int, seconds: Double)
  /// Reads for a while with Tenure, looking how long the WAL is.
  case read(container: String, documents: Int, seconds: Double)
  /// Prints version and time of every change of a document that Tenure tells it of.
  case observe(container: String, document: String)
  /// Prints version and time whenever the bell rings and the row was read.
  case rawObserve(database: String, bell: String, document: String)
  /// Imports a file and tells how much memory that took above what was taken before.
  case importLarge(container: String, file: String)
}

extension BenchmarkJob {
  /// Reads a job as the parent wrote it.
  init(json: String) throws { self = try JSONDecoder().decode(BenchmarkJob.self, from: Data(json.utf8)) }
}

/// What a child found.
struct BenchmarkAnswer: Codable, Sendable {
  var count = 0
  /// From the first to the last.
  var seconds = 0.0
  /// Seconds the slowest one took.
  var longest = 0.0
  /// The largest file or memory seen.
  var bytes: Int64 = 0
}

/// A job running in a process of its own.
struct BenchmarkChild: Sendable {
  private let process: ChildProcess
  /// The lines it prints, after `ready`. Ends when the child does.
  let lines: AsyncStream<String>

  /// Starts a job and waits until it is ready.
  static func start(_ job: BenchmarkJob, plan: BenchmarkPlan) async throws -> BenchmarkChild {
    let text = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
    let process = try ChildProcess.start(
      plan.program, arguments: ["bench-child", text], input: .pipe, output: .pipe, system: plan.system)
    plan.belongings.add(process)
    let (lines, feed) = AsyncStream.makeStream(of: String.self)
    do {
      try SystemThread.start(name: "bench-lines") {
        while let reader = process.outputLines, let line = try? reader.next() { feed.yield(line) }
        feed.finish()
      }
      let child = BenchmarkChild(process: process, lines: lines)
      guard try await child.line() == "ready" else {
        throw BenchmarkFault(what: "a child process did not get ready")
      }
      return child
    } catch {
      process.killNow()
      throw error
    }
  }

  /// Lets it begin.
  func go() throws { try process.write(line: "go") }

  /// Its next line.
  func line() async throws -> String {
    for await line in lines { return line }
    throw BenchmarkFault(what: "a child process ended early: \(await process.ending())")
  }

  /// What it found.
  func answer() async throws -> BenchmarkAnswer {
    try JSONDecoder().decode(BenchmarkAnswer.self, from: Data(try await line().utf8))
  }

  /// Ends it, whatever it does, and waits for that.
  func end() async {
    process.closeInput()
    process.killNow()
    _ = await process.ending()
  }

  /// Runs all jobs at once, let go together, and answers what they found.
  static func run(_ jobs: [BenchmarkJob], plan: BenchmarkPlan) async throws -> [BenchmarkAnswer] {
    var children: [BenchmarkChild] = []
    do {
      for job in jobs { children.append(try await start(job, plan: plan)) }
      for child in children { try child.go() }
      var answers: [BenchmarkAnswer] = []
      for child in children { answers.append(try await child.answer()) }
      for child in children { await child.end() }
      return answers
    } catch {
      for child in children { await child.end() }
      throw error
    }
  }
}
