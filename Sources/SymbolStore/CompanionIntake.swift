internal import Bytes
internal import CompanionFiles
internal import DebugInfo
internal import Files
internal import Identity
internal import ObjectFiles
internal import SymbolIndex

/// The companions of one slice, copied so that nobody changes them while they are read and retained.
struct CompanionIntake {
  /// Files of the same image that its debug information was moved to; as good as slices of their own.
  private(set) var debugFiles: [(source: IndexSource, name: String)] = []
  /// Files with parts of the debug information.
  private(set) var parts: [(file: CompanionFile, companion: ImageRecord.Companion)] = []
  /// What was not found or cannot be read.
  private(set) var problems: [String] = []
  private var copies: [HeldCopy] = []

  /// Finds and copies the companions of `object`, which lies in the file at `path` and in a copy of it.
  ///
  /// Throws only when a copy cannot be written. Cost: what `finder` costs, and a copy of each file.
  init(
    of object: ObjectFile, at path: String, copiedTo copy: String, _ finder: (any CompanionFinding)?,
    temporaryFolder: String
  ) throws(StoreError) {
    guard let found = finder?.companions(of: object, at: path, copiedTo: copy) else { return }
    problems = found.problems
    for file in found.files {
      do throws(FileError) {
        let held = HeldCopy(try FileCopy(of: file.path, in: temporaryFolder))
        if held.copy.hasChanged {
          problems.append("\(file.path): it changed while it was read")
        } else {
          take(file, held)
        }
      } catch {
        guard error.path == file.path else { throw StoreError(error) }
        problems.append("\(file.path): cannot \(error.step): \(error.reason)")
      }
    }
  }

  private mutating func take(_ file: FoundCompanions.File, _ held: HeldCopy) {
    let bytes = held.copy.bytes
    let digest = held.copy.digest ?? ContentDigest(of: bytes)
    let name = file.path.baseName
    copies.append(held)
    if file.role != .debugFile {
      let part = CompanionFile(role: file.role, unit: file.unit, bytes: bytes, path: held.copy.path)
      parts.append((part, ImageRecord.Companion(role: file.role, unit: file.unit, digest: digest, name: name)))
    } else if let object = try? Container(bytes).objects.first {
      debugFiles.append((IndexSource(object: object, digest: digest, path: held.copy.path), name))
    }
  }

  /// Whether a record holds all of them.
  func areAll(in record: ImageRecord) -> Bool {
    parts.allSatisfy { record.companions.contains($0.companion) }
      && debugFiles.allSatisfy { file in record.sources.contains { $0.digest == file.source.digest } }
  }

  /// The digests of all of them.
  var digests: [ContentDigest] { parts.map(\.companion.digest) + debugFiles.map(\.source.digest) }
}

/// A copy of a file that lives as long as someone holds it.
private final class HeldCopy {
  let copy: FileCopy

  init(_ copy: consuming FileCopy) { self.copy = copy }
}

extension ObjectFile {
  /// Whether it is no image of its own but a part of one's debug information.
  var isCompanion: Bool {
    guard format == .elf, debugID == nil || codeRanges.isEmpty else { return false }
    let hasParts = sections.contains { [".debug_info.dwo", ".debug_cu_index"].contains($0.name) }
    return supplementaryID != nil || codeRanges.isEmpty && (hasParts || hasDWARF)
  }
}
