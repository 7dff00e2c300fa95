internal import Diagnostics
public import Identity
public import Symbolication

/// An image of the app whose symbols a raw stack waits for.
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

extension SignatureBuilder {
  /// The images of the app that no symbols were retained for, by identifier, each with the frames of `stack` that would
  /// profit. Images of the system are left out: nobody uploads them, and no signature waits for them.
  public func waitedImages(of stack: RawStack, resolutions: [Resolution]) -> [WaitedImage] {
    let isApp = stack.images.map(rules.isApp)
    var waited: [DebugID: WaitedImage] = [:]
    for (index, frame) in stack.frames.enumerated() {
      let status = resolutions.indices.contains(index) ? resolutions[index].status : .missingImage
      guard status == .missingImage, let image = stack.image(of: index), let id = image.debugID, isApp[Int(frame.image)]
      else { continue }
      var entry = waited[id] ?? WaitedImage(debugID: id, name: nil, frames: 0)
      entry.frames += 1
      entry.name = entry.name ?? image.name
      waited[id] = entry
    }
    return waited.values.sorted { $0.debugID < $1.debugID }
  }
}
