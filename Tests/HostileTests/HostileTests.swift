import ObjectFiles
import TestSupport
import Testing

/// A sample of what `scripts/hostile` does at length: damaged files end in an answer or an error.
@Suite struct DamagedFiles {
  @Test(arguments: Seed.own) func `are made of good ones`(seed: Seed) throws {
    var reading = Reading()
    switch seed.role {
    case .object: reading.read(seed.bytes, seed.name)
    case .companion(let main, _), .symbolMap(let main): reading.read(main, seed.name)
    }
    #expect(reading.indexes > 0)
    #expect(reading.answers > 0)
    if case .object = seed.role {
      #expect(!seed.layout.identifiers.isEmpty)
      #expect(seed.layout.cuts.count > 20)
    }
  }

  @Test(arguments: Seed.own) func `cut off at every border of their parts`(seed: Seed) throws {
    for cut in seed.layout.cuts { try HostileCase(seed, Array(seed.bytes[..<cut]), "cut at \(cut)").readHere() }
  }

  @Test(arguments: Seed.own) func `with wrong bytes in headers, tables and debug information`(seed: Seed) throws {
    for number: UInt64 in 0..<40 { try HostileCase(seed, number).readHere() }
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func `of the corpus, cut off at some borders and with wrong bytes`() throws {
    for seed in Seed.ofCorpus { for number: UInt64 in 0..<4 { try HostileCase(seed, number).readHere() } }
    var cut = 0
    for file in MalformedCorpus.small {
      for length in file.layout.cuts.enumerated().filter({ $0.offset % 29 == 0 }).map(\.element) {
        try HostileCase(file, Array(file.bytes[..<length]), "cut at \(length)").readHere()
        cut += 1
      }
    }
    #expect(cut > 300)
  }

  @Test(.enabled(if: Tool.symclust != nil, "the program is not built beside the tests"))
  func `get a typed verdict each from the program, and their neighbours theirs`() throws {
    let batch = try Batch()
    for seed in Seed.own { for number: UInt64 in 0..<3 { try batch.add(HostileCase(seed, number)) } }
    try batch.upload()
  }
}
