import Glibc

/// Runs other programs: the peers that answers are held against, and our own program as a child process.
public enum Tool {
  /// What a program left behind.
  public struct Outcome: Sendable {
    /// Its exit code; -1 when a signal ended it or it could not be started.
    public var code: Int32 = -1
    /// The signal that ended it, 0 for none.
    public var signal: Int32 = 0
    /// Whether it was ended because it took too long.
    public var timedOut = false
    /// What it wrote to standard output.
    public var output: [UInt8] = []
    /// What it wrote to standard error.
    public var errors: [UInt8] = []
    /// The most memory it was seen to have resident, in bytes; 0 when it ended before the first look.
    public var peakMemory = 0

    /// Standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as text.
    public var errorText: String { String(decoding: errors, as: UTF8.self) }
    /// The lines of standard output.
    public var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  }

  /// The path of LLVM's tool `name` (version 19 if it is there); `nil` without it.
  public static func llvm(_ name: String) -> String? {
    ["/usr/bin/\(name)-19", "/usr/lib/llvm-19/bin/\(name)", "/usr/bin/\(name)"].first { access($0, X_OK) == 0 }
  }

  /// Why a test that compares with LLVM was skipped.
  public static let llvmAbsence = "LLVM's tools are absent (apt install llvm-19)"

  /// The program of this package that was built along with the tests, or the one that `SYMCLUST_PROGRAM` names: a
  /// release build checks less and traps elsewhere. `nil` when there is none.
  public static let symclust: String? = {
    if let named = getenv("SYMCLUST_PROGRAM").map({ String(cString: $0) }) {
      return access(named, X_OK) == 0 ? named : nil
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = length > 0 ? String(decoding: buffer[..<length], as: UTF8.self) : ""
    // The test runner may be the toolchain's own: then the tests' library says where the products are.
    let maps = contents(of: "/proc/self/maps").map { String(decoding: $0, as: UTF8.self) } ?? ""
    let mapped = maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { line[$0...] } }
      .first { $0.hasSuffix(".xctest") }.map(String.init)
    for path in [mapped, own].compactMap({ $0 }) {
      let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      if access(folder + "/symclust", X_OK) == 0 { return folder + "/symclust" }
    }
    return nil
  }()

  /// Runs a program to its end, at most `seconds`; `memory` bounds its address space in KiB.
  public static func run(
    _ path: String, _ arguments: [String], input: [UInt8] = [], seconds: Int = 60, memory: Int? = nil
  ) -> Outcome {
    var words = [path] + arguments
    if let memory {
      words = ["/bin/sh", "-c", "ulimit -c 0; ulimit -v \(memory); exec \"$@\"", "sh"] + words
    }
    var outcome = Outcome()
    guard let files = Streams(input) else { return outcome }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (stream, descriptor) in [files.input, files.output, files.errors].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(stream))
    }
    guard let process = start(words, &actions) else { return outcome }
    outcome.wait(for: process, seconds: seconds)
    outcome.output = Streams.contents(files.output)
    outcome.errors = Streams.contents(files.errors)
    return outcome
  }
}

extension Tool {
  /// Starts the program and arguments in `words` with its streams as `actions` say; `nil` when it cannot be started.
  static func start(_ words: [String], _ actions: inout posix_spawn_file_actions_t) -> pid_t? {
    // The threads of a test run may block signals, and shells wait for one.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var process: pid_t = 0
    return posix_spawn(&process, words[0], &actions, &attributes, pointers, environ) == 0 ? process : nil
  }
}

extension Tool.Outcome {
  fileprivate mutating func wait(for process: pid_t, seconds: Int) {
    var status: Int32 = 0
    var naps = 0
    while waitpid(process, &status, timedOut ? 0 : WNOHANG) == 0 {
      peakMemory = max(peakMemory, residentPeak(of: process))
      usleep(naps < 50 ? 1_000 : 10_000)
      naps += 1
      if naps > 50 + seconds * 100 {
        timedOut = true
        kill(process, SIGKILL)
      }
    }
    signal = status & 0x7f
    if signal == 0 { code = (status >> 8) & 0xff }
  }
}

/// The most memory that a running process had resident, in bytes. (What `wait4` tells of a child counts the pages of
/// the test run itself, which the child had until it became another program; so it is not looked at before.)
private func residentPeak(of process: pid_t) -> Int {
  if program(of: "\(process)") == program(of: "self") { return 0 }
  let status = contents(of: "/proc/\(process)/status").map { String(decoding: $0, as: UTF8.self) } ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return (line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
}

/// The path of the program that a process runs.
private func program(of process: String) -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: 4096)
  let length = readlink("/proc/\(process)/exe", &buffer, buffer.count)
  return Array(buffer[..<max(0, length)])
}

/// The three streams of a child process, as files without names.
private final class Streams {
  let input: Int32
  let output: Int32
  let errors: Int32

  init?(_ bytes: [UInt8]) {
    input = Streams.file()
    output = Streams.file()
    errors = Streams.file()
    guard input >= 0, output >= 0, errors >= 0 else { return nil }
    var done = 0
    while done < bytes.count {
      let step = bytes[done...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if step <= 0 { return nil }
      done += step
    }
    lseek(input, 0, SEEK_SET)
  }

  deinit {
    close(input)
    close(output)
    close(errors)
  }

  private static func file() -> Int32 {
    var template = Array("/tmp/symclust-stream-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    if descriptor >= 0 {
      unlink(template)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    return descriptor
  }

  static func contents(_ descriptor: Int32) -> [UInt8] {
    lseek(descriptor, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = read(descriptor, &chunk, chunk.count)
      if got <= 0 { return bytes }
      bytes += chunk[..<got]
    }
  }
}
