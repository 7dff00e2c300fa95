/// Finds out what the field `offsetIntoBinaryTextSegment` of each frame holds.
///
/// It is documented as the distance from the image's load address, but crashes of iOS 14, 15 and macOS 12 carry the
/// load address itself. Load addresses are multiples of 4 KiB and not below 4 GiB, which tells the two apart frame
/// by frame; all frames of one image must then agree on one load address. Never decided by OS version alone.
enum OffsetRule {
  private static let fourGiB: UInt64 = 1 << 32
  private static let pageMask: UInt64 = 0xfff
  /// The bits of an address in the user space of Apple's 64-bit ARM systems.
  private static let addressBits: UInt64 = 47

  private struct Base {
    var address: UInt64 = 0
    var isKnown = false
    var isDisputed = false
  }

  /// Turns the raw field in `offset` of each frame into the image offset and says how.
  ///
  /// `frames` are all frames of one diagnostic: two launches in one payload have two load addresses. `architecture` is
  /// that of the device.
  static func apply(
    to frames: inout [RawFrame], images: [ImageReference], architecture: String?, notes: inout Notebook,
    place: (Int) -> String
  ) {
    if architecture?.hasPrefix("arm64") == true { stripSignatures(of: &frames) }
    var bases = [Base](repeating: Base(), count: images.count)
    var open: [Int] = []
    var isDisputed = false
    for index in frames.indices {
      guard let base = classify(&frames[index]) else {
        if frames[index].offset == nil { open.append(index) }
        continue
      }
      let image = Int(frames[index].image)
      guard image >= 0 else { continue }
      if !bases[image].isKnown {
        bases[image] = Base(address: base, isKnown: true)
      } else if bases[image].address != base {
        bases[image].isDisputed = true
        isDisputed = true
      }
    }
    if isDisputed { vote(&frames, &bases, &notes, place) }
    for index in open {
      let image = Int(frames[index].image)
      if image >= 0, bases[image].isKnown, images[image].debugID != nil, let address = frames[index].address,
        address >= bases[image].address, address - bases[image].address < fourGiB
      {
        frames[index].offset = address - bases[image].address
        frames[index].offsetBasis = .sibling
      } else if frames[index].offsetBasis == .unverified {
        frames[index].offsetBasis = .missing
        notes.add(.offsetUnusable, at: place(index))
      }
    }
  }

  /// Takes off the signature that a pointer may carry above its address (arm64e, and the system's libraries in any app).
  ///
  /// Bit 55 is never part of it: where it is set, the address is one of the kernel's and is whole. The field has the
  /// signature too where it was computed as a difference (symbolication.md B.5).
  private static func stripSignatures(of frames: inout [RawFrame]) {
    let mask: UInt64 = (1 << addressBits) - 1
    for index in frames.indices {
      guard let address = frames[index].address, address > mask, address >> 55 & 1 == 0 else { continue }
      frames[index].address = address & mask
      if let field = frames[index].offset, field >> addressBits == address >> addressBits {
        frames[index].offset = field & mask
      }
    }
  }

  /// Decides for one frame; gives the load address when it is certain. A field that cannot be used is emptied and
  /// left `.unverified` for the caller to see.
  private static func classify(_ frame: inout RawFrame) -> UInt64? {
    guard let field = frame.offset else { return nil }
    guard let address = frame.address else {
      frame.offsetBasis = .unverified
      if field >= fourGiB { frame.offset = nil }
      return nil
    }
    if field < fourGiB {
      if field <= address, (address - field) & pageMask == 0 {
        frame.offsetBasis = .offset
        return address - field
      }
      frame.offsetBasis = .unverified
      return nil
    }
    if field <= address, field & pageMask == 0, address - field < fourGiB {
      frame.offset = address - field
      frame.offsetBasis = .loadAddress
      return field
    }
    frame.offset = nil
    frame.offsetBasis = .unverified
    return nil
  }

  /// For images whose frames disagree: the load address of most frames wins, the lowest of equals; the others lose
  /// their certainty but keep what they say.
  private static func vote(
    _ frames: inout [RawFrame], _ bases: inout [Base], _ notes: inout Notebook, _ place: (Int) -> String
  ) {
    var claims: [(image: Int, base: UInt64)] = []
    for frame in frames {
      if let (image, base) = claim(of: frame), bases[image].isDisputed { claims.append((image, base)) }
    }
    claims.sort { ($0.image, $0.base) < ($1.image, $1.base) }
    var best = [Int](repeating: 0, count: bases.count)
    var start = 0
    while start < claims.count {
      let (image, base) = claims[start]
      var end = start
      while end < claims.count, claims[end].image == image, claims[end].base == base { end += 1 }
      if end - start > best[image] {
        best[image] = end - start
        bases[image].address = base
      }
      start = end
    }
    for index in frames.indices {
      guard let (image, base) = claim(of: frames[index]), base != bases[image].address else { continue }
      frames[index].offsetBasis = .unverified
      notes.add(.loadAddressDisagrees, at: place(index))
    }
  }

  private static func claim(of frame: RawFrame) -> (image: Int, base: UInt64)? {
    guard frame.offsetBasis == .offset || frame.offsetBasis == .loadAddress, frame.image >= 0,
      let address = frame.address, let offset = frame.offset
    else { return nil }
    return (Int(frame.image), address &- offset)
  }
}
