import Diagnostics
import Testing

@Suite("The offset of a frame")
struct OffsetTests {
  /// Offset and basis of each frame.
  private func read(_ frames: [String]) throws -> (frames: [RawFrame], notes: [String]) {
    let read = try diagnostic(frames: frames.joined(separator: ","))
    return (read.stacks[0].frames, read.notes.map { "\($0.code) \($0.place)" })
  }

  private let base: UInt64 = 0x1_022a_8000

  @Test("is the field, when that leads to a page")
  func offset() throws {
    let read = try read([frame(uuid: appUUID, offset: 0x651bc, address: base + 0x651bc)])
    #expect(read.frames[0].offset == 0x651bc)
    #expect(read.frames[0].offsetBasis == .offset)
  }

  @Test("is measured from the field, when that is the load address")
  func loadAddress() throws {
    let read = try read([frame(uuid: appUUID, offset: base, address: base + 0x51bc)])
    #expect(read.frames[0].offset == 0x51bc)
    #expect(read.frames[0].offsetBasis == .loadAddress)
  }

  @Test("of a kernel frame is exact beyond the signed numbers")
  func kernel() throws {
    let address: UInt64 = 18_446_741_874_824_079_528
    let kernelBase = (address - 0x123_4567) & ~0xfff
    let read = try read([
      frame("kernel.release.t8103", uuid: appUUID, offset: address - kernelBase, address: address),
      frame("kernel.release.t8103", uuid: appUUID, offset: kernelBase, address: address),
      frame("kernel.release.t8103", uuid: appUUID, address: .max),
    ])
    #expect(read.frames.map(\.offsetBasis) == [.offset, .loadAddress, .missing])
    #expect(read.frames.map(\.address) == [address, address, .max])
    #expect(read.frames[0].offset == read.frames[1].offset)
  }

  @Test("is usable without an address, and marked")
  func noAddress() throws {
    let read = try read([frame(uuid: appUUID, offset: 100), frame(uuid: appUUID, offset: base)])
    #expect(read.frames.map(\.offset) == [100, nil])
    #expect(read.frames.map(\.offsetBasis) == [.unverified, .missing])
    #expect(read.notes == ["offset_unusable stack 0, frame 1"])
  }

  @Test("comes from another frame of the same image when the field is missing")
  func sibling() throws {
    let read = try read([
      frame(uuid: appUUID, address: base + 8), frame(uuid: appUUID, offset: 0x20, address: base + 0x20),
      frame(uuid: otherUUID, address: base + 8), frame("App", address: base + 8),
      frame(uuid: appUUID, address: base - 8),
      frame(uuid: appUUID),
    ])
    #expect(read.frames.map(\.offset) == [8, 0x20, nil, nil, nil, nil])
    #expect(read.frames.map(\.offsetBasis) == [.sibling, .offset, .missing, .missing, .missing, .missing])
    #expect(read.notes.isEmpty)
  }

  @Test("comes from another frame when the field is neither of the two")
  func unusable() throws {
    let read = try read([
      frame(uuid: appUUID, offset: base + 1, address: base + 8),
      frame(uuid: appUUID, offset: 0x20, address: base + 0x20),
      frame(uuid: otherUUID, offset: base * 4, address: base + 8),
    ])
    #expect(read.frames.map(\.offset) == [8, 0x20, nil])
    #expect(read.frames.map(\.offsetBasis) == [.sibling, .offset, .missing])
    #expect(read.notes == ["offset_unusable stack 0, frame 2"])
  }

  @Test(
    "that leads to no page is kept as it came, and marked", arguments: [(74_565, 123), (5, 100)] as [(UInt64, UInt64)])
  func unverified(address: UInt64, offset: UInt64) throws {
    let read = try read([frame(uuid: appUUID, offset: offset, address: address)])
    #expect(read.frames[0].offset == offset)
    #expect(read.frames[0].offsetBasis == .unverified)
  }

  @Test("that disagrees with most frames of its image loses its certainty")
  func vote() throws {
    let read = try read([
      frame(uuid: appUUID, offset: 0x10, address: base + 0x5010),
      frame(uuid: appUUID, offset: 0x20, address: base + 0x20),
      frame(uuid: appUUID, offset: base, address: base + 0x30), frame(uuid: appUUID, address: base + 0x40),
      frame(uuid: otherUUID, offset: 0x10, address: base + 0x5010),
    ])
    #expect(read.frames.map(\.offset) == [0x10, 0x20, 0x30, 0x40, 0x10])
    #expect(read.frames.map(\.offsetBasis) == [.unverified, .offset, .loadAddress, .sibling, .offset])
    #expect(read.notes == ["load_address_disagrees stack 0, frame 0"])
  }
}

@Suite("The order of a call stack")
struct OrderTests {
  private func read(_ frames: String, _ metadata: String) throws -> CallStack {
    try diagnostic(frames: frames, metadata: metadata).stacks[0]
  }

  private let crash = #"{"signal":11}"#
  private let hang = #"{"hangDuration":"20 sec"}"#
  private let unknown = "{}"

  @Test("follows the kind when the data is silent")
  func kind() throws {
    let stack = frame("A", sub: frame("B"))
    #expect(try read(stack, crash).order == .innermostFirst)
    #expect(try read(stack, hang).order == .outermostFirst)
    #expect(try read(stack, crash).orderBasis == .kind)
    for member in ["totalCPUTime", "writesCaused", "launchDuration"] {
      #expect(try read(stack, #"{"\#(member)":"1"}"#).order == .outermostFirst)
    }
    #expect(try read(stack, unknown).order == .innermostFirst)
    #expect(try read(stack, unknown).orderBasis == .assumed)
  }

  @Test(
    "is confirmed by an image in which threads start", arguments: ["dyld", "libdyld.dylib", "libsystem_pthread.dylib"])
  func confirmed(image: String) throws {
    let inner = frame("A", sub: frame("B", sub: frame(image)))
    let outer = frame(image, sub: frame("B", sub: frame("A")))
    #expect(try read(inner, crash).orderBasis == .confirmed)
    #expect(try read(outer, hang).orderBasis == .confirmed)
    #expect(try read(inner, crash).order == .innermostFirst)
    #expect(try read(outer, hang).order == .outermostFirst)
  }

  @Test("follows the data where that contradicts the kind, and says so")
  func contradicted() throws {
    let inner = frame("A", sub: frame("dyld"))
    let outer = frame("dyld", sub: frame("A"))
    for (stack, metadata, order) in [
      (outer, crash, FrameOrder.outermostFirst), (inner, hang, .innermostFirst), (inner, unknown, .innermostFirst),
      (outer, unknown, .outermostFirst),
    ] {
      let read = try read(stack, metadata)
      #expect(read.order == order)
      #expect(read.orderBasis == .data)
    }
  }

  @Test("is not read from both ends, nor from a single frame, nor from the middle")
  func silence() throws {
    for stack in [
      frame("dyld", sub: frame("A", sub: frame("dyld"))), frame("dyld"),
      frame("A", sub: frame("dyld", sub: frame("B"))),
      frame("libdyld.dylib", sub: frame("libsystem_pthread.dylib")), frame("A", sub: frame("dyld_sim")),
    ] {
      #expect(try read(stack, crash).orderBasis == .kind)
    }
  }

  @Test("of a branching tree is read along its heaviest path")
  func branching() throws {
    let tree = frame(
      "dyld", samples: 9, sub: frame("A", samples: 3, sub: frame("dyld", samples: 3)) + "," + frame("B", samples: 6))
    #expect(try read(tree, hang).orderBasis == .confirmed)
    let otherwise = frame(
      "dyld", samples: 9, sub: frame("A", samples: 6, sub: frame("dyld", samples: 6)) + "," + frame("B", samples: 3))
    #expect(try read(otherwise, hang).orderBasis == .kind)
    let roots =
      frame("C", samples: 1, sub: frame("D")) + "," + frame("libsystem_pthread.dylib", samples: 2, sub: frame("E"))
    #expect(try read(roots, #"{"totalCPUTime":"1"}"#).orderBasis == .confirmed)
  }

  @Test("of an unknown kind is that of its neighbours, or that of sampled trees when it branches")
  func unknownKind() throws {
    let telling = frame("dyld", sub: frame("A"))
    let silent = frame("A", sub: frame("B"))
    let payload = try only(
      #"{"callStacks":[{"callStackRootFrames":[\#(silent)]},{"callStackRootFrames":[\#(telling)]}]}"#)
    #expect(payload.stacks.map(\.order) == [.outermostFirst, .outermostFirst])
    #expect(payload.stacks.map(\.orderBasis) == [.assumed, .data])
    for stack in [frame("A", sub: frame("B") + "," + frame("C")), frame("A", sub: frame("B")) + "," + frame("C")] {
      let branching = try read(stack, unknown)
      #expect(branching.order == .outermostFirst)
      #expect(branching.orderBasis == .assumed)
    }
  }

  @Test("knows an image by its identifier even in frames without its name")
  func namesByIdentifier() throws {
    let payload = try only(
      #"{"signal":1,"callStacks":[{"callStackRootFrames":[\#(frame("A", sub: frame(nil, uuid: appUUID)))]},"#
        + #"{"callStackRootFrames":[\#(frame("dyld", uuid: appUUID))]}]}"#)
    #expect(payload.stacks[0].orderBasis == .confirmed)
  }
}

/// The only diagnostic of a document.
private func only(_ text: String) throws -> Diagnostic { try read(text).diagnostics[0] }
