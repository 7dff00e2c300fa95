import Glibc

/// A program that runs beside a test, such as a server; it is ended with this value.
public final class BackgroundProgram: Sendable {
  private let process: pid_t
  /// Where its output goes.
  private let output: String
  private let folder: TemporaryFolder

  /// Starts a program; `nil` when it cannot be started.
  public init?(_ path: String, _ arguments: [String]) {
    guard let folder = TemporaryFolder("background") else { return nil }
    self.folder = folder
    output = folder.entry("output")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard let process = Tool.start([path] + arguments, &actions) else { return nil }
    self.process = process
  }

  deinit {
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0 && errno == EINTR {}
  }

  /// What it has written so far, both streams together.
  public var text: String { String(decoding: contents(of: output) ?? [], as: UTF8.self) }

  /// Waits until `isReady` says so, at most a minute; whether it did.
  public func waits(until isReady: (BackgroundProgram) -> Bool) -> Bool {
    for _ in 0..<1200 {
      if isReady(self) { return true }
      usleep(50_000)
    }
    return false
  }
}

/// A port of this machine that nobody listens on; `nil` when there is none.
public func freePort() -> Int? {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
    }
  }
  return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
}
