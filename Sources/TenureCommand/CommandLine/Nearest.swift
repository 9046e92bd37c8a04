/// The word among `words` that was probably meant by `word`; `nil` when none is near enough.
func nearest(to word: String, among words: [String]) -> String? {
  let bound = max(1, word.count / 3)
  var best: (word: String, distance: Int)?
  for candidate in words {
    let distance = typingDistance(word.lowercased(), candidate)
    if distance <= bound, distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  if best == nil, word.count >= 2 {
    let longer = words.filter { $0.hasPrefix(word.lowercased()) }
    if longer.count == 1 { return longer[0] }
  }
  return best?.word
}

/// How many slips of the finger lie between two words: a letter missing, extra, wrong, or two swapped.
func typingDistance(_ first: String, _ second: String) -> Int {
  let a = Array(first)
  let b = Array(second)
  if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
  var beforeLast = [Int](repeating: 0, count: b.count + 1)
  var last = Array(0...b.count)
  for i in 1...a.count {
    var row = [i] + [Int](repeating: 0, count: b.count)
    for j in 1...b.count {
      row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
        row[j] = min(row[j], beforeLast[j - 2] + 1)
      }
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
