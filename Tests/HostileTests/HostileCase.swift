import Bytes
import ObjectFiles
import TestSupport

/// One damaged file, and how it is to be read.
struct HostileCase {
  var name: String
  var bytes: [UInt8]
  var role: Seed.Role

  init(_ seed: Seed, _ bytes: [UInt8], _ what: String) {
    (name, self.bytes, role) = ("\(seed.name), \(what)", bytes, seed.role)
  }

  /// Damaged copy number `number` of a seed.
  init(_ seed: Seed, _ number: UInt64) {
    // What is spliced in comes from another file, in turn.
    let other = Seed.own[Int(number % UInt64(Seed.own.count))].bytes
    self.init(
      seed, Mutator.damaged(seed.bytes, seed.layout, with: other, number: number &* 31 &+ seed.salt),
      "number \(number)")
  }

  /// Reads it in this process.
  func readHere() throws {
    var reading = Reading()
    switch role {
    case .object: reading.read(bytes, name)
    case .symbolMap(let main):
      reading.symbolMap = BCSymbolMap(ByteView(bytes))
      reading.read(main, name)
    case .companion(let main, let file):
      guard let folder = TemporaryFolder("hostile") else { throw NoFolder() }
      folder.write(bytes, to: file)
      reading.path = folder.write(main, to: "main")
      reading.read(main, name)
    }
  }

  struct NoFolder: Error {}
}

extension Seed {
  /// A number of the seed's own, so that two seeds are not damaged alike.
  var salt: UInt64 { name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }
}

/// The damaged files that other readers' tests left.
enum MalformedCorpus {
  static let all: [Seed] = {
    let root = Corpus.path("symbols/malformed")
    return files(below: root).map { Seed($0, contents(of: root + "/" + $0) ?? []) }
  }()

  /// Those that are read in no time.
  static let small = all.filter { $0.bytes.count < 1 << 14 }
}
