import TenureTrace

/// Shows a report in some form.
public protocol Reporter: Sendable {
  /// The report as text, ending with a newline.
  func render(_ report: Report) -> String
}

/// A report for a person to read.
public struct TextReporter: Reporter {
  private let colour: Bool
  private let verbose: Bool

  /// `colour` is for terminals; `verbose` also lists the rules that are clean or could not tell.
  public init(colour: Bool = false, verbose: Bool = false) {
    self.colour = colour
    self.verbose = verbose
  }

  public func render(_ report: Report) -> String {
    var text = ""
    for finding in report.findings { text += render(finding) + "\n" }
    for problem in report.problems { text += "\(paint("note", .note)): \(problem)\n" }
    if report.problemCount > report.problems.count {
      text += "note: and \(report.problemCount - report.problems.count) more lines like these\n"
    }
    for (kind, count) in report.unknownKinds.sorted(by: { $0.key < $1.key }) {
      text += "note: \(count) events of the kind \(kind), which this version does not know\n"
    }
    for suppression in report.unusedSuppressions {
      text += "note: \(suppression.origin): the suppression of \(suppression.rule) for"
      text += " \(suppression.subject) covered nothing or has run out; remove it\n"
    }
    text += untold(report)
    return text + summary(report)
  }

  private func render(_ finding: Finding) -> String {
    let place = finding.place.map { "\($0): " } ?? ""
    let severity = finding.rule.severity
    var text = "\(place)\(paint(severity.rawValue, severity)): \(finding.what) [\(finding.rule.id)]\n"
    text += "  law \(finding.rule.law.rawValue), \(finding.rule.law.title): \(finding.rule.why)\n"
    for evidence in finding.evidence {
      text += "  \(evidence.place) \(evidence.process) \(evidence.kind) \(evidence.fields)\n"
    }
    return text + "  To do: \(finding.rule.advice)\n"
  }

  /// What could not be told, one line for each way to record what is missing.
  private func untold(_ report: Report) -> String {
    var text = ""
    var clean: [String] = []
    for answer in report.answers {
      switch answer.verdict {
      case .clean: clean.append(answer.rule.id)
      case .cannotTell(let why, let remedy) where verbose:
        text += "cannot tell: \(answer.rule.id): \(why). \(remedy)\n"
      case .cannotTell, .findings: break
      }
      for note in answer.notes { text += "note: \(answer.rule.id): \(note)\n" }
    }
    if verbose && !clean.isEmpty { text += "clean: \(clean.joined(separator: ", "))\n" }
    return text
  }

  private func summary(_ report: Report) -> String {
    var clean = 0
    var untold = 0
    for answer in report.answers {
      switch answer.verdict {
      case .clean: clean += 1
      case .cannotTell: untold += 1
      case .findings: break
      }
    }
    var text = "\(report.events) events of \(count(report.inputs.count, "file")): "
    text += count(report.findings.count, "finding")
    if !report.suppressed.isEmpty { text += " (\(report.suppressed.count) more suppressed)" }
    text += "; \(count(clean, "rule")) clean"
    if untold > 0 {
      text += ", \(untold) cannot tell"
      if !verbose { text += " (--verbose says why)" }
    }
    return text + ".\n"
  }

  private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private func paint(_ text: String, _ severity: Severity) -> String {
    guard colour else { return text }
    let code =
      switch severity {
      case .error: "31"
      case .warning: "33"
      case .note: "36"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
