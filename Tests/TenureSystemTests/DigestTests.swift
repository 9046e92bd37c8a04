import TenureSystem
import Testing

@Suite("Digest")
struct DigestTests {
  @Test(
    "SHA-256 as FIPS 180-4 gives it",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func vectors(text: String, digest: String) {
    #expect(Digest(of: Array(text.utf8)).description == digest)
    #expect(Digest(of: text.utf8).description == digest)
  }

  @Test("Piece by piece it is the same digest", arguments: [1, 7, 64, 1_000])
  func pieces(size: Int) {
    var hasher = DigestHasher()
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { hasher.update($0) }
    }
    #expect(
      hasher.finish().description == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("A sequence without storage of its own, and no sequence at all")
  func sequences() {
    #expect(Digest(of: (0..<3).lazy.map { UInt8($0) }) == Digest(of: [0, 1, 2]))
    #expect(Digest(bytes: [1, 2]) == nil)
    #expect(Digest(bytes: Digest(of: [7]).bytes) == Digest(of: [7]))
  }

  @Test("Hexadecimal both ways", arguments: [([UInt8](), ""), ([0, 1, 0xAB, 0xFF], "0001abff")])
  func hexadecimal(bytes: [UInt8], text: String) {
    #expect(bytes.hexadecimal == text)
    #expect([UInt8](hexadecimal: text) == bytes)
    #expect([UInt8](hexadecimal: text.uppercased()) == bytes)
  }

  @Test("What is not hexadecimal is refused", arguments: ["0", "0g", "zz", " 00", "０0", "0x00"])
  func notHexadecimal(text: String) { #expect([UInt8](hexadecimal: text) == nil) }
}
