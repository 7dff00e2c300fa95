import Diagnostics
import Glibc
import Identity
import SignatureStore
import Signatures
import SymbolIndex
import Symbolication

/// A folder that goes away with the test.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/symclust-store-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, mkdtemp(base) != nil else { return "/tmp" }
      return String(cString: base)
    }
  }

  deinit {
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      unlink(path + "/" + name)
    }
    closedir(folder)
    rmdir(path)
  }

  var store: String { path + "/symclust.sqlite" }
}

/// What a device would report: a crash in one function of one build.
struct Event: Sendable, Hashable {
  var function: String
  var build = "1"
  var system = "iPhone OS 18.5 (22F76)"
  var time: String? = "2026-04-19 10:30:00 +0000"
  /// Whether symbols were there.
  var isSymbolicated = true

  static func image(_ build: String) -> DebugID? {
    DebugID(bytes: ContentDigest(of: Array("Shop \(build)".utf8)).bytes.prefix(16))
  }

  /// The compilations in which its signature was seen.
  var compilations: Set<DebugID> { Set([Event.image(build)].compactMap { $0 }) }

  var diagnostic: Diagnostic {
    var metadata = DiagnosticMetadata()
    metadata.bundleIdentifier = "org.example.shop"
    metadata.appVersion = "1.0"
    metadata.appBuildVersion = build
    metadata.osVersion = system
    metadata.timeStampEnd = time
    metadata.exceptionType = 1
    metadata.signal = 11
    let offset = ContentDigest(of: Array("\(function) \(build)".utf8)).bytes.prefix(3).reduce(0) {
      $0 << 8 | UInt64($1)
    }
    return Diagnostic(
      kind: .crash, metadata: metadata,
      images: [
        ImageReference(debugID: Event.image(build), name: "Shop"), ImageReference(debugID: nil, name: "UIKitCore"),
      ],
      stacks: [
        CallStack(
          isAttributed: true,
          frames: [RawFrame(parent: -1, image: 0, offset: offset), RawFrame(parent: 0, image: 1, offset: 0x40)])
      ])
  }

  var rawStack: RawStack { RawStack.reading(diagnostic, stack: 0).stack }

  var derivation: Derivation {
    let stack = rawStack
    let answers = stack.frames.indices.map { index in
      isSymbolicated && stack.image(of: index)?.name == "Shop"
        ? Resolution(status: .resolved, frames: [Frame(function: function)]) : Resolution(status: .missingImage)
    }
    let waiting =
      isSymbolicated ? [] : Event.image(build).map { [WaitedImage(debugID: $0, name: "Shop", frames: 1)] } ?? []
    return Derivation(signature: SignatureBuilder().signature(of: stack, resolutions: answers), waiting: waiting)
  }

  var signature: String { derivation.signature.id }
}

/// A payload number `number` with these events.
func payload(_ number: Int, _ events: [Event], _ generation: PayloadGeneration = .v1) -> RecordedPayload {
  RecordedPayload(
    digest: ContentDigest(of: Array("payload \(number)".utf8)), generation: generation,
    diagnostics: events.enumerated().map { ordinal, event in
      var diagnostic = event.diagnostic
      diagnostic.ordinal = ordinal
      return RecordedDiagnostic(diagnostic, rawStack: event.rawStack, attribution: Attribution(diagnostic))
    })
}

/// A batch of `payloads` whose raw stacks are derived from `events`.
func batch(_ payloads: [RecordedPayload], _ events: [Event]) -> Batch {
  Batch(payloads: payloads, derivations: derivations(events))
}

func derivations(_ events: [Event]) -> [ContentDigest: Derivation] {
  Dictionary(events.map { ($0.rawStack.key, $0.derivation) }) { first, _ in first }
}

/// All bytes of a file.
func contents(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "r") else { return [] }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return bytes }
    bytes += buffer[0..<count]
  }
}

func write(_ bytes: [UInt8], to path: String) {
  guard let file = fopen(path, "w") else { return }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
}

extension RecordedDiagnostic {
  /// What is recorded of `diagnostic`, whose chosen stack is `rawStack`.
  init(_ diagnostic: Diagnostic, rawStack: RawStack, attribution: Attribution) {
    self.init(
      ordinal: diagnostic.ordinal, rawStack: rawStack, attribution: attribution,
      build: BuildOfRecord(diagnostic.metadata), system: OperatingSystem(parsing: diagnostic.metadata.osVersion),
      interval: ReportInterval(diagnostic.metadata), states: diagnostic.context.states,
      measures: diagnostic.metadata.measuredValues)
  }
}
