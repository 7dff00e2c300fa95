import Glibc
import JSON
import TestSupport
import Testing

/// A batch counts the same however it was packed.
@Suite(
  "Diagnostics that are packed or compressed",
  .enabled(if: programIsBuilt && access("/usr/bin/python3", X_OK) == 0, programAbsence))
struct PackedInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("packed")) }

  /// Makes packed forms of the sample diagnostics in `single`.
  private func pack(_ script: String) throws -> String {
    let outcome = Tool.run(
      "/usr/bin/python3",
      [
        "-c",
        """
        import gzip, io, os, tarfile, zipfile
        source, out = '\(Sample.diagnostics)/single', '\(folder.path)/out'
        names = sorted(os.listdir(source))
        """ + "\n" + script,
      ])
    #expect(outcome.code == 0, "\(outcome.errorText)")
    return folder.entry("out")
  }

  private func report(_ path: String) throws -> JSONValue {
    try Store().report([path])
  }

  @Test(
    "count like the folder they were made of",
    arguments: [
      """
      with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
          for n in names: z.write(source + '/' + n, 'day/' + n)
          z.writestr('day/notes.md', 'nothing')
          z.writestr('__MACOSX/day/._' + names[0], 'Finder')
      """,
      """
      with tarfile.open(out, 'w:gz') as t: t.add(source, 'day')
      """,
      """
      inner = io.BytesIO()
      with tarfile.open(fileobj=inner, mode='w') as t: t.add(source, 'day')
      with zipfile.ZipFile(out, 'w') as z: z.writestr('day.tar.gz', gzip.compress(inner.getvalue()))
      """,
    ])
  func packed(script: String) throws {
    let wanted = try report(Sample.diagnostics + "/single")
    let found = try report(try pack(script))
    #expect(try text(found.without("run")) == text(wanted.without("run")))
    #expect(found["run"]?.count("accepted_payloads") == wanted["run"]?.count("accepted_payloads"))
    #expect(found["run"]?.count("rejected") == 0)
  }

  @Test("with Zstandard are read like others", .enabled(if: access("/usr/bin/zstd", X_OK) == 0, "zstd is absent"))
  func zstandard() throws {
    let name = try #require(files(below: Sample.diagnostics + "/single").first)
    let path = Sample.diagnostics + "/single/" + name
    #expect(Tool.run("/usr/bin/zstd", ["-q", path, "-o", folder.entry("a.json.zst")]).code == 0)
    let found = try report(folder.entry("a.json.zst"))
    #expect(try text(found.without("run")) == text(report(path).without("run")))
  }

  @Test("cost their neighbours nothing when one of them is bad, and say where it lies")
  func bad() throws {
    let path = try pack(
      """
      with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
          z.write(source + '/' + names[0], 'good.json')
          z.writestr('day/bad.json', '{')
          z.writestr('day/bad.json.gz', gzip.compress(b'{"a":1}' * 100)[:-9])
          deep = b'{}'
          for _ in range(6): deep = gzip.compress(deep)
          z.writestr('day/deep.gz', deep)
          z.write(source + '/' + names[1], 'last.json')
      """)
    let outcome = try Store().run("cluster", "--json", path)
    #expect(outcome.code == 3)
    let run = try #require(try outcome.json()["run"])
    #expect(run.count("accepted_payloads") == 2)
    #expect(
      run["rejected_items"]?.array?.map { $0["reason"]?.string } == [
        "truncated", "damaged_compression", "nested_too_deep",
      ])
    #expect(run["rejected_items"]?[0]?["path"]?.string == path + "/day/bad.json")
    // What follows a damaged archive is told, and what stood before is counted.
    let bytes = try #require(contents(of: try pack("with tarfile.open(out, 'w') as t: t.add(source, 'day')")))
    folder.write(Array(bytes.prefix(bytes.count / 2)), to: "half.tar")
    let half = try Store().run("cluster", "--json", folder.entry("half.tar"))
    #expect(half.code == 3)
    #expect(try half.json()["run"]?["rejected_by_reason"]?["damaged_archive"] != nil)
    #expect(try (half.json()["run"]?.count("accepted_payloads") ?? 0) > 0)
  }
}
