import TenureTrace

extension Command {
  struct LawsInput: Sendable {
    var json = false
    var ids: [String] = []
  }

  /// `tenure laws`
  static let laws = Command(
    "laws", "The catalogue of laws: what each says, and what upholds, shows, proves and finds it.",
    discussion: "A face that is missing is shown as \u{2013}, or null in JSON: it is not there yet.",
    taking: LawsInput(),
    [
      .flag("json", \.json, "Print an array of {id, sentence, api, scenario, proof, rule}."),
      .arguments("LAW", \.ids, isRequired: false, "Only these, such as D3; all when none is named."),
    ],
    examples: [
      Example("tenure laws D1 D3", "Two laws and their faces."),
      Example("tenure laws --json | jq '.[] | select(.proof == null).id'", "The laws without a proof."),
    ]
  ) { input, context in
    let wanted = try input.ids.map { id throws(UsageError) in
      guard let law = Law(rawValue: id.uppercased()) else {
        throw UsageError(
          "There is no law \u{201C}\(id)\u{201D}.",
          suggestion: nearest(to: id.uppercased(), among: Law.allCases.map(\.rawValue)))
      }
      return law
    }
    let entries = LawCatalogue.entries.filter { wanted.isEmpty || wanted.contains($0.law) }
    if input.json {
      try context.terminal.print(json: entries.map(LawRow.init))
    } else {
      for entry in entries { context.terminal.print(entry.text(on: context.terminal)) }
    }
    return .success
  }
}

/// A law as `--json` prints it: every key always there.
private struct LawRow: Encodable {
  let entry: LawEntry

  init(_ entry: LawEntry) { self.entry = entry }

  private enum Key: String, CodingKey {
    case id, sentence, api, scenario, proof, rule
  }

  func encode(to encoder: any Encoder) throws {
    var row = encoder.container(keyedBy: Key.self)
    try row.encode(entry.law.rawValue, forKey: .id)
    try row.encode(entry.law.sentence, forKey: .sentence)
    try row.encode(entry.api?.name, forKey: .api)
    try row.encode(entry.scenario, forKey: .scenario)
    try row.encode(entry.proof, forKey: .proof)
    try row.encode(entry.rule, forKey: .rule)
  }
}

extension LawEntry {
  fileprivate func text(on terminal: Terminal) -> String {
    let heading = terminal.styled("\(law.rawValue) \(law.title)", .bold)
    let sentence = wrapped(law.sentence, width: min(terminal.width, 100), indent: 4)
    let faces = [("api", api?.name), ("scenario", scenario), ("proof", proof), ("rule", rule)]
      .map { name, face in
        "    \(terminal.styled(name.padded(to: 9), .dim)) \(face ?? "\u{2013}")"
      }
    return ([heading, sentence] + faces).joined(separator: "\n")
  }
}

extension String {
  /// With spaces behind it up to `width` characters.
  func padded(to width: Int) -> String {
    count >= width ? self : self + String(repeating: " ", count: width - count)
  }
}
