import TestSupport

/// What LLVM's tools say of the slices of a file.
enum ReadObj {
  struct Section: Hashable, CustomStringConvertible {
    var segment = ""
    var name = ""
    var address: UInt64 = 0
    var size: UInt64 = 0
    var isCode = false
    var isUnloaded = false
    var isNote = false

    /// An ELF section that is not loaded has no place in the image, and a note holds no instructions, whatever its flags.
    mutating func settle() {
      if isUnloaded || isNote { isCode = false }
    }

    var description: String {
      "\(segment),\(name) at \(String(address, radix: 16)) size \(size)\(isCode ? " code" : "")"
    }
  }

  /// The sections of all slices of each file, in file order.
  static func sections(of paths: [String]) -> [String: [Section]] {
    blocks("llvm-readobj", ["--sections"], paths).mapValues { lines in
      var sections: [Section] = []
      for text in lines {
        func value(_ key: String) -> Substring? { text.hasPrefix(key + ": ") ? text.dropFirst(key.count + 2) : nil }
        if text == "Section {" { sections.append(Section()) }
        guard let last = sections.indices.last else { continue }
        if let name = value("Name") { sections[last].name = withoutNote(name) }
        if let segment = value("Segment") { sections[last].segment = withoutNote(segment) }
        if let address = value("Address") { sections[last].address = number(address) }
        if let size = value("Size") { sections[last].size = number(size) }
        if ["PureInstructions", "SomeInstructions", "SHF_EXECINSTR"].contains(where: { text.hasPrefix($0) }) {
          sections[last].isCode = true
        }
        if text.hasPrefix("Type: SHT_") { sections[last].isUnloaded = true }
        if text.hasPrefix("SHF_ALLOC") { sections[last].isUnloaded = false }
        if text.hasPrefix("Type: SHT_NOTE ") { sections[last].isNote = true }
        if text == "}" { sections[last].settle() }
      }
      return sections
    }
  }

  /// What LLVM's `tool` prints about each file, the lines without their indentation; one run for all files.
  static func blocks(_ tool: String, _ options: [String], _ paths: [String]) -> [String: [Substring]] {
    guard let program = Tool.llvm(tool) else { return [:] }
    var blocks: [String: [Substring]] = [:]
    var current = ""
    for line in Tool.run(program, options + paths).lines {
      if line.hasPrefix("File: ") { current = String(line.dropFirst(6)) }
      blocks[current, default: []].append(line.drop { $0 == " " })
    }
    return blocks
  }

  /// `__text (5F 5F …)` without what stands in brackets.
  private static func withoutNote(_ text: Substring) -> String {
    text.range(of: " (").map { String(text[..<$0]) } ?? String(text)
  }

  private static func number(_ text: Substring) -> UInt64 {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) ?? 0 : UInt64(text) ?? 0
  }
}

extension Substring {
  /// Where the last `word` begins.
  func range(of word: String) -> Substring.Index? {
    var index = endIndex
    while index > startIndex {
      index = self.index(before: index)
      if self[index...].hasPrefix(word) { return index }
    }
    return nil
  }
}
