/// Which elements two sequences have in common, by Myers' algorithm in linear space.
///
/// Time grows with (lengths × number of differences), memory with the lengths alone. Where two stretches differ in
/// more than about twice ``limit`` lines the search for the shortest way is given up: the best point reached so
/// far divides the stretch, and some lines that both have may count as replaced. So time never grows faster
/// than (lengths × limit), and a difference is always a correct one, only no longer the smallest.
package struct LineDifference {
  /// For each element of the old sequence its partner in the new one, rising; `nil` when it has none.
  package private(set) var partners: [Int?]
  private let old: [Int]
  private let new: [Int]
  private var forward: [Int]
  private var backward: [Int]
  private let centre: Int
  private let limit: Int
  /// Diagonals looked at: what the time goes into.
  package private(set) var work = 0

  /// Compares two sequences of numbers that stand for lines.
  package init(from old: [Int], to new: [Int], limit: Int = 512) {
    self.limit = max(limit, 2)
    self.old = old
    self.new = new
    partners = Array(repeating: nil, count: old.count)
    centre = old.count + new.count + 1
    forward = Array(repeating: 0, count: 2 * centre + 1)
    backward = Array(repeating: 0, count: 2 * centre + 1)
    // An explicit stack: the depth of a recursion would follow the input.
    var open = [(old.indices, new.indices)]
    while let (left, right) = open.popLast() {
      if let (first, second) = split(left, right) {
        open.append(first)
        open.append(second)
      }
    }
  }

  private typealias Box = (Range<Int>, Range<Int>)

  /// Pairs what is equal at both ends of a box; answers the two halves of what is left, if anything is.
  private mutating func split(_ left: Range<Int>, _ right: Range<Int>) -> (Box, Box)? {
    var (low, high) = (left.lowerBound, left.upperBound)
    var (newLow, newHigh) = (right.lowerBound, right.upperBound)
    while low < high, newLow < newHigh, old[low] == new[newLow] {
      partners[low] = newLow
      low += 1
      newLow += 1
    }
    while low < high, newLow < newHigh, old[high - 1] == new[newHigh - 1] {
      high -= 1
      newHigh -= 1
      partners[high] = newHigh
    }
    if low == high || newLow == newHigh { return nil }
    let (x, y) = middle(low..<high, newLow..<newHigh)
    return ((low..<x, newLow..<y), (x..<high, y..<newHigh))
  }

  /// A point on a shortest path through the box, found from both ends at once. It is never a corner that
  /// leaves the box whole: both ends differ, so a shortest path has at least two steps.
  private mutating func middle(_ left: Range<Int>, _ right: Range<Int>) -> (Int, Int) {
    let (n, m) = (left.count, right.count)
    let delta = n - m
    forward[centre + 1] = 0
    backward[centre + 1] = 0
    var distance = 0
    while true {
      if distance > limit { return reached(distance - 1, left, right) }
      work += 2 * (distance + 1)
      for k in stride(from: -distance, through: distance, by: 2) {
        let down = k == -distance || (k != distance && forward[centre + k - 1] < forward[centre + k + 1])
        var x = down ? forward[centre + k + 1] : forward[centre + k - 1] + 1
        let start = x
        while x < n, x - k < m, x - k >= 0, old[left.lowerBound + x] == new[right.lowerBound + x - k] {
          x += 1
        }
        forward[centre + k] = x
        let reverse = delta - k
        if delta % 2 != 0, reverse >= -(distance - 1), reverse <= distance - 1,
          x + backward[centre + reverse] >= n
        {
          return (left.lowerBound + start, right.lowerBound + start - k)
        }
      }
      for k in stride(from: -distance, through: distance, by: 2) {
        let down = k == -distance || (k != distance && backward[centre + k - 1] < backward[centre + k + 1])
        var x = down ? backward[centre + k + 1] : backward[centre + k - 1] + 1
        let start = x
        while x < n, x - k < m, x - k >= 0,
          old[left.upperBound - 1 - x] == new[right.upperBound - 1 - (x - k)]
        {
          x += 1
        }
        backward[centre + k] = x
        let reverse = delta - k
        if delta % 2 == 0, reverse >= -distance, reverse <= distance, x + forward[centre + reverse] >= n {
          return (left.upperBound - start, right.upperBound - (start - k))
        }
      }
      distance += 1
    }
  }

  /// The furthest point inside the box that so many steps from its beginning reach; never one of the two corners,
  /// for the beginning is left behind and the end would have been met from the other side.
  private func reached(_ distance: Int, _ left: Range<Int>, _ right: Range<Int>) -> (Int, Int) {
    var (bestX, bestY) = (left.count / 2, right.count / 2)
    var furthest = 0
    for k in stride(from: -distance, through: distance, by: 2) {
      let x = forward[centre + k]
      let y = x - k
      if x <= left.count, y >= 0, y <= right.count, x + y > furthest {
        (bestX, bestY, furthest) = (x, y, x + y)
      }
    }
    return (left.lowerBound + bestX, right.lowerBound + bestY)
  }
}
