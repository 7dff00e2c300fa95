import Diagnostics
import Identity
import TestSupport
import Testing

private let images =
  #"[{"image_addr":4294967296,"image_size":65536,"uuid":"\#(appUUID)","name":"/private/var/App.app/App","cpu_type":16777228},"#
  + #"{"image_addr":6442450944,"image_size":4096,"uuid":"\#(otherUUID)","name":"/usr/lib/libobjc.A.dylib"}]"#

private func document(
  frames: String = "", error: String = #"{"type":"mach","mach":{"exception":1,"code":1},"signal":{"signal":11}}"#,
  thread: String = #""crashed":true,"index":0"#, more: String = "", system: String = #"{"cpu_arch":"arm64"}"#
) -> String {
  #"{"report":{"id":"1","timestamp":1613661883},"system":\#(system),"binary_images":\#(images),"crash":{"error":\#(error),"#
    + #""threads":[{\#(thread),"backtrace":{"contents":[\#(frames)],"skipped":0}}]\#(more)}}"#
}

private func crash(_ frames: String) throws -> Diagnostic { try read(document(frames: frames)).diagnostics[0] }

@Suite("KSCrash reports")
struct KSCrashReportTests {
  @Test("put decimal addresses into images, by the frame's own word or by the range")
  func offsets() throws {
    let read = try crash(
      #"{"instruction_addr":4294971392,"object_addr":4294967296,"object_name":"App","symbol_addr":4294971380,"symbol_name":"f"},"#
        + #"{"instruction_addr":4294971396},{"instruction_addr":6442450945,"object_name":"(null)","object_addr":0},"#
        + #"{"instruction_addr":"4294967297"},{"instruction_addr":1099511627776},"#
        + #"{"instruction_addr":12288,"object_addr":8192,"object_name":"/x/Unlisted"}"#)
    #expect(
      lines(read) == ["App!f+4096", "App!+4100", "libobjc.A.dylib!+1", "App!+1", "-!", "Unlisted!+4096"])
    #expect(read.images.map(\.debugID?.description) == [appUUID, otherUUID, nil])
    #expect(read.stacks[0].order == .innermostFirst)
    #expect(read.stacks[0].isAttributed == true)
    #expect(read.notes.isEmpty)
  }

  @Test("name a frame only where the name can be its own")
  func names() throws {
    func frame(_ symbol: UInt64, _ name: String) -> String {
      #"{"instruction_addr":4295000000,"object_addr":4294967296,"symbol_addr":\#(symbol),"symbol_name":"\#(name)"}"#
    }
    let read = try crash(
      [
        frame(4_294_999_000, "good"), frame(4_294_967_296, "header"), frame(4_295_000_001, "behind"),
        frame(4_294_999_000, "<redacted>"), frame(0, "unplaced"),
      ].joined(separator: ","))
    #expect(lines(read).map { $0.split(separator: "+")[0] } == ["App!good", "App!", "App!", "App!", "App!unplaced"])
    let far = try crash(
      #"{"instruction_addr":6442450944,"object_addr":4294967296,"symbol_addr":4294967400,"symbol_name":"main"}"#)
    #expect(lines(far) == ["App!+2147483648"])
  }

  @Test("lose the signature of a pointer, not the bits of the kernel")
  func signatures() throws {
    let signed: UInt64 = 0x0012_0001_0000_1000
    #expect(lines(try crash(#"{"instruction_addr":\#(signed)}"#)) == ["App!+4096"])
    let kernel = try crash(#"{"instruction_addr":18446741874824079528}"#)
    #expect(kernel.stacks[0].frames[0].address == 18_446_741_874_824_079_528)
  }

  @Test("say what happened")
  func reasons() throws {
    let mach = try read(document()).diagnostics[0].metadata
    #expect(mach.exceptionType == 1 && mach.signal == 11 && mach.exceptionCode == 1)
    #expect(mach.timeStampBegin == "2021-02-18T15:24:43Z")
    let objc = try read(
      document(
        error:
          #"{"type":"nsexception","mach":{"exception":10,"code":"0x0"},"nsexception":{"name":"NSRangeException","reason":"r"}}"#
      )
    ).diagnostics[0]
    #expect(objc.metadata.exceptionReason?.name == "NSRangeException")
    #expect(objc.metadata.exceptionReason?.composedMessage == "r")
    #expect(objc.metadata.exceptionCode == 0)
    let cpp = try read(
      document(error: #"{"type":"cpp_exception","reason":"r","cpp_exception":{"name":"St13runtime_error"}}"#)
    )
    .diagnostics[0]
    #expect(cpp.metadata.exceptionReason?.name == nil)
    #expect(cpp.metadata.exceptionReason?.className == "St13runtime_error")
    let user = try read(document(error: #"{"type":"user","reason":"r","user_reported":{"name":"Oops"}}"#)).diagnostics[
      0]
    #expect(user.kind == .unknown && user.metadata.exceptionReason?.type == "Oops")
    #expect(try read(document(error: #"{"type":"deadlock"}"#)).diagnostics[0].kind == .hang)
    #expect(try read(document(error: #"{"type":"memory_termination"}"#)).diagnostics[0].kind == .memoryException)
    let killed = try read(document(error: #"{"type":"signal","exit_reason":{"code":2343432205}}"#)).diagnostics[0]
    #expect(killed.metadata.terminationReason == "Code 0x8badf00d")
  }

  @Test("take the backtrace of an exception as the event")
  func lastException() throws {
    let more = #","last_exception_backtrace":{"contents":[{"instruction_addr":4294967300}]}"#
    let frame = #"{"instruction_addr":6442450945}"#
    let badAccess = try read(document(frames: frame, more: more)).diagnostics[0]
    #expect(badAccess.stacks.map(\.isAttributed) == [false, true])
    let abort = #"{"type":"nsexception","mach":{"exception":10},"signal":{"signal":6}}"#
    let read = try read(document(frames: frame, error: abort, more: more)).diagnostics[0]
    #expect(read.stacks.map(\.name) == ["Last exception backtrace", nil])
    #expect(read.stacks.map(\.isAttributed) == [true, false])
    #expect(lines(read) == ["App!+4"])
  }

  @Test("of a handler that crashed are about the first crash, if that got as far as its threads")
  func recrash() throws {
    let inner = document(frames: #"{"instruction_addr":4294967300}"#)
    let outer = document(frames: #"{"instruction_addr":6442450945}"#).dropLast()
    let both = try read(outer + #","recrash_report":\#(inner)}"#)
    #expect(both.diagnostics.map { lines($0) } == [["App!+4"]])
    let early = try read(outer + #","recrash_report":{"crash":{"error":{"type":"mach"}},"report":{}}}"#)
    #expect(early.diagnostics.map { lines($0) } == [["libobjc.A.dylib!+1"]])
    let broken = try read(outer + #","recrash_report":"{\"crash\":"}"#)
    #expect(broken.diagnostics.map { lines($0) } == [["libobjc.A.dylib!+1"]])
    let text = try read(#"{"binary_images":\#(images),"recrash_report":\#(inner)}"#)
    #expect(text.diagnostics.map { lines($0) } == [["App!+4"]])
  }

  @Test("name threads, and queues where threads have no name")
  func threads() throws {
    func name(_ thread: String) throws -> String? { try read(document(thread: thread)).diagnostics[0].stacks[0].name }
    #expect(try name(#""name":"Web","dispatch_queue":"q""#) == "Web")
    #expect(try name(#""name":"","dispatch_queue":"q""#) == "q")
    #expect(try name(#""index":3"#) == nil)
  }

  @Test("note what cannot be read, and read the rest")
  func damage() throws {
    let read = try crash(
      #"7,{"instruction_addr":-4},{"instruction_addr":1e30},{"instruction_addr":4294967296,"object_addr":4294967297,"object_name":"A"},"#
        + #"{"instruction_addr":4294967300,"symbol_name":["x"]}"#)
    #expect(lines(read) == ["-!", "-!", "A!", "App!+4"])
    #expect(read.notes.map(\.code) == ["frame_unreadable", "bad_number", "bad_number", "offset_unusable"])
    let cut = try threadRead(#""crashed":true,"backtrace":{"contents":{},"skipped":9}"#)
    #expect(cut.notes.map(\.code).contains("stack_unreadable"))
    // The app's own data may be as deep as it likes.
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    #expect(try DiagnosticsTests.read(document().dropLast() + #","user":\#(deep)}"#).diagnostics.count == 1)
    #expect(refusal(of: document(error: deep))?.reason == .tooDeep)
    #expect(refusal(of: #"{"crash":{"x":1},"binary_images":[]}"#)?.reason == .noDiagnostics)
  }

  private func threadRead(_ thread: String) throws -> Diagnostic {
    let text = document().replacing(#""backtrace":{"contents":[],"skipped":0}"#, with: #""x":0"#)
      .replacing(#""crashed":true,"index":0"#, with: thread)
    return try DiagnosticsTests.read(text).diagnostics[0]
  }

  @Test("that are damaged anywhere are read or refused")
  func hostile() throws {
    try survivesDamage(
      document(
        frames:
          #"{"instruction_addr":4294971392,"object_addr":4294967296,"object_name":"App","symbol_addr":4294971380,"symbol_name":"f"}"#
      ))
    let long = String(repeating: "n", count: 1 << 20)
    let read = try crash(#"{"instruction_addr":4294967300,"symbol_name":"\#(long)\u0000"}"#)
    #expect(read.symbols[0].function.utf8.count == ReadingLimits().textBytes)
    #expect(read.notes.map(\.code) == ["text_cut"])
  }
}
