import Files
import Glibc
import Identity
import SymbolServers
import SymbolStore
import Synchronization
import TestSupport
import Testing

@Suite("A debuginfod server as a source")
struct DebuginfodServerTests {
  private let folder: TemporaryFolder
  private let http: ScriptedServer
  private let store: SymbolStore
  private let ids: [DebugID]

  init() throws {
    folder = try #require(TemporaryFolder("debuginfod-unit"))
    http = try #require(ScriptedServer(folder.path))
    store = SymbolStore(try StoreDirectory(root: folder.entry("store"), creating: true))
    ids = try (1...9).map { try #require(DebugID(bytes: [UInt8](repeating: $0, count: 20))) }
  }

  private func server(_ path: String, at time: Int64 = 1_000_000) throws -> DebuginfodServer {
    var limits = DownloadLimits()
    (limits.bytes, limits.seconds, limits.stallSeconds) = (1000, 5, 2)
    return DebuginfodServer(
      try #require(ServerAddress(http.address + path)), limits: limits, store: store, temporaryFolder: folder.path,
      now: { time })
  }

  @Test("remembers for six hours what it does not have, and no longer")
  func memory() throws {
    let first = try server("/files")
    #expect(first.files(for: ids[0]).isEmpty && first.files(for: ids[0]).isEmpty)
    #expect(http.requests.count == 2)
    first.finish()
    let life = DebuginfodServer.absenceLifetime
    #expect(try server("/files", at: 1_000_000 + life).files(for: ids[0]).isEmpty)
    #expect(http.requests.count == 2)
    let later = try server("/files", at: 1_000_001 + life)
    #expect(later.files(for: ids[0]).isEmpty)
    #expect(http.requests.count == 4)
    later.finish()
    #expect(store.absentImages().times.values.first?[ids[0]] == 1_000_001 + life)
    try store.forgetBorrowed(of: [])
    #expect(store.absentImages() == AbsentImages())
  }

  @Test("two servers remember beside each other, and a damaged memory is none")
  func memories() throws {
    for path in ["/files/a", "/files/b"] {
      let server = try server(path)
      #expect(server.files(for: ids[1]).isEmpty)
      server.finish()
    }
    #expect(store.absentImages().times.count == 2)
    folder.write(Array("{".utf8), to: "store/symbols/absent.json")
    #expect(store.absentImages() == AbsentImages())
    #expect(try server("/files/a").files(for: ids[1]).isEmpty)
    #expect(http.requests.count == 6)
  }

  @Test("a failure is no absence, and three in a row end the run for this server; a good file between begins anew")
  func breaker() throws {
    let bad = try server("/status/500")
    for id in ids[..<2] { #expect(bad.files(for: id).isEmpty) }
    bad.judged(isGood: true)
    for id in ids[..<2] { #expect(bad.files(for: id).isEmpty) }
    #expect(bad.leftAlone == nil && bad.troubles.count == 4)
    #expect(bad.files(for: ids[2]).isEmpty)
    #expect(bad.leftAlone == "3 failures in a row, the last: status 500")
    for id in ids { #expect(bad.files(for: id).isEmpty) }
    #expect(http.requests.count == 5)
    bad.finish()
    #expect(store.absentImages() == AbsentImages())
  }

  @Test("a file goes away with its last user, and is within the limit to the byte", arguments: [999, 1000, 1001])
  func bounds(size: Int) throws {
    folder.write([UInt8](repeating: 1, count: size), to: "buildid/\(ids[0].hex)/debuginfo")
    let server = try server("/files")
    var path: String?
    do {
      let found = server.files(for: ids[0])
      #expect(found.count == (size > 1000 ? 0 : 1))
      path = found.first?.path
      if let path { #expect(contents(of: path)?.count == size) }
    }
    if let path { #expect(access(path, F_OK) != 0) }
    #expect(server.troubles.contains { $0.contains("larger than 1000 bytes") } == (size > 1000))
    #expect(!files(below: folder.path).contains { $0.hasPrefix(StoreDirectory.temporaryPrefix) })
  }

  @Test("is asked for identifiers of the length of build-ids only", arguments: [2, 7, 8, 15, 16, 17, 20, 32])
  func lengths(count: Int) throws {
    let id = try #require(DebugID(bytes: [UInt8](repeating: 7, count: count)))
    #expect(try server("/files").files(for: id).isEmpty)
    #expect(http.requests.isEmpty == (count < 8 || count == 16))
  }

  @Test("limits are those of elfutils' variables; nonsense is passed over")
  func limits() {
    let said = ["DEBUGINFOD_MAXSIZE": "10", "DEBUGINFOD_MAXTIME": "20", "DEBUGINFOD_TIMEOUT": "x"]
    let limits = DownloadLimits { said[$0] }
    #expect(limits.bytes == 10 && limits.seconds == 20 && limits.stallSeconds == DownloadLimits().stallSeconds)
    #expect(DownloadLimits { _ in "-1" } == DownloadLimits())
    #expect(DownloadLimits { _ in "9999999999999" }.seconds == 86_400)
  }
}
