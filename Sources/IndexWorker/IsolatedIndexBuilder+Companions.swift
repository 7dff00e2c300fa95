internal import Bytes
public import CompanionFiles
internal import DebugInfo
internal import Glibc
internal import Identity
internal import JSON
public import ObjectFiles
internal import SymbolIndex

/// Which units are split is told by the debug information, so that too is read in a process of its own.
extension IsolatedIndexBuilder: CompanionFinding {
  /// The companions of `object`, found by a process of its own. When that fails nothing is found, and the reason is a
  /// problem. Cost: a process for an ELF file that may have companions, nothing for others.
  public func companions(of object: ObjectFile, at path: String, copiedTo copy: String?) -> FoundCompanions {
    guard object.format == .elf, object.hasDWARF || object.debugLink != nil || object.debugID != nil else {
      return FoundCompanions()
    }
    do throws(IndexError) {
      var request = newRequest()
      defer { PathName.unlink(request.output) }
      request.sources = [
        WorkerRequest.Source(
          path: copy ?? path, offset: object.offsetInFile, size: UInt64(object.bytes.count),
          digest: ContentDigest(of: [UInt8]()))
      ]
      request.companionsBeside = path
      // Nobody knows yet how large the companions are; they are mapped and hardly read.
      request.memoryLimit = memoryBase + UInt64(object.bytes.count) + companionMemory
      request.timeLimit = timeLimit(forBytes: UInt64(object.bytes.count))
      try run(request)
      return try found(in: request.output)
    } catch {
      var nothing = FoundCompanions()
      nothing.problems = ["its companions cannot be looked for: \(error.detail)"]
      return nothing
    }
  }

  private func found(in output: String) throws(IndexError) -> FoundCompanions {
    let bytes = try inFile { () throws(FileError) in try ByteView.reading(path: output, limit: 1 << 28) }
    let value = try? bytes.withBytes { raw throws(JSONError) in try JSONValue.parse(raw) }
    guard let found = value.flatMap(FoundCompanions.init) else {
      throw IndexError(.malformed, "the answer of the process cannot be read")
    }
    return found
  }
}

extension FoundCompanions {
  func json() throws(JSONWriterError) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("files")
    writer.beginArray()
    for file in files { writer.companion(file) }
    writer.endArray()
    writer.key("problems")
    writer.beginArray()
    for problem in problems { writer.string(problem) }
    writer.endArray()
    writer.endObject()
    return try writer.finish()
  }

  /// What `value` says was found; `nil` when something is missing.
  init?(_ value: JSONValue) {
    guard let files = value["files"]?.array.flatMap({ Self.files($0) }), let problems = value["problems"]?.array else {
      return nil
    }
    self.init()
    self.files = files
    self.problems = problems.compactMap(\.string)
  }

  /// The files that `values` name; `nil` when something is missing.
  static func files(_ values: [JSONValue]) -> [File]? {
    var files: [File] = []
    for value in values {
      guard let role = value["role"]?.string.flatMap(CompanionFile.Role.init), let path = value["path"]?.string else {
        return nil
      }
      files.append(File(role: role, path: path, unit: value["unit"]?.uint))
    }
    return files
  }
}

extension JSONWriter {
  mutating func companion(_ file: FoundCompanions.File) {
    beginObject()
    member("role", file.role.rawValue)
    member("path", file.path)
    member("unit", file.unit)
    endObject()
  }
}
