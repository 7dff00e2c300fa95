import Bytes
import Diagnostics
import Identity
import TestSupport
import Testing

private let uuid: [UInt8] = Array(1...16)

/// A report with these fields.
private func plcrash(_ fill: (inout ProtobufWriter) -> Void) -> [UInt8] {
  PLCrashFile.header + ProtobufWriter(fill).bytes
}

private func read(_ bytes: [UInt8], limits: ReadingLimits = ReadingLimits()) throws -> Diagnostic {
  let payload = try PayloadReader(limits: limits).read(ByteView(bytes))
  #expect(payload.format == .plCrash)
  try #require(payload.diagnostics.count == 1)
  payload.diagnostics[0].checkConsistency()
  return payload.diagnostics[0]
}

private func refusal(_ bytes: [UInt8]) -> String? {
  do throws(PayloadRefusal) {
    _ = try PayloadReader().read(ByteView(bytes))
    return nil
  } catch {
    return error.reason == .plCrashReport ? error.detail : "\(error)"
  }
}

extension ProtobufWriter {
  fileprivate mutating func frame(
    _ tag: UInt64, _ pc: UInt64, _ name: String? = nil, start: UInt64? = nil, end: UInt64? = nil
  ) {
    message(tag) { frame in
      frame.number(3, pc)
      guard let name else { return }
      frame.message(6) { symbol in
        symbol.text(1, name)
        start.map { symbol.number(2, $0) }
        end.map { symbol.number(3, $0) }
      }
    }
  }

  fileprivate mutating func thread(_ pcs: [UInt64], crashed: Bool? = true) {
    message(3) { thread in
      thread.number(1, 0)
      for pc in pcs { thread.frame(2, pc) }
      crashed.map { thread.number(3, $0 ? 1 : 0) }
    }
  }

  fileprivate mutating func image(
    _ base: UInt64, size: UInt64 = 0x1_0000, _ path: String = "/a/App", id: [UInt8] = uuid
  ) {
    message(4) { image in
      image.number(1, base)
      image.number(2, size)
      image.text(3, path)
      image.bytes(4, id)
      image.message(5) { $0.number(1, 1) }
    }
  }

  fileprivate mutating func signal(_ name: String, exception: UInt64? = nil) {
    message(6) { signal in
      signal.text(1, name)
      signal.text(2, "#0")
      signal.number(3, 0x10)
      exception.map { type in signal.message(4) { $0.number(1, type) } }
    }
  }

  fileprivate mutating func exception(_ pcs: [UInt64]) {
    message(5) { exception in
      exception.text(1, "NSRangeException")
      exception.text(2, "index 7 beyond bounds")
      for pc in pcs { exception.frame(3, pc) }
    }
  }

  fileprivate mutating func processor(_ tag: UInt64, _ type: UInt64, _ subtype: UInt64, encoding: UInt64 = 1) {
    message(tag) { processor in
      processor.number(1, encoding)
      processor.number(2, type)
      processor.number(3, subtype)
    }
  }
}

/// A report with all that is read, and what is not.
private func wholeReport() -> [UInt8] {
  plcrash { report in
    report.message(1) { system in
      system.number(1, 1)
      system.text(2, "18.5")
      system.number(3, 6)
      system.number(4, 1_747_000_000)
      system.text(5, "22F76")
    }
    report.message(2) { app in
      app.text(1, "com.example.app")
      app.text(2, "812")
      app.text(3, "2.1")
    }
    report.message(3) { thread in
      thread.number(1, 0)
      thread.frame(2, 0x1_0000_4010, "_main", start: 0x1_0000_4000)
      thread.frame(2, 0x1_8000_0020)
      thread.number(3, 0)
    }
    report.message(3) { thread in
      thread.number(1, 1)
      thread.frame(2, 0x1_0000_4020, "-[Crasher run]", start: 0x1_0000_4018, end: 0x1_0000_4030)
      thread.frame(2, 0x5)
      thread.number(3, 1)
      thread.message(4) { register in
        register.text(1, "x0")
        register.number(2, .max)
      }
    }
    report.image(0x1_8000_0000, "/usr/lib/libSystem.dylib", id: uuid.reversed())
    report.image(0x1_0000_0000, "/private/var/App.app/App")
    report.message(6) { signal in
      signal.text(1, "SIGSEGV")
      signal.text(2, "SEGV_MAPERR")
      signal.number(3, 0x10)
      signal.message(4) { exception in
        exception.number(1, 1)
        exception.number(2, .max)
        exception.number(2, 0x10)
      }
    }
    report.message(7) { process in
      process.text(1, "App")
      process.number(2, 4711)
      process.number(5, 1)
      process.number(6, 1)
    }
    report.message(8) { machine in
      machine.text(1, "iPhone14,6")
      machine.processor(2, 0x0100_000c, 0x8000_0002)
      machine.number(3, 6)
      machine.number(4, 6)
    }
    report.message(9) { info in
      info.number(1, 0)
      info.bytes(2, uuid)
    }
    report.text(10, "who knows what the app put here")
  }
}

@Suite("PLCrashReporter's reports")
struct PLCrashReportTests {
  private static let base: UInt64 = 0x1_0000_0000

  @Test("say who crashed, where and of what")
  func everything() throws {
    let diagnostic = try read(wholeReport())
    #expect(diagnostic.kind == .crash)
    #expect(diagnostic.notes.isEmpty)
    #expect(diagnostic.isPerThread == true)
    #expect(diagnostic.stacks.map(\.isAttributed) == [false, true])
    #expect(diagnostic.stacks.allSatisfy { $0.order == .innermostFirst && $0.isLinear })
    #expect(diagnostic.shown(0) == [ExpectedFrame("App", 0x4010, "main"), ExpectedFrame("libSystem.dylib", 0x20)])
    #expect(diagnostic.shown(1) == [ExpectedFrame("App", 0x4020, "-[Crasher run]"), ExpectedFrame(nil, nil)])
    #expect(diagnostic.stacks[1].frames.map(\.address) == [0x1_0000_4020, 5])
    #expect(diagnostic.images.map(\.debugID) == [DebugID(bytes: uuid), DebugID(bytes: uuid.reversed())])
    let metadata = diagnostic.metadata
    #expect(metadata.bundleIdentifier == "com.example.app")
    #expect(metadata.appVersion == "2.1")
    #expect(metadata.appBuildVersion == "812")
    #expect(metadata.osVersion == "iPhone OS 18.5 (22F76)")
    #expect(metadata.deviceType == "iPhone14,6")
    #expect(metadata.platformArchitecture == "arm64e")
    #expect(metadata.pid == 4711)
    #expect(metadata.signal == 11)
    #expect(metadata.exceptionType == 1)
    #expect(metadata.exceptionCode == .max)
    #expect(metadata.exceptionReason == nil)
    #expect(metadata.timeStampBegin.flatMap { PointInTime(parsing: $0) }?.seconds == 1_747_000_000)
    #expect(!"\(diagnostic)".contains("who knows"))
  }

  @Test("of an exception that nobody caught are about its backtrace")
  func exceptions() throws {
    for (signal, exception, isEvent) in [("SIGABRT", nil, true), ("SIGABRT", 10, true), ("SIGSEGV", 1, false)]
      as [(String, UInt64?, Bool)]
    {
      let diagnostic = try read(
        plcrash { report in
          report.thread([Self.base + 1])
          report.thread([Self.base + 2], crashed: false)
          report.image(Self.base)
          report.exception([Self.base + 3, Self.base + 4])
          report.signal(signal, exception: exception)
        })
      #expect(diagnostic.stacks.map(\.isAttributed) == [isEvent, !isEvent, false])
      #expect(diagnostic.stacks.map { $0.frames.map(\.offset) } == [[3, 4], [1], [2]])
      #expect(diagnostic.stacks[0].name == "Last exception backtrace")
      #expect(diagnostic.metadata.exceptionReason?.name == "NSRangeException")
      #expect(diagnostic.metadata.exceptionReason?.composedMessage == "index 7 beyond bounds")
    }
  }

  @Test("of an exception without a backtrace are about the thread that crashed")
  func bareException() throws {
    let diagnostic = try read(
      plcrash { report in
        report.exception([])
        report.thread([Self.base])
        report.signal("SIGABRT")
      })
    #expect(diagnostic.stacks.map(\.isAttributed) == [true])
    #expect(diagnostic.metadata.exceptionReason?.name == "NSRangeException")
  }

  @Test("that an app asked for are no crashes, and their signal is made up")
  func requested() throws {
    let diagnostic = try read(
      plcrash { report in
        report.thread([Self.base])
        report.signal("SIGTRAP")
        report.message(9) { $0.number(1, 1) }
      })
    #expect(diagnostic.kind == .unknown)
    #expect(diagnostic.metadata.signal == nil)
    #expect(diagnostic.attributed == [0])
  }

  @Test("name the processor in Mach's numbers, or as they once did")
  func architectures() throws {
    func architecture(_ legacy: UInt64?, _ machine: (UInt64, UInt64, UInt64)?) throws -> String? {
      try read(
        plcrash { report in
          report.signal("SIGABRT")
          legacy.map { legacy in report.message(1) { $0.number(3, legacy) } }
          machine.map { machine in
            report.message(8) { $0.processor(2, machine.0, machine.1, encoding: machine.2) }
          }
        }
      ).metadata.platformArchitecture
    }
    let known: [(UInt64, UInt64, String)] = [
      (0x0100_000c, 0, "arm64"), (0x0100_000c, 2, "arm64e"), (0x0200_000c, 1, "arm64_32"), (0x0100_0007, 3, "x86_64"),
      (7, 3, "i386"), (12, 6, "armv6"), (12, 9, "armv7"), (12, 11, "armv7s"), (12, 12, "armv7k"), (12, 0, "arm"),
    ]
    for (type, subtype, name) in known { #expect(try architecture(6, (type, subtype, 1)) == name) }
    #expect(try architecture(nil, (0x0100_000c, 0xffff_ffff_8000_0002, 1)) == "arm64e")
    #expect(try architecture(5, (99, 0, 1)) == "armv7")
    #expect(try architecture(1, (0x0100_000c, 0, 0)) == "x86_64")
    #expect(try architecture(6, nil) == nil)
    #expect(try architecture(0, nil) == "i386")
    #expect(try architecture(2, nil) == "armv6")
  }

  @Test(
    "name the system as MetricKit does",
    arguments: [(0, "macOS 1"), (1, "iPhone OS 1"), (2, "iPhone Simulator 1"), (3, "1"), (4, "tvOS 1"), (77, "1")])
  func systems(number: UInt64, name: String) throws {
    let bytes = plcrash { report in
      report.signal("SIGABRT")
      report.message(1) { system in
        system.number(1, number)
        system.text(2, "1")
        system.number(4, 0)
      }
    }
    #expect(try read(bytes).metadata.osVersion == name)
    #expect(try read(bytes).metadata.timeStampBegin == nil)
  }

  @Test("give frames names, but not those of something else")
  func symbols() throws {
    let base = Self.base
    func name(_ pc: UInt64, _ name: String, _ start: UInt64?, _ end: UInt64? = nil) throws -> String? {
      let bytes = plcrash { report in
        report.message(3) { $0.frame(2, pc, name, start: start, end: end) }
        report.image(base, size: 0x100_0000)
      }
      return try read(bytes).shown(0).first?.function
    }
    #expect(try name(base + 0x20, "_main", base + 0x10) == "main")
    #expect(try name(base + 0x20, "_$s3App1fyyF", nil) == "$s3App1fyyF")
    #expect(try name(base + 0x20, "__ZN1a1bEv", base + 0x20) == "_ZN1a1bEv")
    #expect(try name(base + 0x20, "_", base + 0x10) == "_")
    // The image's own header, what lies behind, and the nearest that was left.
    #expect(try name(base + 0x20, "__mh_execute_header", base) == nil)
    #expect(try name(base + 0x20, "_f", base + 0x21) == nil)
    #expect(try name(base + 0x2_0000, "_main", base + 0x10) == nil)
    // With an end it is known where a function is.
    #expect(try name(base + 0x2_0000, "_main", base + 0x10, base + 0x2_0000) == "main")
    #expect(try name(base + 0x31, "_main", base + 0x10, base + 0x30) == nil)
  }

  @Test("without the signatures of pointers")
  func pointers() throws {
    let bytes = plcrash { report in
      report.thread([0x0024_0000_0000_0000 | (Self.base + 8)])
      report.image(Self.base)
      report.message(8) { $0.processor(2, 0x0100_000c, 2) }
    }
    #expect(try read(bytes).stacks[0].frames[0].offset == 8)
  }

  @Test("put addresses into the image that holds them, and into no other")
  func images() throws {
    let bytes = plcrash { report in
      report.thread([0x1fff, 0x2000, 0x2fff, 0x3000, 0x4000, .max])
      report.image(0x4000, size: .max, "/a/Large", id: uuid)
      report.image(0x2000, size: 0x1000, "/a/Small", id: [])
    }
    #expect(
      try read(bytes).shown(0) == [
        ExpectedFrame(nil, nil), ExpectedFrame("Small", 0), ExpectedFrame("Small", 0xfff), ExpectedFrame(nil, nil),
        ExpectedFrame("Large", 0), ExpectedFrame("Large", .max - 0x4000),
      ])
  }

  @Test("may have fields in any order, twice, packed, in other widths, and of newer versions")
  func leniency() throws {
    let bytes = plcrash { report in
      report.signal("SIGABRT")
      report.message(6) { signal in
        signal.message(4) { exception in
          exception.bytes(2, [0x80, 0x01, 0x02])
          exception.fixed(1, UInt32(6))
        }
        signal.text(1, "SIGTRAP")
      }
      report.image(Self.base)
      report.number(900, 1)
      report.fixed(901, UInt64(1))
      report.fixed(902, UInt32(1))
      report.text(903, "new")
      report.message(3) { thread in
        thread.number(3, 1)
        thread.text(99, "new")
        thread.message(2) { frame in
          frame.text(4, "a fork's name")
          frame.fixed(5, UInt64(0))
          frame.fixed(3, Self.base + 4)
        }
      }
    }
    let diagnostic = try read(bytes)
    #expect(diagnostic.notes.isEmpty)
    #expect(diagnostic.metadata.signal == 5)
    #expect(diagnostic.metadata.exceptionType == 6)
    #expect(diagnostic.metadata.exceptionCode == 0x80)
    #expect(diagnostic.shown(0) == [ExpectedFrame("App", 4)])
    #expect(diagnostic.attributed == [0])
  }

  @Test("lose what is broken inside, and nothing beside it")
  func inner() throws {
    let bytes = plcrash { report in
      report.message(3) { thread in
        thread.frame(2, Self.base + 1)
        thread.number(2, 7)
        thread.message(2) { $0.number(9, 1) }
        thread.message(2) { $0.raw([0x18, 0x05, 0x0b]) }
        thread.frame(2, Self.base + 2)
        thread.number(3, 1)
      }
      report.number(3, 1)
      report.message(3) { thread in
        thread.frame(2, Self.base + 3)
        thread.raw([0x12, 0x7f, 0x00])
      }
      report.image(Self.base, id: [1])
      report.image(0x2_0000_0000, id: [UInt8](repeating: 0, count: 16))
      report.message(1) { system in
        system.text(2, "18.5")
        system.raw([0xff])
      }
    }
    let diagnostic = try read(bytes)
    #expect(
      diagnostic.stacks.map { $0.frames.map(\.address) } == [[Self.base + 1, nil, 5, Self.base + 2], [Self.base + 3]])
    #expect(diagnostic.stacks.map(\.isAttributed) == [true, nil])
    #expect(diagnostic.metadata.osVersion == "18.5")
    #expect(
      diagnostic.notes.map { "\($0.code) \($0.place)" } == [
        "bad_uuid binary_images 0", "metadata_unreadable system_info, truncated at byte 7",
        "frame_unreadable thread 0, frame 1", "bad_number thread 0, frame 2, pc",
        "frame_unreadable thread 0, frame 3, not a field at byte 2", "stack_unreadable thread 1",
        "stack_unreadable thread 2, truncated at byte 11",
      ])
  }

  @Test("that cannot be read say why, and where")
  func refusals() {
    #expect(refusal(Array("plcrash".utf8)) == "it ends before its version")
    #expect(refusal(Array("plcrash".utf8) + [2, 0]) == "version 2, not 1")
    #expect(refusal(plcrash { _ in }) == "it has neither threads nor a signal")
    #expect(refusal(plcrash { $0.image(Self.base) }) == "it has neither threads nor a signal")
    #expect(refusal(PLCrashFile.header + [0x1a, 0x05, 0x00]) == "truncated at byte 11")
    #expect(refusal(PLCrashFile.header + [0x1a, 0x00, 0x80]) == "truncated at byte 11")
    #expect(refusal(PLCrashFile.header + [0x09, 0x00]) == "truncated at byte 10")
    // A group, its end, no such type, field 0.
    for key: UInt8 in [0x1b, 0x1c, 0x1e, 0x1f, 0x00] {
      #expect(refusal(PLCrashFile.header + [0x1a, 0x00, key, 0x00]) == "not a field at byte 10")
    }
    let long = [UInt8](repeating: 0xff, count: 10)
    #expect(refusal(PLCrashFile.header + [0x08] + long + [0x01]) == "number too large at byte 9")
    #expect(refusal(PLCrashFile.header + [0x1a] + long.dropLast() + [0x01]) == "truncated at byte 19")
    #expect(refusal(Array("PLCRASH".utf8)) != "it ends before its version")
  }

  @Test("are read within the limits, and what was cut is told")
  func limits() throws {
    var limits = ReadingLimits()
    (limits.stacks, limits.frames, limits.textBytes) = (2, 3, 8)
    let bytes = plcrash { report in
      for _ in 0..<4 { report.thread([1, 2]) }
      report.message(2) { $0.text(1, "com.example.app") }
    }
    let diagnostic = try read(bytes, limits: limits)
    #expect(diagnostic.stacks.map(\.frames.count) == [2, 1])
    #expect(diagnostic.metadata.bundleIdentifier == "com.exam")
    #expect(Set(diagnostic.notes.map(\.code)) == ["text_cut", "stacks_cut", "frames_cut"])
  }

  @Test("are one document, whatever their bytes look like")
  func whole() throws {
    let report = plcrash { report in
      report.text(10, "\n{\"a\":1}\n{\"b\":2}\n[{}]\n")
      report.thread([Self.base])
    }
    for bytes in [report, Array("plcrash".utf8) + [0x0a] + Array("{}\n{}\n".utf8)] {
      let documents = Array(DocumentStream(ByteView(bytes)))
      #expect(documents.map(\.bytes) == [ByteView(bytes)])
    }
    #expect(try read(report).attributed == [0])
  }

  @Test("are read or refused however they are damaged")
  func damage() throws {
    let bytes = PLCrashReportTests.damaged()
    try survivesDamage(bytes)
    readDamaged(bytes, count: 2_000, seed: 11)
    for at in bytes.indices {
      for value: UInt8 in [0x00, 0x7f, 0x80, 0xff] {
        var copy = bytes
        copy[at] = value
        readHostile(copy)
      }
    }
  }

  private static func damaged() -> [UInt8] {
    wholeReport() + ProtobufWriter { $0.exception([base, base + 1]) }.bytes
  }
}
