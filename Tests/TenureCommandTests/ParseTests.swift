import Testing

@testable import TenureCommand

@Suite("The command line") struct ParseTests {
  struct Input: Sendable, Equatable {
    var json = false
    var quiet = false
    var count = 3
    var name: String?
    var ignored: [String] = []
    var first = ""
    var rest: [Int] = []
  }

  static let parameters: [Parameter<Input>] = [
    .flag("json", short: "j", \.json, "Print JSON."),
    .flag("quiet", short: "q", \.quiet, "Say less."),
    .option("count", short: "n", "N", \.count, in: 1...9, "How many."),
    .option("name", "NAME", \.name, "Whose."),
    .options("ignore", "WORD", \.ignored, "What to leave out."),
    .argument("FIRST", \.first, "The first word."),
    .arguments("NUMBER", \.rest, isRequired: false, "Numbers."),
  ]

  func read(_ words: String...) throws -> Input { try parse(words, into: Input(), Self.parameters) }

  @Test("Options may stand before, between and after arguments, with their value attached or apart")
  func placesOfOptions() throws {
    var expected = Input()
    expected.json = true
    expected.count = 5
    expected.first = "a"
    expected.rest = [1, 2]
    #expect(try read("--json", "--count", "5", "a", "1", "2") == expected)
    #expect(try read("a", "1", "--count=5", "2", "--json") == expected)
    #expect(try read("a", "-n5", "1", "-j", "2") == expected)
    #expect(try read("-jn", "5", "a", "1", "2") == expected)
  }

  @Test("After -- everything is an argument, and so are - and negative numbers")
  func endOfOptions() throws {
    #expect(try read("--", "--json").first == "--json")
    #expect(try read("-").first == "-")
    #expect(try read("a", "-3").rest == [-3])
  }

  @Test("The last value of an option counts, unless it repeats")
  func lastValueCounts() throws {
    let input = try read("a", "--count", "1", "--count", "2", "--ignore", "x", "--ignore", "y")
    #expect(input.count == 2)
    #expect(input.ignored == ["x", "y"])
  }

  @Test(
    "What cannot be understood is said in a sentence",
    arguments: [
      ([], "FIRST is missing"),
      (["a", "--cuont", "1"], "Did you mean --count?"),
      (["a", "--count"], "--count needs a value: N"),
      (["a", "--count", "--json"], "--count needs a value: N"),
      (["a", "--count", "ten"], "--count takes a whole number, not \u{201C}ten\u{201D}"),
      (["a", "--count", "10"], "--count must be from 1 to 9, not 10"),
      (["a", "--count", "99999999999999999999"], "--count takes a whole number"),
      (["a", "--json=yes"], "--json is a switch and takes no value"),
      (["a", "-x"], "There is no option -x"),
      (["a", "b"], "NUMBER takes a whole number, not \u{201C}b\u{201D}"),
      (["a", "--="], "There is no option --"),
    ] as [([String], String)])
  func mistakes(words: [String], sentence: String) {
    let error = #expect(throws: UsageError.self) {
      _ = try parse(words, into: Input(), Self.parameters)
    }
    #expect(error?.description.contains(sentence) == true)
  }

  @Test("An argument too many is named")
  func oneTooMany() {
    let only: [Parameter<Input>] = [.argument("FIRST", \.first, "The first word.")]
    let error = #expect(throws: UsageError.self) { _ = try parse(["a", "b"], into: Input(), only) }
    #expect(error?.message == "\u{201C}b\u{201D} is one argument too many.")
  }

  @Test(
    "A slip of the finger is recognised, a different word is not",
    arguments: [
      ("stroe", "store"), ("lwas", "laws"), ("chek", "check"), ("sto", "store"), ("zebra", nil), ("", nil),
    ] as [(String, String?)])
  func nearestWord(word: String, meant: String?) {
    #expect(nearest(to: word, among: ["store", "laws", "check", "run"]) == meant)
  }

  @Test(
    "An empty word is no value, unless the parameter says so",
    arguments: [["--name", "", "a"], ["--name=", "a"], ["--ignore", "", "a"], [""]])
  func emptyWords(words: [String]) throws {
    #expect(throws: UsageError.self) { try parse(words, into: Input(), Self.parameters) }
    let lenient = Self.parameters.map {
      $0.shape.name == "name" || $0.shape.name == "FIRST" ? $0.orEmpty() : $0
    }
    if !words.contains("--ignore") { _ = try parse(words, into: Input(), lenient) }
  }
}
