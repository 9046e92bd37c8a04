/// What one flush has to make durable, and what has become of it (D7).
struct FlushWork {
  /// What a keeper holds that no checkpoint does.
  struct Unsaved {
    let keeper: DraftKeeper
    let content: DraftMachine.Unsaved
    var item: FlushItem {
      FlushItem(document: keeper.document, change: content.change, scene: keeper.scene)
    }
  }

  /// A change of a document is one item, however many saves of it are under way and whoever asked.
  private struct Key: Hashable {
    let document: DocumentID
    let change: ChangeID

    init(_ item: FlushItem) { (document, change) = (item.document, item.change) }
  }

  let unsaved: [Unsaved]
  /// In the order they were entered, each once.
  private(set) var flights: [Flight]
  /// Each item once.
  let items: [FlushItem]

  init(under flights: [Flight], keepers: [DraftKeeper]) {
    unsaved = keepers.compactMap { keeper in keeper.unsaved.map { Unsaved(keeper: keeper, content: $0) } }
    self.flights = flights
    var places: [Key: Int] = [:]
    var items: [FlushItem] = []
    for item in unsaved.map(\.item) + flights.flatMap(\.items) {
      if let place = places[Key(item)] {
        if items[place].scene == nil { items[place] = item }
      } else {
        places[Key(item)] = items.count
        items.append(item)
      }
    }
    self.items = items
  }

  mutating func add(_ more: [Flight]) {
    for flight in more where !flights.contains(where: { $0 === flight }) { flights.append(flight) }
  }

  /// The answer when nothing is left to be said but "saved"; otherwise nothing is settled yet.
  func reportIfAllIsSaved() -> FlushReport? {
    var endings: [Flight.Ending] = []
    for flight in flights {
      guard let ending = flight.ending else { return nil }
      endings.append(ending)
    }
    let report = report(endings)
    return report.unsaved.isEmpty && report.inDoubt.isEmpty ? report : nil
  }

  /// The answer at a deadline: what has not begun never will.
  func settle() -> FlushReport { report(flights.map { $0.settle() }) }

  private func report(_ endings: [Flight.Ending]) -> FlushReport {
    var known: [Key: [(flight: Flight, ending: Flight.Ending)]] = [:]
    for (flight, ending) in zip(flights, endings) {
      for item in flight.items { known[Key(item), default: []].append((flight, ending)) }
    }
    let held = Dictionary(unsaved.map { (Key($0.item), $0) }, uniquingKeysWith: { first, _ in first })
    let verdicts = items.map { item in
      let ended = known[Key(item)] ?? []
      // Doubt is settled by asking and by nothing else. A commit that is done is so for everybody.
      if ended.contains(where: { $0.ending == .inDoubt }) { return Flight.Ending.inDoubt }
      if ended.contains(where: { $0.ending == .saved && $0.flight.purpose == .commit }) { return .saved }
      if let unsaved = held[Key(item)] { return unsaved.keeper.fate(of: unsaved.content) }
      return ended.last?.ending ?? .unsaved
    }
    func list(_ ending: Flight.Ending) -> [FlushItem] {
      zip(items, verdicts).filter { $0.1 == ending }.map(\.0)
    }
    return FlushReport(saved: list(.saved), unsaved: list(.unsaved), inDoubt: list(.inDoubt))
  }
}
