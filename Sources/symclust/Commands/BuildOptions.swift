import CommandLine
import SymbolStore

/// The options that name one build together.
enum BuildOptions {
  static let app = OptionSpec.value("app", "ID", help: "the bundle identifier of the app")
  static let version = OptionSpec.value("version", "V", help: "the version of the app, for example 2.1")
  static let build = OptionSpec.value("build", "B", help: "the build number, for example 812")
}

extension ParsedCommand {
  /// The build that `BuildOptions` name: all three parts, or none of them.
  func buildName() throws(CommandFailure) -> BuildName? {
    let parts = [text(BuildOptions.app), text(BuildOptions.version), text(BuildOptions.build)]
    if parts.allSatisfy({ $0 == nil }) { return nil }
    guard let app = parts[0], let version = parts[1], let build = parts[2] else {
      throw CommandFailure(.usage, "--app, --version and --build go together: only all three name a build")
    }
    return BuildName(app: app, version: version, build: build)
  }
}
