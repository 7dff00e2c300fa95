internal import Glibc
public import SymbolIndex

/// A process that goes on when this one has ended, in a session of its own, so that no terminal's end takes it along.
public enum DetachedProcess {
  /// Starts `program`, with nothing to read and nowhere to write: what it has to say another run can say.
  public static func start(_ program: String, _ arguments: [String]) throws(IndexError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    guard ChildProcess.spawn(program, arguments, &actions, environ, isDetached: true) > 0 else {
      throw IndexError(.system, "cannot start \(program)")
    }
  }
}
