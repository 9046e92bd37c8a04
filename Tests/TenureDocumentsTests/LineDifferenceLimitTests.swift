import Testing

@testable import TenureDocuments

@Suite("How long LineDifference searches") struct LineDifferenceLimitTests {
  @Test(
    "A difference of everything is given up in time, and is still a difference", arguments: [8, 64, 1 << 20])
  func givingUp(limit: Int) {
    let count = 2_000
    let old = Array(0..<count)
    // 1,001 and 2,000 have no common factor: the same lines in another order.
    let new = old.map { ($0 * 1_001 + 7) % count }
    let difference = LineDifference(from: old, to: new, limit: limit)
    var last = -1
    for (index, partner) in difference.partners.enumerated() {
      guard let partner else { continue }
      #expect(partner > last)
      #expect(old[index] == new[partner])
      last = partner
    }
    #expect(last >= 0)
    if limit < count { #expect(difference.work <= 8 * limit * 2 * count) }
    if limit > count { #expect(difference.work > 8 * 64 * 2 * count / 10) }
  }

  @Test("Below the limit the difference is the smallest, also between long texts")
  func smallest() {
    let old = Array(0..<20_000)
    var new = old
    for place in stride(from: 0, to: 20_000, by: 100) { new[place] = -1 - place }
    let partners = LineDifference(from: old, to: new).partners
    #expect(partners.filter { $0 == nil }.count == 200)
    #expect(partners.enumerated().allSatisfy { $0.element == nil || $0.element == $0.offset })
  }
}
