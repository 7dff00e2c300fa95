/// Writes the fields of a protobuf message, for made-up files.
public struct ProtobufWriter: Sendable {
  private var writer = ByteWriter()

  /// What was written.
  public var bytes: [UInt8] { writer.bytes }

  /// A message with nothing in it.
  public init() {}

  /// A message with what `fill` writes.
  public init(_ fill: (inout ProtobufWriter) -> Void) { fill(&self) }

  private mutating func key(_ tag: UInt64, _ type: UInt64) { writer.uleb(tag << 3 | type) }

  /// Appends a number.
  public mutating func number(_ tag: UInt64, _ value: UInt64) {
    key(tag, 0)
    writer.uleb(value)
  }

  /// Appends a number of eight bytes.
  public mutating func fixed(_ tag: UInt64, _ value: UInt64) {
    key(tag, 1)
    writer.append(value)
  }

  /// Appends a number of four bytes.
  public mutating func fixed(_ tag: UInt64, _ value: UInt32) {
    key(tag, 5)
    writer.append(value)
  }

  /// Appends bytes.
  public mutating func bytes(_ tag: UInt64, _ bytes: [UInt8]) {
    key(tag, 2)
    writer.uleb(UInt64(bytes.count))
    writer.append(bytes)
  }

  /// Appends a text.
  public mutating func text(_ tag: UInt64, _ text: String) { bytes(tag, Array(text.utf8)) }

  /// Appends a message.
  public mutating func message(_ tag: UInt64, _ fill: (inout ProtobufWriter) -> Void) {
    bytes(tag, ProtobufWriter(fill).bytes)
  }

  /// Appends bytes as they are: what no good message holds.
  public mutating func raw(_ bytes: [UInt8]) { writer.append(bytes) }
}

/// A made-up report of PLCrashReporter: the stacks of a crash, and what it was.
public struct PLCrashFile: Sendable {
  /// A loaded image.
  public struct Image: Sendable {
    /// Where it lies.
    public var base: UInt64
    /// How long it is.
    public var size: UInt64
    /// The bytes of its identifier.
    public var id: [UInt8]
    /// Its path.
    public var path: String

    /// An image.
    public init(base: UInt64, size: UInt64 = 1 << 26, id: [UInt8], path: String) {
      self.base = base
      self.size = size
      self.id = id
      self.path = path
    }
  }

  /// The loaded images.
  public var images: [Image] = []
  /// The addresses of each thread, the innermost first, and whether it crashed.
  public var threads: [(crashed: Bool?, addresses: [UInt64])] = []
  /// The name of the signal.
  public var signal = "SIGABRT"
  /// Number and first code of the Mach exception.
  public var exception: (type: UInt64, code: UInt64)?
  /// The app's build.
  public var build = "1"

  /// A report of nothing.
  public init() {}

  /// The seven letters and the version.
  public static let header = Array("plcrash".utf8) + [1]

  /// The file.
  public var bytes: [UInt8] {
    Self.header
      + ProtobufWriter { report in
        report.message(2) {
          $0.text(1, "com.example.lumen")
          $0.text(2, build)
        }
        for (number, thread) in threads.enumerated() {
          report.message(3) { message in
            message.number(1, UInt64(number))
            for address in thread.addresses { message.message(2) { $0.number(3, address) } }
            if let crashed = thread.crashed { message.number(3, crashed ? 1 : 0) }
          }
        }
        for image in images {
          report.message(4) {
            $0.number(1, image.base)
            $0.number(2, image.size)
            $0.text(3, image.path)
            $0.bytes(4, image.id)
          }
        }
        report.message(6) { message in
          message.text(1, signal)
          message.text(2, "#0")
          message.number(3, 0)
          guard let exception else { return }
          message.message(4) {
            $0.number(1, exception.type)
            $0.number(2, exception.code)
            $0.number(2, 0)
          }
        }
      }.bytes
  }
}
