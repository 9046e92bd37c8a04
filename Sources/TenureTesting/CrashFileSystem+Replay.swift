/// A recording played up to some position: what is durable by then, and what is not yet.
struct CrashReplay {
  static let sectorSize = 512

  private var durable: CrashVolume
  private var data: [CrashInode: [CrashData]] = [:]
  /// In order; each entry survives as a whole.
  private var names: [[CrashName]] = []
  private var acknowledged: [String] = []
  private let order: CutPlan.Names
  private let ignoring: CutPlan.Ignored

  init(_ origin: CrashVolume, names order: CutPlan.Names, ignoring: CutPlan.Ignored) {
    durable = origin
    self.order = order
    self.ignoring = ignoring
  }

  mutating func advance(_ change: CrashChange) {
    switch change {
    case .make(let inode, let isDirectory): durable.make(inode, isDirectory: isDirectory)
    case .data(let inode, let change): data[inode, default: []].append(change)
    case .names(let changes): pend(changes)
    case .sync(let inode): sync(inode)
    case .acknowledge(let what): acknowledged.append(what)
    }
  }

  private mutating func pend(_ changes: [CrashName]) {
    switch order {
    case .journalled: names.append(changes)
    case .perDirectory:
      // Order between the halves of a move does not matter: they are of different directories.
      let directories = Set(changes.map(\.directory)).sorted()
      for directory in directories { names.append(changes.filter { $0.directory == directory }) }
    }
  }

  private mutating func sync(_ inode: CrashInode) {
    if durable.directories[inode] == nil {
      if ignoring.contains(.files) { return }
      for change in data.removeValue(forKey: inode) ?? [] { durable.apply(change, to: inode) }
      return
    }
    if ignoring.contains(.directories) { return }
    let isSynced = { (changes: [CrashName]) in
      order == .journalled || changes.allSatisfy { $0.directory == inode }
    }
    for change in names.filter(isSynced).joined() { durable.apply(change) }
    names.removeAll(where: isSynced)
  }

  /// The disk after a cut here.
  func cut(at position: Int, _ policy: CutPolicy) -> CrashFileSystem.Cut {
    var random = CutRandom(seed: policy.seed, position: position)
    var volume = durable
    for inode in data.keys.sorted() {
      apply(data[inode]!, of: inode, to: &volume, policy.data, &random)
    }
    for changes in surviving(policy.names, &random) {
      for change in changes { volume.apply(change) }
    }
    volume.prune()
    return CrashFileSystem.Cut(
      survivor: CrashFileSystem(volume), acknowledged: acknowledged, position: position, policy: policy)
  }

  private func surviving(_ fate: CutPolicy.Fate, _ random: inout CutRandom) -> [[CrashName]] {
    switch fate {
    case .lost: return []
    case .kept: return names
    case .prefix: return Array(names.prefix(random.below(names.count + 1)))
    case .scattered:
      // A journal knows no other subsets than what came first.
      if order == .journalled { return Array(names.prefix(random.below(names.count + 1))) }
      return names.filter { _ in random.below(2) == 0 }
    }
  }

  private func apply(
    _ changes: [CrashData], of inode: CrashInode, to volume: inout CrashVolume, _ fate: CutPolicy.Fate,
    _ random: inout CutRandom
  ) {
    switch fate {
    case .lost: break
    case .kept:
      for change in changes { volume.apply(change, to: inode) }
    case .prefix:
      let whole = random.below(changes.count + 1)
      for change in changes.prefix(whole) { volume.apply(change, to: inode) }
      if whole < changes.count, case .write(let bytes, let offset) = changes[whole] {
        let sectors = Self.sectors(of: bytes.count, at: offset)
        let end = sectors.prefix(random.below(sectors.count + 1)).last?.upperBound ?? 0
        volume.write(bytes[..<end], to: inode, at: offset)
      }
    case .scattered:
      // Of eight sectors one, four or seven survive: mostly lost, half, mostly kept.
      let kept = [1, 4, 7][random.below(3)]
      for change in changes {
        switch change {
        case .resize: if random.below(8) < kept { volume.apply(change, to: inode) }
        case .write(let bytes, let offset):
          for sector in Self.sectors(of: bytes.count, at: offset) where random.below(8) < kept {
            volume.write(bytes[sector], to: inode, at: offset + Int64(sector.lowerBound))
          }
          // The size is not data: it may be there when the bytes are not, which then read as zeros.
          let end = offset + Int64(bytes.count)
          if random.below(8) < kept, let size = volume.files[inode]?.size, size < end {
            volume.apply(.resize(end), to: inode)
          }
        }
      }
    }
  }

  /// The ranges of a write that each lie in one sector.
  static func sectors(of count: Int, at offset: Int64) -> [Range<Int>] {
    var sectors: [Range<Int>] = []
    var start = 0
    while start < count {
      let end = min(count, start + sectorSize - Int(offset + Int64(start)) % sectorSize)
      sectors.append(start..<end)
      start = end
    }
    return sectors
  }
}

/// SplitMix64: the same numbers everywhere and in every version of Swift.
struct CutRandom {
  private var state: UInt64

  init(seed: UInt64, position: Int) {
    state = seed &* 0xd134_2543_de82_ef95 &+ UInt64(bitPattern: Int64(position))
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to below `count`.
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
