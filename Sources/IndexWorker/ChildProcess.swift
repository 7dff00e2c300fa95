internal import Bytes
internal import Glibc
internal import SymbolIndex
internal import Synchronization

/// One child process, from its start to its end.
enum ChildProcess {
  enum Status: Hashable {
    case exited(Int32)
    case killed(Int32)
    /// It was still running after the time allowed, and was killed.
    case timedOut
  }

  /// One at a time: a process that starts between another's `pipe` and `fcntl` would keep an end of that pipe open.
  private static let starting = Mutex<Void>(())

  /// The most output that is kept, in bytes.
  private static let outputLimit = 1 << 16

  /// Runs `program` with `arguments`, gives it `input`, and waits for its end, at most `seconds`.
  static func run(
    _ program: String, _ arguments: [String], input: [UInt8], seconds: Int
  ) throws(IndexError) -> (status: Status, output: [UInt8]) {
    let (process, toChild, fromChild) = try starting.withLock { _ throws(IndexError) in
      try start(program, arguments)
    }
    defer { close(fromChild) }
    // The child reads it at once.
    var sent = 0
    while sent < input.count {
      let count = input.withUnsafeBytes { write(toChild, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
      if count < 0, errno != EINTR { break }
      sent += max(0, count)
    }
    close(toChild)
    let deadline = now() + seconds
    let (output, isOver) = read(fromChild, until: deadline)
    guard isOver, let status = status(of: process, until: deadline) else {
      kill(process, SIGKILL)
      while waitpid(process, nil, 0) < 0 && errno == EINTR {}
      return (.timedOut, output)
    }
    // Source of the layout: <bits/waitstatus.h>, whose macros are not imported.
    let signal = status & 0x7f
    return (signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal), output)
  }

  /// Starts `program`; the ends of the pipes to its input and from its output are the caller's to close.
  private static func start(
    _ program: String, _ arguments: [String]
  ) throws(IndexError) -> (process: pid_t, toChild: Int32, fromChild: Int32) {
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    guard pipe(&toChild) == 0 else { throw IndexError(.system, "cannot open a pipe") }
    guard pipe(&fromChild) == 0 else {
      close(toChild[0])
      close(toChild[1])
      throw IndexError(.system, "cannot open a pipe")
    }
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = spawn(program, arguments, input: toChild[0], output: fromChild[1])
    close(toChild[0])
    close(fromChild[1])
    if process > 0 { return (process, toChild[1], fromChild[0]) }
    close(toChild[1])
    close(fromChild[0])
    throw IndexError(.system, "cannot start \(program)")
  }

  /// Waits for the end of `process`, which may go on after it closed its output; `nil` when the time came first.
  private static func status(of process: pid_t, until deadline: time_t) -> Int32? {
    var status: Int32 = 0
    var nap: UInt32 = 100
    while waitpid(process, &status, WNOHANG) != process {
      if now() >= deadline { return nil }
      usleep(nap)
      nap = min(nap * 2, 20_000)
    }
    return status
  }

  private static func spawn(_ program: String, _ arguments: [String], input: Int32, output: Int32) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    // What a failing process says about itself is no message of ours.
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    return spawn(program, arguments, &actions, &environment)
  }

  /// Starts `program` with its streams as `actions` say, in a session of its own if it `isDetached`; its number, or -1.
  static func spawn(
    _ program: String, _ arguments: [String], _ actions: inout posix_spawn_file_actions_t,
    _ environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, isDetached: Bool = false
  ) -> pid_t {
    // The thread that starts it may block signals, or the program ignore some: a process inherits both.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // POSIX_SPAWN_SETSID of <spawn.h>, which is only declared for GNU sources.
    let session: Int32 = isDetached ? 0x80 : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | Int16(session))
    // Paths among them need not be text.
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { PathName.with($0) { strdup($0) } } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = -1
    let result = posix_spawn(&process, program, &actions, &attributes, &words, environment)
    return result == 0 ? process : -1
  }

  /// Seconds on a clock that nobody sets.
  private static func now() -> time_t {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec
  }

  /// Reads until the other end is closed; `isOver` is false when the time came first.
  private static func read(_ descriptor: Int32, until deadline: time_t) -> (output: [UInt8], isOver: Bool) {
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let left = deadline - now()
      if left <= 0 { return (output, false) }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&request, 1, Int32(clamping: left * 1000))
      if ready <= 0 { continue }
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 || (count < 0 && errno != EINTR) { return (output, true) }
      if count > 0, output.count < outputLimit { output += chunk[..<count] }
    }
  }
}
