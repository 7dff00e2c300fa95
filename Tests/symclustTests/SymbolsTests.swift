import JSON
import TestSupport
import Testing

/// What a release engineer and an operator ask of the retained symbols.
@Suite("symbols", .enabled(if: programIsBuilt, programAbsence))
struct SymbolsTests {
  private let store: Store
  private let unknown = "00112233445566778899aabbccddeeff"

  init() throws { store = try Store() }

  private func upload(_ builds: [Sample.Build] = Sample.builds) {
    for build in builds {
      let folder = Sample.symbols + "/" + build.folder
      #expect(
        store.run(
          "upload-symbols", folder, "--app", build.app, "--version", build.version, "--build", build.build, "--commit",
          "c0ffee", "--uploader", "ci"
        ).code == 0)
    }
  }

  private func ids(_ document: JSONValue, _ list: String = "images") -> [String] {
    (document[list]?.array ?? []).compactMap { $0["debug_id"]?.string }
  }

  @Test("list names the images of a build, find takes identifiers in any spelling, names and patterns")
  func listing() throws {
    upload()
    let all = try ids(store.run("symbols", "list", "--json").json())
    #expect(all.count == 6 && all == all.sorted())
    let one = try store.run("symbols", "list", "--build", "120", "--json").json()
    #expect(ids(one).count == 2)
    #expect(one["images"]?.array?.first?["builds"]?.array?.first?["version"]?.string == "1.2")
    #expect(store.run("symbols", "list", "--build", "999").code == 1)
    let plain = Sample.kitID.lowercased().filter { $0 != "-" }
    #expect(try ids(store.run("symbols", "find", Sample.kitID, "--json").json()) == [plain])
    #expect(try ids(store.run("symbols", "find", plain, plain.uppercased(), "--json").json()) == [plain])
    #expect(try ids(store.run("symbols", "find", "LumenK*", "--json").json()).count == 3)
    #expect(store.run("symbols", "find", "Lumen", unknown).code == 3)
    #expect(store.run("symbols", "find", unknown).code == 1)
  }

  @Test("show tells features, coverage, files, builds and provenance of one image")
  func showing() throws {
    upload()
    let detail = try store.run("symbols", "show", Sample.kitID, "--json").json()
    #expect(detail["features"]?.array?.compactMap(\.string).contains("dwarf") == true)
    #expect((detail["index"]?["coverage"]?.double ?? 0) > 0.5)
    #expect(detail["index"]?["producers"]?.array?.contains { $0.string?.hasPrefix("Swift version") == true } == true)
    #expect(detail["builds"]?.array?.first?["provenance"]?.array?.first?["commit"]?.string == "c0ffee")
    #expect(detail["sources"]?.array?.count == 1)
    #expect(store.run("symbols", "show", Sample.kitID).text.contains("commit c0ffee, by ci"))
    #expect(store.run("symbols", "show", unknown).code == 1)
    #expect(store.run("symbols", "show", "x").code == 64)
  }

  @Test("U-22 other code under one identifier is kept, shown, and not used")
  func conflict() throws {
    func binary(_ size: UInt64) -> [UInt8] {
      var builder = MachOBuilder()
      builder.fileType = 2
      builder.uuid = [UInt8](repeating: 7, count: 16)
      builder.text = (0x1000, size)
      builder.sections = [.code(at: 0x1000, size: size)]
      builder.symbols = [.init("_main", 0x1100)]
      return builder.build()
    }
    let first = store.folder.write(binary(0x1000), to: "first")
    let second = store.folder.write(binary(0x2000), to: "second")
    _ = store.run("upload-symbols", first, second)
    let found = try store.run("symbols", "find", "first", "--json").json()
    #expect(found["images"]?.array?.first?.count("conflicts") == 1)
    #expect(
      store.run("symbols", "show", String(repeating: "07", count: 16)).text
        .contains("other code under this identifier: kept, not used"))
  }

  @Test("A-57 verify says of each image found, unusable, missing or wrong architecture, and ends with 3 on gaps")
  func verify() throws {
    upload()
    let build = store.run("symbols", "verify", "--build", "120", "--json")
    #expect(build.code == 0)
    #expect(try build.json().count("gaps") == 0 && ids(build.json()).count == 2)
    func binary(_ uuid: UInt8, cpu: UInt32) -> [UInt8] {
      var builder = MachOBuilder()
      builder.fileType = 2
      builder.cpu = (cpu, 0)
      builder.uuid = [UInt8](repeating: uuid, count: 16)
      builder.text = (0x1000, 0x1000)
      builder.sections = [.code(at: 0x1000, size: 0x1000)]
      return builder.build()
    }
    store.folder.write(binary(1, cpu: 0x0100_0007), to: "App.app/LumenKit")
    store.folder.write(binary(2, cpu: 0x0100_000c), to: "App.app/Vendor")
    let app = store.run("symbols", "verify", "--require-app", store.folder.entry("App.app"), "--json")
    #expect(app.code == 3)
    let statuses = try app.json()["images"]?.array?.map { "\($0["name"]?.string ?? "") \($0["status"]?.string ?? "")" }
    #expect(statuses == ["LumenKit wrong_architecture", "Vendor missing"])
    let allowed = store.run(
      "symbols", "verify", "--require-app", store.folder.entry("App.app"), "--allow-missing", "Vendor",
      "--allow-missing", String(repeating: "01", count: 16), "--json")
    #expect(allowed.code == 0)
    #expect(try allowed.json()["images"]?.array?.compactMap { $0["allowed"]?.bool } == [true, true])
    // Damaged beyond mending: there, and of no use.
    let hex = Sample.kitID.lowercased().filter { $0 != "-" }
    try damage("symbols/index/\(hex.prefix(2))/\(hex).scx")
    for file in files(below: store.path + "/symbols/sources") { try damage("symbols/sources/\(file)") }
    let broken = store.run("symbols", "verify", "--build", "120", "--json")
    #expect(broken.code == 3)
    #expect(try broken.json()["images"]?.array?.contains { $0["status"]?.string == "unusable" } == true)
  }

  @Test("verify looks at what diagnostics name, and does not count the system's images")
  func verifyPayload() throws {
    upload([Sample.builds[0]])
    let file = Sample.diagnostics + "/single/" + (files(below: Sample.diagnostics + "/single").first ?? "")
    let outcome = store.run("symbols", "verify", "--payload", file, "--json")
    let images = try outcome.json()["images"]?.array ?? []
    #expect(images.contains { $0["app"]?.bool == false && $0["status"]?.string == "missing" })
    let gaps = images.count { $0["app"]?.bool == true && $0["status"]?.string != "found" }
    #expect(try outcome.json().count("gaps") == gaps)
    #expect(outcome.code == (gaps == 0 ? 0 : 3))
  }

  @Test("U-23 a binary and symbols of another build are told apart, slice by slice")
  func pair() throws {
    let other = Sample.symbols + "/1.0-101/LumenKit.framework.dSYM"
    #expect(store.run("symbols", "verify", "--binary", Sample.kitFile, "--dsym", Sample.kit).code == 0)
    let outcome = store.run("symbols", "verify", "--binary", Sample.kitFile, "--dsym", other, "--json")
    #expect(outcome.code == 3)
    #expect(try outcome.json()["pairs"]?.array?.first?["matches"]?.bool == false)
    #expect(store.run("symbols", "verify", "--binary", Sample.kitFile).code == 64)
  }

  @Test("U-20 missing images are listed with who waits and where to get them, app and system apart")
  func missing() throws {
    upload(Array(Sample.builds.dropLast()))
    _ = store.run("cluster", Sample.diagnostics)
    let outcome = store.run("symbols", "missing", "--json")
    #expect(outcome.code == 3)
    let document = try outcome.json()
    let images = document["images"]?.array ?? []
    #expect(images.count == document.count("app_images") && document.count("system_images") > 0)
    let kit = try #require(images.first { $0["debug_id"]?.string == Sample.kitID.lowercased().filter { $0 != "-" } })
    #expect(kit["builds"]?.array?.compactMap { $0["build"]?.string } == ["120"])
    #expect(kit.count("diagnostics") > 0 && kit.count("frames") >= kit.count("diagnostics"))
    #expect(kit["retained_ids"]?.array?.count == 2)
    #expect(kit["advice"]?.string?.contains("upload the dSYM of build 120: 2 other builds of it retained") == true)
    let counts = images.map { $0.count("diagnostics") }
    #expect(counts == counts.sorted(by: >))
    // The cluster report counts the same.
    let report = try store.run("cluster", "--json", Sample.diagnostics).json()
    let told = report["missing_images"]?.array?.first { image in
      image["debug_id"]?.string?.lowercased().filter { $0 != "-" } == kit["debug_id"]?.string
    }
    #expect(told.map { $0.count("diagnostics") } == kit.count("diagnostics"))
    // A vendor's framework, whose symbols nobody has.
    let vendor = try store.run("symbols", "missing", "--build", "101", "--json").json()["images"]?.array ?? []
    #expect(vendor.map { $0["name"]?.string } == ["AdKit"])
    #expect(vendor.first?["advice"]?.string?.contains("vendor") == true)
    // It is expected to be missing: told, and no gap.
    let expected = store.run("symbols", "missing", "--build", "101", "--allow-missing", "Ad*", "--json")
    #expect(expected.code == 0)
    #expect(try expected.json()["images"]?.array?.map { $0["allowed"]?.bool } == [true])
    upload()
    #expect(try store.run("symbols", "missing", "--json").json()["images"]?.array?.count == 1)
  }

  @Test("A-56 gc with nothing to keep leaves what is pinned, and takes the rest")
  func pins() throws {
    upload()
    let oldest = Sample.builds[0]
    let pin = ["--app", oldest.app, "--version", oldest.version, "--build", oldest.build]
    #expect(symclust(["symbols", "pin", "--store", store.path] + pin).code == 0)
    #expect(store.run("symbols", "pin", Sample.kitID).code == 0)
    #expect(store.run("symbols", "pin", unknown).code == 1)
    let everything = ["symbols", "gc", "--keep-builds", "0", "--keep-days", "0", "--store", store.path]
    let before = files(below: store.path).sorted()
    let plan = try symclust(everything + ["--dry-run", "--json"]).json()
    #expect(files(below: store.path).sorted() == before)
    #expect(ids(plan, "removed").count == 3)
    let done = try symclust(everything + ["--json"]).json()
    #expect(ids(done, "removed") == ids(plan, "removed") && ids(done, "kept") == ids(plan, "kept"))
    #expect(Set((done["kept"]?.array ?? []).compactMap { $0["reason"]?.string }) == ["pinned", "pinned_build"])
    #expect(try ids(store.run("symbols", "list", "--json").json()) == ids(done, "kept"))
    #expect(store.run("doctor").text == "all is well\n")
    #expect(symclust(["symbols", "unpin", Sample.kitID, "--store", store.path] + pin).code == 0)
    #expect(try ids(symclust(everything + ["--json"]).json(), "removed").count == 3)
    #expect(try ids(store.run("symbols", "list", "--json").json()).isEmpty)
  }

  @Test("R-04 gc keeps builds that are out, and images that diagnostics of the window name")
  func use() throws {
    upload()
    _ = store.run("cluster", Sample.diagnostics)
    let plan = try store.run("symbols", "gc", "--keep-builds", "0", "--keep-days", "0", "--dry-run", "--json").json()
    #expect(ids(plan, "removed").isEmpty)
    #expect((plan["kept"]?.array ?? []).allSatisfy { $0["reason"]?.string == "shipped" })
    // Without a manifest only the diagnostics speak for an image.
    for file in files(below: store.path + "/symbols/builds") { try remove("symbols/builds/\(file)") }
    let far = try store.run("symbols", "gc", "--keep-builds", "0", "--keep-days", "36500", "--dry-run", "--json").json()
    #expect((far["kept"]?.array ?? []).contains { $0["reason"]?.string == "seen" })
    let near = try store.run("symbols", "gc", "--keep-builds", "0", "--keep-days", "0", "--dry-run", "--json").json()
    #expect(ids(near, "removed").count == 6)
  }

  @Test("R-06 list, coverage and look-up agree after upload, removal, and another upload")
  func oneTruth() throws {
    func agree(_ isThere: Bool) throws {
      #expect(store.run("symbols", "find", Sample.kitID).code == (isThere ? 0 : 1))
      #expect(store.run("symbols", "show", Sample.kitID).code == (isThere ? 0 : 1))
      #expect(store.run("lookup", "--image", Sample.kitID, "0x4000").code != 1 || !isThere)
      #expect(
        store.run("upload-symbols", "--dry-run", Sample.symbols + "/1.0-101", "--require", Sample.kitID).code
          == (isThere ? 0 : 3))
      #expect(store.run("doctor").code == 0)
    }
    for _ in 0..<2 {
      #expect(store.run("upload-symbols", Sample.kit).code == 0)
      try agree(true)
      #expect(store.run("symbols", "gc", "--keep-builds", "0", "--keep-days", "0").code == 0)
      try agree(false)
    }
  }

  @Test("R-05 doctor tells what is gone, damaged or left over, also of images that were covered before")
  func doctor() throws {
    upload()
    #expect(store.run("doctor").code == 0)
    let hex = Sample.kitID.lowercased().filter { $0 != "-" }
    let detail = try store.run("symbols", "show", Sample.kitID, "--json").json()
    let source = detail["sources"]?.array?.first?["sha256"]?.string ?? ""
    try remove("symbols/sources/\(source.prefix(2))/\(source).zst")
    store.folder.write(Array("x".utf8), to: "store/symbols/sources/ab/stray.zst")
    let lost = try findings(code: 5)
    #expect(
      lost.contains { $0.contains("the retained file is missing") && $0.contains("upload the symbols of LumenKit") })
    #expect(lost.contains { $0.hasPrefix("leftover") && $0.contains("stray.zst") })
    try remove("symbols/images/\(hex.prefix(2))/\(hex).json")
    #expect(try findings(code: 5).contains { $0.contains("nothing of it is retained any more") })
    // Uploading again mends it, and gc sweeps.
    upload()
    #expect(store.run("symbols", "gc").code == 0)
    #expect(try findings(code: 0) == [])
    // And the counts.
    _ = store.run("cluster", Sample.diagnostics)
    #expect(try findings(code: 0) == [])
    try damage("symclust.sqlite")
    #expect(try findings(code: 5).contains { $0.contains("symclust.sqlite") })
  }

  private func findings(code: Int32) throws -> [String] {
    let outcome = store.run("doctor", "--json")
    #expect(outcome.code == code)
    return try (outcome.json()["findings"]?.array ?? []).map { finding in
      ["severity", "place", "problem", "advice"].compactMap { finding[$0]?.string }.joined(separator: " ")
    }
  }

  private func remove(_ name: String) throws {
    #expect(Tool.run("/bin/rm", [store.path + "/" + name]).code == 0)
  }

  private func damage(_ name: String) throws {
    var bytes = contents(of: store.path + "/" + name) ?? []
    guard bytes.count > 200 else { return }
    for index in 100..<200 { bytes[index] ^= 0x55 }
    #expect(Tool.run("/bin/bash", ["-c", "cat > \"$0\"", store.path + "/" + name], input: bytes).code == 0)
  }
}
