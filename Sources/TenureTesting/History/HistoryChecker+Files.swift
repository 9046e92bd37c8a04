extension HistoryChecker {
  /// Shared files that are counted in and appended to: no update is lost, none is made twice, none is torn.
  func checkFiles(
    _ records: [OperationRecord], _ outcome: StoredOutcome, into report: inout HistoryReport
  ) {
    var given: [String: Set<Int64>] = [:]
    var appended: [String: (acknowledged: Set<String>, asked: Set<String>)] = [:]
    for record in records {
      switch (record.request, record.answer) {
      case (.count(let file), .counted(let number)):
        if !given[file, default: []].insert(number).inserted {
          report.add(.lost, "\(record.name) counted \(file) to \(number), as another had: one update is lost")
        }
      case (.append(let file, let token), let answer):
        appended[file, default: ([], [])].asked.insert(token)
        if answer == .done { appended[file, default: ([], [])].acknowledged.insert(token) }
      default: break
      }
    }
    for (file, numbers) in given.sorted(by: { $0.key < $1.key }) {
      let highest = numbers.max() ?? 0
      let final = outcome.counters[file] ?? 0
      if final < highest { report.add(.lost, "\(file) says \(final), though it was counted to \(highest)") }
    }
    for (file, tokens) in appended.sorted(by: { $0.key < $1.key }) {
      var counts: [String: Int] = [:]
      for token in outcome.tokens[file] ?? [] { counts[token, default: 0] += 1 }
      for (token, count) in counts.sorted(by: { $0.key < $1.key }) {
        if !tokens.asked.contains(token) {
          report.add(.torn, "\(file) holds \"\(token)\", which nobody wrote")
        }
        if count > 1 { report.add(.duplicated, "\(file) holds \(token) \(count) times") }
      }
      for token in tokens.acknowledged.sorted() where counts[token] == nil {
        report.add(.lost, "\(file) does not hold \(token), which was appended")
      }
    }
  }
}
