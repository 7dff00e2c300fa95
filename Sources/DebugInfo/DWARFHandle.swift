internal import Bytes
internal import CElfutils
internal import Glibc

/// A libdw session over DWARF sections that lie anywhere in memory.
///
/// libdw reads ELF only. An ELF file that exists in memory alone is made up (a header, a section table, names) whose
/// sections point at the given bytes; nothing is copied. So Mach-O and ELF go the same way, and sections are inflated
/// under our limits instead of libelf's. One session belongs to one thread: libdw is not thread-safe.
final class DWARFHandle {
  /// libdw's session; valid as long as this object.
  let dwarf: OpaquePointer
  private let elf: OpaquePointer
  private let descriptor: Int32
  /// Keeps the bytes alive that libdw points into.
  private let contents: [ByteView]

  init(sections: [DWARFSection], byteOrder: ByteOrder, pointerSize: Int) throws(DebugInfoError) {
    _ = elf_version(UInt32(EV_CURRENT))
    // elf_begin wants a descriptor that it could write to; nothing is ever written.
    let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0, let elf = elf_begin(descriptor, ELF_C_WRITE, nil) else {
      if descriptor >= 0 { close(descriptor) }
      throw DebugInfoError(.system, "cannot open a libelf session")
    }
    var names: [UInt8] = [0]
    let nameOffsets = (sections.map(\.name) + [".shstrtab"]).map { name in
      defer { names += Array(name.utf8) + [0] }
      return UInt32(names.count)
    }
    let contents = sections.map(\.bytes) + [ByteView(names)]
    var isDescribed = DWARFHandle.addHeader(
      to: elf, byteOrder: byteOrder, pointerSize: pointerSize, namesIndex: UInt16(contents.count))
    for (index, bytes) in contents.enumerated() where isDescribed {
      let type = index == contents.count - 1 ? SHT_STRTAB : SHT_PROGBITS
      isDescribed = DWARFHandle.addSection(bytes, name: nameOffsets[index], type: UInt32(type), to: elf)
    }
    guard isDescribed, elf_update(elf, ELF_C_NULL) >= 0, let dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nil) else {
      let reason = DWARFHandle.lastError ?? "libelf refuses the sections"
      elf_end(elf)
      close(descriptor)
      throw DebugInfoError(.malformed, "cannot open DWARF: \(reason)")
    }
    self.elf = elf
    self.dwarf = dwarf
    self.descriptor = descriptor
    self.contents = contents
  }

  deinit {
    dwarf_end(dwarf)
    elf_end(elf)
    close(descriptor)
  }

  /// libdw's own word for its last error on this thread.
  static var lastError: String? {
    let code = dwarf_errno()
    return code == 0 ? nil : dwarf_errmsg(code).map { String(cString: $0) }
  }

  private static func addHeader(
    to elf: OpaquePointer, byteOrder: ByteOrder, pointerSize: Int, namesIndex: UInt16
  ) -> Bool {
    var header = GElf_Ehdr()
    guard gelf_newehdr(elf, pointerSize == 4 ? ELFCLASS32 : ELFCLASS64) != nil, gelf_getehdr(elf, &header) != nil else {
      return false
    }
    withUnsafeMutableBytes(of: &header.e_ident) {
      $0[Int(EI_DATA)] = UInt8(byteOrder == .big ? ELFDATA2MSB : ELFDATA2LSB)
    }
    header.e_type = UInt16(ET_DYN)
    header.e_version = UInt32(EV_CURRENT)
    header.e_shstrndx = namesIndex
    return gelf_update_ehdr(elf, &header) != 0
  }

  private static func addSection(_ bytes: ByteView, name: UInt32, type: UInt32, to elf: OpaquePointer) -> Bool {
    guard let section = elf_newscn(elf), let data = elf_newdata(section) else { return false }
    data.pointee.d_type = ELF_T_BYTE
    data.pointee.d_version = UInt32(EV_CURRENT)
    data.pointee.d_align = 1
    // Safety: libdw only reads, and `contents` keeps the bytes alive as long as the session.
    data.pointee.d_buf = bytes.withBytes { UnsafeMutableRawPointer(mutating: $0.baseAddress) }
    data.pointee.d_size = bytes.count
    var header = GElf_Shdr()
    guard gelf_getshdr(section, &header) != nil else { return false }
    header.sh_name = name
    header.sh_type = type
    return gelf_update_shdr(section, &header) != 0
  }
}
