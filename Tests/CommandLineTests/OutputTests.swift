import CommandLine
import Glibc
import Testing

@Suite struct Outputs {
  /// The two ends of a stream. It is a pair of sockets, since pipes cannot be made close-on-exec in one step from here
  /// and other tests start processes meanwhile.
  private func pipeEnds() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  private func readAll(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while case let got = read(descriptor, &chunk, chunk.count), got > 0 { bytes += chunk[..<got] }
    return bytes
  }

  @Test func `text is written whole and in order`() throws {
    let ends = try pipeEnds()
    var output = Output(descriptor: ends.write, capacity: 10)
    for word in ["a", "bc", "a longer text than the buffer", "", "ö"] { output.write(word) }
    try output.finish()
    close(ends.write)
    #expect(String(decoding: readAll(ends.read), as: UTF8.self) == "abca longer text than the bufferö")
    close(ends.read)
  }

  @Test func `a buffered text waits for a flush`() throws {
    let ends = try pipeEnds()
    _ = fcntl(ends.read, F_SETFL, O_NONBLOCK)
    var output = Output(descriptor: ends.write, capacity: 100)
    output.write("wait")
    #expect(readAll(ends.read).isEmpty)
    output.flush()
    #expect(readAll(ends.read) == Array("wait".utf8))
    try output.finish()
    close(ends.write)
    close(ends.read)
  }

  @Test func `a slow reader of a non-blocking pipe gets everything`() async throws {
    let ends = try pipeEnds()
    _ = fcntl(ends.write, F_SETFL, O_NONBLOCK)
    let size = 1 << 20
    let reader = Task.detached { [read = ends.read] in
      var total = 0
      var chunk = [UInt8](repeating: 0, count: 8_192)
      while case let got = Glibc.read(read, &chunk, chunk.count), got > 0 { total += got }
      return total
    }
    var output = Output(descriptor: ends.write, capacity: 0)
    output.write(bytes: [UInt8](repeating: 7, count: size))
    #expect(output.failure == nil)
    try output.finish()
    close(ends.write)
    #expect(await reader.value == size)
    close(ends.read)
  }

  @Test func `a reader that has gone is told apart from a failure`() throws {
    Output.ignoreBrokenPipes()
    let ends = try pipeEnds()
    close(ends.read)
    var output = Output(descriptor: ends.write, capacity: 0)
    output.write("x")
    #expect(output.failure == .closed)
    output.write("never written")
    let error = finish(output)
    #expect(error == .closed)
    close(ends.write)
  }

  @Test(.enabled(if: access("/dev/full", W_OK) == 0, "there is no /dev/full"))
  func `a full disk is an error with its number`() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    try #require(full >= 0)
    var output = Output(descriptor: full, capacity: 1_000)
    output.write("x")
    #expect(output.failure == nil)
    #expect(finish(output) == .failed(errno: ENOSPC))
    close(full)
  }

  private func finish(_ output: consuming Output) -> OutputError? {
    do throws(OutputError) {
      try output.finish()
      return nil
    } catch { return error }
  }
}
