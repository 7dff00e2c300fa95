/// What kind of code a function is, as its name tells.
public struct FunctionTraits: OptionSet, Sendable, Hashable {
  /// The bits, as the symbol index stores them.
  public let rawValue: UInt16

  /// The traits with these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Made by the compiler: a protocol witness, thunk, partial application, metadata accessor.
  public static let thunk = FunctionTraits(rawValue: 1 << 0)
  /// A closure, block or lambda.
  public static let closure = FunctionTraits(rawValue: 1 << 1)
  /// Shared code that the compiler moved out of several functions.
  public static let outlined = FunctionTraits(rawValue: 1 << 2)
  /// A part of an async function or coroutine.
  public static let asyncPart = FunctionTraits(rawValue: 1 << 3)
  /// A generic or signature specialisation.
  public static let specialization = FunctionTraits(rawValue: 1 << 4)
  /// A body that the compiler merged out of several functions.
  public static let merged = FunctionTraits(rawValue: 1 << 5)
  /// An inlined `Swift runtime failure: …` marker.
  public static let runtimeFailure = FunctionTraits(rawValue: 1 << 6)
  /// Code without a line in a source file (`<compiler-generated>`).
  public static let synthetic = FunctionTraits(rawValue: 1 << 7)
  /// Several functions share this code; the name is one of them.
  public static let ambiguous = FunctionTraits(rawValue: 1 << 8)
}
