internal import Bytes
internal import CCurl
internal import Glibc
internal import SymbolStore

/// How much a download may cost.
public struct DownloadLimits: Sendable, Hashable {
  /// The largest file, in bytes.
  public var bytes = 2 << 30
  /// The time for one file, in seconds.
  public var seconds = 600
  /// The time without progress, in seconds.
  public var stallSeconds = 30
  /// How often an answer may lead elsewhere.
  public var redirects = 3

  /// The usual limits.
  public init() {}

  /// The limits that the variables of elfutils' client say: `DEBUGINFOD_MAXSIZE` in bytes, `DEBUGINFOD_MAXTIME` and
  /// `DEBUGINFOD_TIMEOUT` in seconds. What is no number above 0 is passed over.
  public init(environment: (String) -> String?) {
    func number(_ name: String, _ most: Int) -> Int? {
      environment(name).flatMap { Int($0) }.flatMap { $0 > 0 ? min($0, most) : nil }
    }
    bytes = number("DEBUGINFOD_MAXSIZE", 1 << 40) ?? bytes
    seconds = number("DEBUGINFOD_MAXTIME", 86_400) ?? seconds
    stallSeconds = number("DEBUGINFOD_TIMEOUT", 86_400) ?? stallSeconds
  }
}

/// What came of a download.
enum DownloadOutcome {
  case file(DownloadedFile, name: String?)
  /// The server says that it has no such file.
  case absent
  case failed(String)
}

/// Gets files by HTTP, within limits.
struct Downloader {
  var limits: DownloadLimits
  /// Where files lie while they are used.
  var temporaryFolder: String

  /// Gets `url` into a new file. Only its own server is trusted: where that leads must be public, over HTTPS if it was.
  func get(_ url: String) -> DownloadOutcome {
    let home = Origin(url)
    var url = url
    let deadline = ContinuousClock.now + .seconds(limits.seconds)
    for _ in 0...limits.redirects {
      guard let origin = Origin(url) else { return .failed("it leads to something other than HTTP") }
      if origin.scheme == "http", home?.scheme == "https" { return .failed("it leads from HTTPS to HTTP") }
      let answer: ccurl_answer
      let file: DownloadedFile
      do throws(FileFailure) {
        let seconds = max(1, (deadline - ContinuousClock.now).components.seconds)
        (answer, file) = try fetch(url, isTrusted: origin == home, seconds: seconds)
      } catch {
        return .failed(error.text)
      }
      let problem = text(answer.problem)
      if answer.is_too_large != 0 { return .failed("it is larger than \(limits.bytes) bytes") }
      if !problem.isEmpty { return .failed(problem) }
      switch answer.status {
      case 200: return .file(file, name: text(answer.name).split(separator: "/").last.map(String.init))
      case 404, 410: return .absent
      case 301, 302, 303, 307, 308:
        url = text(answer.redirect)
        if url.isEmpty { return .failed("status \(answer.status) without an address") }
      case let status: return .failed("status \(status)")
      }
    }
    return .failed("more than \(limits.redirects) redirects")
  }

  private struct FileFailure: Error { var text: String }

  private func fetch(
    _ url: String, isTrusted: Bool, seconds: Int64
  ) throws(FileFailure) -> (ccurl_answer, DownloadedFile) {
    let path = DownloadedFile.newPath(in: temporaryFolder)
    let descriptor = PathName.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw FileFailure(text: "\(path): cannot create: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    let file = DownloadedFile(taking: path)
    var answer = ccurl_answer()
    url.withCString { url in
      var request = ccurl_request()
      request.url = url
      request.descriptor = descriptor
      request.byte_limit = Int64(limits.bytes)
      request.seconds = seconds
      request.stall_seconds = Int64(limits.stallSeconds)
      request.connect_seconds = Int64(min(10, limits.stallSeconds))
      if !isTrusted {
        request.allows = { address, count in
          let bytes = UnsafeBufferPointer(start: address, count: Int(count))
          return AddressPolicy.isPublic(Array(bytes)) ? 1 : 0
        }
      }
      ccurl_get(&request, &answer)
    }
    return (answer, file)
  }

  /// The text in an array of a C structure.
  private func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
