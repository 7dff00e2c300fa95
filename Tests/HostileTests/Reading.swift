import Bytes
import CompanionFiles
import DebugInfo
import Identity
import ObjectFiles
import SymbolIndex
import TestSupport
import Testing
import Workers

/// Takes a file through everything that the product does with it: slices, symbols, debug information, index, answers.
///
/// Here in the process of the test, where a trap ends the run: the program has a process of its own for most of it.
struct Reading {
  /// Where the file is said to lie when its companions are looked for; they are not looked for without.
  var path: String?
  var symbolMap: BCSymbolMap?
  /// How many indexes were built.
  private(set) var indexes = 0
  /// How many offsets had frames.
  private(set) var answers = 0

  init(path: String? = nil, symbolMap: BCSymbolMap? = nil) {
    (self.path, self.symbolMap) = (path, symbolMap)
  }

  /// Reads `bytes`; `what` names them where something is not as it must be.
  mutating func read(_ bytes: [UInt8], _ what: String) {
    let file = ByteView(bytes)
    _ = Container.looksLikeObjectFile(file)
    let slices: [Container.Slice]
    do throws(ObjectFileError) {
      slices = try Container(file).slices
    } catch {
      #expect(!error.description.isEmpty, "\(what)")
      return
    }
    #expect(!slices.isEmpty, "\(what)")
    for slice in slices {
      switch slice {
      case .failure(let error): #expect(!error.description.isEmpty, "\(what)")
      case .success(let object): read(object, what)
      }
    }
  }

  private mutating func read(_ object: ObjectFile, _ what: String) {
    let symbols = object.codeSymbols()
    // Each needs a byte at least.
    #expect(symbols.count + object.functionBounds().count <= 2 * object.bytes.count, "\(what)")
    _ = object.debugMapObjectCount
    var sources = [IndexSource(object: object, digest: ContentDigest(of: object.bytes), symbolMap: symbolMap)]
    if let path {
      let found = CompanionFinder(debugRoots: []).companions(of: object, at: path)
      sources[0].problems = found.problems
      for file in found.files {
        guard let bytes = try? ByteView.mapping(path: file.path) else { continue }
        if file.role != .debugFile {
          sources[0].companions.append(CompanionFile(role: file.role, unit: file.unit, bytes: bytes))
        } else if let object = try? Container(bytes).objects.first {
          sources.append(IndexSource(object: object, digest: ContentDigest(of: bytes)))
        }
      }
    }
    var builder = IndexBuilder()
    builder.workers = Workers(1)
    // What a build for tests reads in seconds.
    builder.limits.fixedSteps = 1_000_000
    do throws(IndexError) {
      let index = try SymbolIndex(ByteView(try builder.build(sources).bytes))
      _ = try index.summary()
      indexes += 1
      look(into: index, symbols.prefix(8).map { $0.address &- object.imageBase }, what)
    } catch {
      // An index of our own making that cannot be opened is our fault, whatever the file was.
      #expect(error.code != .corrupt && error.code != .system && error.code != .newer, "\(what): \(error)")
    }
  }

  private mutating func look(into index: SymbolIndex, _ offsets: [UInt64], _ what: String) {
    let size = index.imageSize
    let steps = (0...8).map { size / 8 &* $0 }
    for offset in offsets + steps + [1, size &- 1, size, .max, 0x1000, 0x1008, 0x1010, 0xffff_ffff, 1 << 32] {
      for isReturnAddress in [false, true] {
        switch index.lookup(offset, isReturnAddress: isReturnAddress) {
        case .corrupt: Issue.record("\(what): the index contradicts itself at \(offset.hex)")
        case .frames(let frames):
          answers += 1
          #expect(!frames.isEmpty && offset <= size, "\(what)")
        case .hole, .outsideImage: break
        }
      }
    }
  }
}
