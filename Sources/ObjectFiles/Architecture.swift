/// The processor that a slice is for.
public struct Architecture: Hashable, Sendable, CustomStringConvertible {
  /// The name as Apple's tools (Mach-O) or GNU tools (ELF) spell it, for example `arm64e`, `x86_64`.
  public let name: String
  /// Mach-O `cputype` or ELF `e_machine`.
  public let cpuType: UInt32
  /// Mach-O `cpusubtype` without its capability bits; 0 for ELF.
  public let cpuSubtype: UInt32

  /// The name.
  public var description: String { name }

  /// A Mach-O processor type; the top byte of the sub-type holds capability bits and is dropped.
  ///
  /// Source: `<mach/machine.h>`.
  init(machO type: UInt32, subtype: UInt32) {
    let sub = subtype & 0x00ff_ffff
    cpuType = type
    cpuSubtype = sub
    name =
      switch (type, sub) {
      case (0x0100_000c, 2): "arm64e"
      case (0x0100_000c, 1): "arm64v8"
      case (0x0100_000c, _): "arm64"
      case (0x0200_000c, _): "arm64_32"
      case (0x0100_0007, 8): "x86_64h"
      case (0x0100_0007, _): "x86_64"
      case (7, _): "i386"
      case (12, 5): "armv4t"
      case (12, 6): "armv6"
      case (12, 7): "armv5"
      case (12, 9): "armv7"
      case (12, 10): "armv7f"
      case (12, 11): "armv7s"
      case (12, 12): "armv7k"
      case (12, 14): "armv6m"
      case (12, 15): "armv7m"
      case (12, 16): "armv7em"
      case (12, _): "arm"
      case (18, _): "ppc"
      case (0x0100_0012, _): "ppc64"
      default: "cpu\(type)-\(sub)"
      }
  }

  /// An ELF machine. Source: the gABI's `e_machine` table.
  init(elf machine: UInt16, is64Bit: Bool, order isBig: Bool) {
    cpuType = UInt32(machine)
    cpuSubtype = 0
    name =
      switch machine {
      case 2, 18: "sparc"
      case 3: "i386"
      case 4: "m68k"
      case 8, 10: isBig ? "mips" : "mipsel"
      case 20: "ppc"
      case 21: isBig ? "ppc64" : "ppc64le"
      case 22: is64Bit ? "s390x" : "s390"
      case 40: "arm"
      case 43: "sparc64"
      case 50: "ia64"
      case 62: is64Bit ? "x86_64" : "x32"
      case 140: "tic6x"
      case 183: "aarch64"
      case 243: is64Bit ? "riscv64" : "riscv32"
      case 247: "bpf"
      case 258: "loongarch"
      default: "elf\(machine)"
      }
  }

  /// Whether code addresses carry the instruction set in bit 0 (Thumb).
  public var usesThumbBit: Bool { cpuType == 12 || cpuType == 40 }
}
