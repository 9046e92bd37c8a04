import TenureSystem
import TenureTrace
import Testing

@testable import TenureGroup

@Suite("GroupLock")
struct GroupLockTests {
  @Test("G2: a lock that is given back can be taken again")
  func again() throws {
    let folder = try TemporaryFolder()
    let lock = GroupLock(path: folder.path.appendingPath("a.lock"), system: .live, trace: .off)
    #expect(try lock.withLock(for: "one") { 1 } == 1)
    #expect(try lock.withLock(for: "two", timeout: .zero) { 2 } == 2)
  }
}
