import Bytes
import Identity
import ObjectFiles
import TestSupport
import Testing

@Suite struct Containers {
  private let arm64: [UInt8]
  private let x86: [UInt8]

  init() {
    var first = Sample.machO()
    arm64 = first.build()
    var second = Sample.machO {
      $0.cpu = (0x0100_0007, 3)
      $0.uuid = (17...32).map { UInt8($0) }
    }
    x86 = second.build()
  }

  @Test(arguments: [false, true]) func `each slice of a fat file is a file of its own`(is64Bit: Bool) throws {
    let container = try Container(ByteView(fatFile([x86, arm64], is64Bit: is64Bit)))
    #expect(container.isFat)
    #expect(container.objects.map(\.architecture.name) == ["x86_64", "arm64"])
    #expect(container.objects.map(\.debugID?.bytes.first) == [17, 1])
    #expect(container.objects.map(\.bytes) == [ByteView(x86), ByteView(arm64)])
  }

  @Test func `the same slice has the same bytes, in whatever fat file it comes`() throws {
    let alone = try object(arm64)
    let inside = try Container(ByteView(fatFile([x86, arm64], alignment: 4096))).objects[1]
    #expect(alone.bytes == inside.bytes)
  }

  @Test func `a slice past the end fails alone`() throws {
    let file = fatFile([x86, arm64])
    let slices = try Container(ByteView(file.dropLast(10))).slices
    #expect(slices.count == 2)
    #expect((try? slices[0].get())?.architecture.name == "x86_64")
    #expect(slices[1].failureCode == .truncated)
  }

  @Test func `a slice that overlaps another fails`() throws {
    var file = fatFile([x86, arm64])
    let firstOffset = file[16..<20]
    file.replaceSubrange(36..<40, with: firstOffset)
    let slices = try Container(ByteView(file)).slices
    #expect((try? slices[0].get()) != nil)
    #expect(slices[1].failureCode == .malformed)
  }

  @Test func `a fat file in a fat file is refused, one level deep`() throws {
    let inner = fatFile([arm64])
    let slices = try Container(ByteView(fatFile([inner, x86]))).slices
    #expect(slices[0].failureCode == .malformed)
    #expect((try? slices[1].get()) != nil)
  }

  @Test func `a static archive as a slice is named as what it is not`() throws {
    let slices = try Container(ByteView(fatFile([Array("!<arch>\n".utf8) + arm64]))).slices
    #expect(slices.map(\.failureCode) == [.notObjectFile])
  }

  @Test(arguments: [45, 52, 65] as [UInt8]) func `a Java class is no fat file`(version: UInt8) throws {
    let bytes: [UInt8] = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, version] + [UInt8](repeating: 1, count: 64)
    #expect(!Container.looksLikeObjectFile(ByteView(bytes)))
    #expect(refusal(bytes)?.code == .notObjectFile)
  }

  @Test(
    arguments: [
      ([], "empty file"), ([0x7f], "too short"), (Array("#!/bin/sh\n".utf8), "neither Mach-O nor ELF"),
      (Array("<?xml version".utf8), "neither Mach-O nor ELF"), ([0, 5, 0x16, 7, 0, 2, 0, 0], "neither Mach-O nor ELF"),
    ] as [([UInt8], String)])
  func `what is no object file is told apart from what is a broken one`(bytes: [UInt8], reason: String) throws {
    let error = try #require(refusal(bytes))
    #expect(error.code == .notObjectFile)
    #expect(error.description.contains(reason))
    #expect(!Container.looksLikeObjectFile(ByteView(bytes)))
  }

  @Test func `slices beyond the file's count are an error, not memory`() {
    for count: UInt32 in [41, 1 << 31, .max] {
      for magic: [UInt8] in [[0xca, 0xfe, 0xba, 0xbe], [0xca, 0xfe, 0xba, 0xbf]] {
        var file = ByteWriter(order: .big)
        file.append(magic)
        file.append(count)
        #expect(refusal(file.bytes)?.code == .notObjectFile)
      }
    }
    #expect(refusal([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2, 1, 2])?.code == .truncated)
  }

  @Test func `a fat slice whose offset and size wrap around fails`() throws {
    var file = fatFile([arm64], is64Bit: true)
    file.replaceSubrange(16..<32, with: [UInt8](repeating: 0xff, count: 16))
    #expect(try Container(ByteView(file)).slices.map(\.failureCode) == [.truncated])
  }
}

extension Container.Slice {
  /// The code of the error; `nil` for a good slice.
  var failureCode: ObjectFileError.Code? {
    if case .failure(let error) = self { return error.code }
    return nil
  }
}
