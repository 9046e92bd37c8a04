/// Numbers that follow from a seed, so that a run can be made again (SplitMix64).
struct LabRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Another sequence, which follows from this seed and `parts`.
  init(seed: UInt64, _ parts: Int...) {
    var mixer = LabRandom(seed: seed)
    for part in parts { mixer = LabRandom(seed: mixer.next() ^ UInt64(bitPattern: Int64(part))) }
    self = mixer
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// `true` in so many of a hundred cases.
  mutating func percent(_ chance: Int) -> Bool { Int.random(in: 0..<100, using: &self) < chance }
}
