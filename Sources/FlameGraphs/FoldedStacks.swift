/// Folded stacks: a line for each chain of calls, outermost first, joined by semicolons, with its weight behind a blank.
///
/// The form that Brendan Gregg's `flamegraph.pl` introduced and most viewers read.
public enum FoldedStacks {
  /// Calls `line` with each line of `tree`, with its line end. Chains without weight of their own have none.
  ///
  /// Cost: the sum of all chains' lengths.
  public static func write(_ tree: CallTree, _ line: (String) -> Void) {
    let tree = tree.sorted
    for (index, node) in tree.nodes.enumerated() where node.own > 0 {
      let names = tree.path(to: index).map { frame in
        frame.image.map { $0 == frame.name ? clean($0) : clean($0) + "`" + clean(frame.name) } ?? clean(frame.name)
      }
      line(names.joined(separator: ";") + " \(node.own)\n")
    }
  }

  /// A name without what separates names and lines; control characters would act on a terminal.
  private static func clean(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { scalar in
          switch scalar {
          case ";": ":"
          case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}": "?"
          default: scalar
          }
        }))
  }
}
