import Tenure
import TenureSystem
import TenureTesting
import Testing

@testable import TenureCommand

@Suite("The copy for an editor") struct EditorTests {
  @Test("Each editing has a directory that was not there before")
  func fresh() throws {
    let system = System.live
    let first = try system.makePrivateDirectory(in: "/tmp", prefix: "tenure-edit-")
    let second = try system.makePrivateDirectory(in: "/tmp", prefix: "tenure-edit-")
    #expect(first != second)
    for path in [first, second] {
      #expect(try System.live.list(path).isEmpty)
      try System.live.removeDirectory(path)
    }
  }

  @Test("A name that somebody prepared is passed over")
  func prepared() throws {
    let clock = ManualClock()
    let system = System(calls: PlatformCalls(), clock: clock)
    let parent = "/tmp/tenure-test-\(ChangeID())"
    try System.live.makeDirectories(parent)
    // The clock stands still, so both begin with the same name.
    let first = try system.makePrivateDirectory(in: parent, prefix: "tenure-edit-")
    let second = try system.makePrivateDirectory(in: parent, prefix: "tenure-edit-")
    #expect(first != second)
    #expect(try System.live.list(parent).count == 2)
    for path in [first, second, parent] { try System.live.removeDirectory(path) }
  }
}
