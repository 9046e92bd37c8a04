import Tenure
import TenureSystem
import TenureTesting
import Testing

@testable import TenureCommand

@Suite("The copy for an editor") struct EditorTests {
  @Test("Each editing has a directory that was not there before")
  func fresh() throws {
    let editor = Editor(system: .live, activity: SceneActivity())
    let first = try editor.makeDirectory(in: "/tmp")
    let second = try editor.makeDirectory(in: "/tmp")
    #expect(first != second)
    for path in [first, second] {
      #expect(try System.live.list(path).isEmpty)
      try System.live.removeDirectory(path)
    }
  }

  @Test("A name that somebody prepared is passed over")
  func prepared() throws {
    let clock = ManualClock()
    let editor = Editor(system: System(calls: PlatformCalls(), clock: clock), activity: SceneActivity())
    let parent = "/tmp/tenure-test-\(ChangeID())"
    try System.live.makeDirectories(parent)
    // The clock stands still, so both begin with the same name.
    let first = try editor.makeDirectory(in: parent)
    let second = try editor.makeDirectory(in: parent)
    #expect(first != second)
    #expect(try System.live.list(parent).count == 2)
    for path in [first, second, parent] { try System.live.removeDirectory(path) }
  }
}
