import Archives
import Bytes
import Glibc
import TestSupport
import Testing

/// What is unpacked to disk keeps to its limits, each of them.
@Suite("An archive that is unpacked to disk")
struct UnpackerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("unpacker")) }

  private func archive(_ script: String) throws -> ByteView {
    let start = "import gzip, io, os, sys, tarfile, zipfile\nos.chdir('\(folder.path)')\n"
    let outcome = Tool.run("/usr/bin/env", ["python3", "-c", start + script])
    #expect(outcome.code == 0, "\(outcome.errorText)")
    return try ByteView.mapping(path: folder.entry("out"))
  }

  /// What becomes of each entry, in words.
  private func steps(_ view: ByteView, _ change: (inout ArchiveLimits) -> Void = { _ in }) throws -> [String] {
    var limits = ArchiveLimits()
    change(&limits)
    var budget = ArchiveBudget(limits)
    guard var unpacker = ArchiveUnpacker(view) else { return ["no memory"] }
    var steps: [String] = []
    while true {
      let target = folder.entry("unpacked")
      let step = try unpacker.next(to: target, within: &budget) { name, _ in !name.hasSuffix(".txt") }
      switch step {
      case .end: return steps
      case .passedOver: steps.append("passed")
      case .file(let path):
        steps.append("\(path) \(contents(of: target)?.count ?? -1)")
        unlink(target)
      case .refused(let path, let error): steps.append("\(path) \(error.code.rawValue)")
      case .failed(let error): return steps + ["failed \(error.code.rawValue)"]
      }
      #expect(access(target, F_OK) != 0, "something half is left")
      #expect(steps.count < 10_000)
    }
  }

  private let three = """
    with zipfile.ZipFile('out', 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as z:
        z.writestr('a', b'a' * 1000); z.writestr('b', b'b' * 50_000_000); z.writestr('c', b'c' * 1000)
    """

  @Test("gives each file, within the limits")
  func all() throws {
    #expect(try steps(archive(three)) == ["a 1000", "b 50000000", "c 1000"])
  }

  @Test("refuses a file beyond the limit of one, and goes on")
  func fileBytes() throws {
    let view = try archive(three)
    #expect(try steps(view) { $0.fileBytes = 1000 } == ["a 1000", "b too_large", "c 1000"])
    #expect(try steps(view) { $0.fileBytes = 999 } == ["a too_large", "b too_large", "c too_large"])
  }

  @Test("refuses a file that is too many times the archive, and goes on")
  func ratio() throws {
    let view = try archive(three)
    // The ratio counts above 16 MiB.
    #expect(try steps(view) { $0.ratio = 2 } == ["a 1000", "b too_large", "c 1000"])
    #expect(try steps(view) { $0.ratio = 50_000_000 / view.count + 1 } == ["a 1000", "b 50000000", "c 1000"])
  }

  @Test("refuses what comes behind the limit of all files together")
  func totalBytes() throws {
    let view = try archive(three)
    #expect(try steps(view) { $0.totalBytes = 50_001_000 } == ["a 1000", "b 50000000", "c too_large"])
    #expect(try steps(view) { $0.totalBytes = 1000 }.first == "a 1000")
    #expect(try steps(view) { $0.totalBytes = 1000 }.dropFirst().allSatisfy { $0.hasSuffix("too_large") })
    // What is passed over is unpacked all the same, in a compressed tar.
    let passed = try archive(
      """
      with tarfile.open('out', 'w:gz') as t:
          i = tarfile.TarInfo('a.txt'); i.size = 20_000_000; t.addfile(i, io.BytesIO(b'0' * i.size))
          i = tarfile.TarInfo('b'); i.size = 3; t.addfile(i, io.BytesIO(b'abc'))
      """)
    #expect(try steps(passed) == ["passed", "b 3"])
    #expect(try steps(passed) { $0.totalBytes = 10_000_000 } == ["failed too_large"])
  }

  @Test("ends at the limit of entries, also of those that are no files")
  func entries() throws {
    let view = try archive(
      """
      with tarfile.open('out', 'w') as t:
          for n in range(50):
              i = tarfile.TarInfo(f'd{n}'); i.type = tarfile.DIRTYPE; t.addfile(i)
          i = tarfile.TarInfo('b'); i.size = 3; t.addfile(i, io.BytesIO(b'abc'))
      """)
    #expect(try steps(view) == Array(repeating: "passed", count: 50) + ["b 3"])
    #expect(try steps(view) { $0.entries = 51 }.last == "b 3")
    #expect(try steps(view) { $0.entries = 50 } == Array(repeating: "passed", count: 50) + ["failed too_large"])
    #expect(try steps(view) { $0.entries = 3 } == Array(repeating: "passed", count: 3) + ["failed too_large"])
  }

  @Test("that says it holds more than it does is damaged, and no memory is taken for what it says")
  func lies() throws {
    let view = try archive(
      """
      with tarfile.open('out', 'w') as t:
          i = tarfile.TarInfo('b'); i.size = 3; t.addfile(i, io.BytesIO(b'abc'))
      data = bytearray(open('out', 'rb').read())
      data[124:136] = b'77777777777\\0'
      data[148:156] = b' ' * 8
      data[148:156] = b'%06o\\0 ' % sum(data[:512])
      open('out', 'wb').write(data)
      """)
    #expect(try steps(view).allSatisfy { $0.hasSuffix("damaged") || $0.hasSuffix("too_large") })
  }
}
