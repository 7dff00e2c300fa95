internal import Glibc

/// Why output could not be written.
public enum OutputError: Error, Hashable, Sendable {
  /// The reader has gone, as in `program | head`: nothing more is to be said, the program ends quietly.
  case closed
  /// The system refused, with this error number: a full disk, for example.
  case failed(errno: Int32)
}

/// An output stream of this process: collects text, writes it with write(2), wholly.
///
/// The first error is kept and later text is dropped, so that callers need to look only at natural ends: `failure` in
/// long loops, `finish()` at the end. What is not flushed when the value goes away is lost.
public struct Output: ~Copyable {
  /// The first error.
  public private(set) var failure: OutputError?

  private let descriptor: Int32
  private let capacity: Int
  private var buffer: [UInt8] = []

  /// A stream to `descriptor` that writes when `capacity` bytes wait; 0 writes each text at once.
  public init(descriptor: Int32, capacity: Int) {
    self.descriptor = descriptor
    self.capacity = max(0, capacity)
  }

  /// Standard output, buffered.
  public static func standard() -> Output { Output(descriptor: STDOUT_FILENO, capacity: 1 << 16) }

  /// Standard error, not buffered.
  public static func error() -> Output { Output(descriptor: STDERR_FILENO, capacity: 0) }

  /// Makes a gone reader an error of `write` instead of a signal that ends the process. To be called once at the start.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Adds `text`. Text from outside must have gone through `visible(_:)`.
  public mutating func write(_ text: String) { write(bytes: text.utf8) }

  /// Adds bytes.
  public mutating func write(bytes: some Sequence<UInt8>) {
    guard failure == nil else { return }
    buffer.append(contentsOf: bytes)
    if buffer.count >= capacity { flush() }
  }

  /// Writes what waits.
  public mutating func flush() {
    if failure == nil { failure = writeAll(buffer, to: descriptor) }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes what waits and throws the first error.
  public consuming func finish() throws(OutputError) {
    flush()
    if let failure { throw failure }
  }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> OutputError? {
  bytes.withUnsafeBytes { all in
    var written = 0
    while written < all.count {
      let result = Glibc.write(descriptor, all.baseAddress.map { $0 + written }, all.count - written)
      if result >= 0 {
        written += result
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // The stream was made non-blocking by a process that shares it: wait until it takes more.
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&request, 1, -1) < 0 && errno != EINTR { return .failed(errno: errno) }
      case EPIPE: return .closed
      default: return .failed(errno: errno)
      }
    }
    return nil
  }
}
