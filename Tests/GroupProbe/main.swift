import TenureGroup
import TenureSystem
import TenureTrace

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// A process that does one thing of the G laws, says so on a line, and waits to be killed or told to go on.

func say(_ line: String) {
  var bytes = Array((line + "\n").utf8)
  while !bytes.isEmpty {
    let count = write(1, bytes, bytes.count)
    if count <= 0 { exit(71) }
    bytes.removeFirst(count)
  }
}

let arguments = CommandLine.arguments
let trace = Trace.off(as: .current(role: "probe"))

func argument(_ place: Int) -> String { place < arguments.count ? arguments[place] : "" }

do {
  switch argument(1) {
  case "hold":
    // hold LOCK [marker]
    let guards = GroupGuards(g2: argument(3) != "marker")
    try GroupLock(path: argument(2), system: .live, trace: trace, guards: guards).withLock(for: "probe") {
      say("held")
      _ = readLine()
    }
  case "lease":
    // lease CONTAINER NAME
    let container = try GroupContainer.open(at: argument(2), trace: trace)
    let lease = try Lease.take(in: container, name: argument(3))
    try System.live.link(container.bellPath, to: lease.directory.appendingPath("bell"))
    say("taken")
    _ = readLine()
    lease.end()
  case "count":
    // count FILE TIMES: adds one to the number in the file, each time as one step.
    for _ in 0..<(Int(argument(3)) ?? 0) {
      try AtomicFile.update(argument(2), trace: trace) { old in
        let text = String(decoding: old ?? Array("0".utf8), as: UTF8.self)
        return Array(String((Int(text) ?? 0) + 1).utf8)
      }
    }
    say("counted")
  case "replace":
    // replace FILE TEXT CALL: killed before its CALL-th system call.
    let fatal = Int(argument(4)) ?? 0
    let made = Lock(0)
    let calls = InterceptedCalls(PlatformCalls()) { _ in
      let number = made.withLock { count in
        count += 1
        return count
      }
      if number == fatal { kill(getpid(), SIGKILL) }
      return .proceed
    }
    try AtomicFile.replace(
      argument(2), with: Array(argument(3).utf8), system: System(calls: calls), trace: trace)
    say("replaced")
  default:
    say("usage: GroupProbe hold|lease|count|replace …")
    exit(2)
  }
} catch {
  say("failed: \(error)")
  exit(1)
}
