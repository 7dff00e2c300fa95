internal import Diagnostics
public import Identity
public import Symbolication

/// An image whose symbols a raw stack waits for.
public struct WaitedImage: Sendable, Hashable {
  /// The image.
  public var debugID: DebugID
  /// Its name, when the diagnostic gave one.
  public var name: String?
  /// How many frames of the raw stack wait.
  public var frames: Int

  /// An image that `frames` frames wait for.
  public init(debugID: DebugID, name: String?, frames: Int) {
    self.debugID = debugID
    self.name = name
    self.frames = frames
  }
}

extension RawStack {
  /// The images whose symbols are missing or damaged, by identifier, each with the frames that would profit.
  public func waitedImages(_ resolutions: [Resolution]) -> [WaitedImage] {
    var waited: [DebugID: WaitedImage] = [:]
    for index in frames.indices {
      let status = resolutions.indices.contains(index) ? resolutions[index].status : .missingImage
      guard status == .missingImage || status == .indexCorrupt, let image = image(of: index), let id = image.debugID
      else { continue }
      var entry = waited[id] ?? WaitedImage(debugID: id, name: nil, frames: 0)
      entry.frames += 1
      entry.name = entry.name ?? image.name
      waited[id] = entry
    }
    return waited.values.sorted { $0.debugID < $1.debugID }
  }
}
