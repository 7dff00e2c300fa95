import FlameGraphs
import JSON
import TestSupport
import Testing

/// Chains of names, outermost first, with weights; a name in capitals is of the system.
private func tree(_ chains: [(String, UInt64)]) -> CallTree {
  var tree = CallTree()
  for (names, weight) in chains {
    var node = -1
    for name in names.split(separator: ";").map(String.init) {
      let isSystem = name == name.uppercased()
      node = tree.child(of: node, CallTreeFrame(name: name, image: isSystem ? "Kit" : "App", isSystem: isSystem))
    }
    tree.add(weight, to: node)
  }
  return tree
}

private func folded(_ tree: CallTree) -> [String] {
  var lines: [String] = []
  FoldedStacks.write(tree) { lines.append($0) }
  return lines
}

@Suite("A call tree")
struct CallTreeTests {
  private let chains: [(String, UInt64)] = [("main;b;X", 3), ("main;a", 5), ("main;b", 1), ("main;b;Y", 3), ("z", 5)]

  @Test("is the same in whatever order its stacks came")
  func order() {
    let expected = tree(chains).sorted.nodes
    #expect(expected.map(\.frame.name) == ["main", "b", "X", "Y", "a", "z"])
    #expect(expected.map(\.total) == [12, 7, 3, 3, 5, 5] && expected.map(\.own) == [0, 1, 3, 3, 5, 5])
    #expect(expected.map(\.depth) == [0, 1, 2, 2, 1, 0] && expected.map(\.parent) == [-1, 0, 1, 1, 0, -1])
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<20 { #expect(tree(chains.shuffled(using: &generator)).sorted.nodes == expected) }
  }

  @Test("sums without overflow, and takes any depth")
  func limits() {
    let deep = Array(repeating: "f", count: 50_000).joined(separator: ";")
    let tree = tree([(deep, .max), (deep, .max), ("g", 1)])
    #expect(tree.total == .max && tree.sorted.nodes.count == 50_001)
    #expect(folded(tree).count == 2)
  }
}

@Suite("Folded stacks")
struct FoldedStacksTests {
  @Test("have a line for each chain with weight of its own")
  func lines() {
    #expect(folded(tree([("main;b;X", 3), ("main;b", 1)])) == ["App`main;App`b 1\n", "App`main;App`b;Kit`X 3\n"])
    #expect(folded(tree([])) == [])
  }

  @Test("have one line for each, whatever a name holds")
  func hostile() {
    var tree = CallTree()
    tree.add(1, to: tree.child(of: -1, CallTreeFrame(name: "a;b\n\u{1b}[2J c", image: "x\r;")))
    #expect(folded(tree) == ["x?:`a:b??[2J c 1\n"])
  }
}

@Suite("Speedscope")
struct SpeedscopeTests {
  @Test("gets every frame once, and samples with weights that sum up")
  func document() throws {
    var writer = JSONWriter()
    Speedscope.write(tree([("main;b;X", 3), ("main;a", 5), ("b;main", 1)]), named: "x", to: &writer)
    let document = try JSONValue.parse(try writer.finish())
    let names = (document["shared"]?["frames"]?.array ?? []).compactMap { $0["name"]?.string }
    #expect(names.sorted() == ["X", "a", "b", "main"])
    let profile = try #require(document["profiles"]?.array?.first)
    let samples = (profile["samples"]?.array ?? []).map { sample in (sample.array ?? []).map { names[Int($0.int ?? 0)] }
    }
    #expect(samples == [["main", "a"], ["main", "b", "X"], ["b", "main"]])
    #expect((profile["weights"]?.array ?? []).map(\.int) == [5, 3, 1])
    #expect(profile["endValue"]?.int == 9 && profile["type"]?.string == "sampled")
  }
}

@Suite("A flame graph")
struct FlameGraphTests {
  @Test("draws each box as wide as its share, below its caller")
  func geometry() throws {
    let svg = FlameGraph(title: "t").svg(tree([("main;a", 3), ("main;B", 1)]))
    let boxes = svg.split(separator: "\n").filter { $0.hasPrefix("<g ") }
    #expect(boxes.count == 3)
    #expect(boxes[0].contains(#"x="0" y="40" width="1200""#) && boxes[0].contains("main — App: 100 %, 0 % in it"))
    #expect(
      boxes[1].contains(#"x="0" y="58" width="900""#) && boxes[1].contains("a — App: 75 %, 75 % in it"))
    #expect(boxes[2].contains(#"x="900" y="58" width="300""#) && boxes[2].hasPrefix(#"<g class="s">"#))
  }

  @Test("is well-formed and has no markup from names", arguments: [false, true])
  func hostile(isPage: Bool) throws {
    var tree = CallTree()
    for name in ["</title><script>x</script>", "\" onload=\"x", "a&b", "\u{202e}evil\u{0}", "<![CDATA[", "-->"] {
      tree.add(1, to: tree.child(of: -1, CallTreeFrame(name: name, image: name)))
    }
    let graph = FlameGraph(title: "<script>&\"")
    let text = isPage ? graph.html(tree) : graph.svg(tree)
    #expect(!text.contains("<script") && !text.contains("\u{202e}") && !text.contains("\" onload"))
    if !isPage {
      let folder = try #require(TemporaryFolder("svg"))
      let path = folder.write(Array(text.utf8), to: "g.svg")
      let parsed = Tool.run(
        "/usr/bin/python3",
        ["-c", "import sys,xml.dom.minidom as m; print(len(m.parse(sys.argv[1]).getElementsByTagName('rect')))", path])
      #expect(parsed.text == "6\n", "\(parsed.errorText)")
    }
  }

  @Test("says so when it is cut, and when there is nothing")
  func cut() {
    let deep = Array(repeating: "f", count: 1_000).joined(separator: ";")
    #expect(FlameGraph(title: "t").svg(tree([(deep, 1)])).contains("calls below 400 levels are not drawn"))
    #expect(FlameGraph(title: "t").svg(tree([])).contains("no samples"))
  }
}
