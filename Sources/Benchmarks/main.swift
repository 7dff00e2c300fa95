// What scripts/bench measures inside one process: the rooms themselves, without the start of a program and without the
// text that the command line writes. Not part of the product. Each measurement is one JSON line.
import Bytes
import Diagnostics
import Glibc
import Identity
import JSON
import SymbolIndex

let usage = """
  usage: symclust-bench read FILE… | lookups INDEX ADDRESSES

  read      JSON events alone, whole diagnostics, and SHA-256, over the bytes of all files (one document a line in .jsonl)
  lookups   all hexadecimal offsets of ADDRESSES in one index, with all texts built

  """

var arguments = Array(CommandLine.arguments.dropFirst())
do {
  switch arguments.isEmpty ? "" : arguments.removeFirst() {
  case "read": try ReadingBenchmark(paths: arguments).run()
  case "lookups" where arguments.count == 2: try LookupBenchmark(index: arguments[0], addresses: arguments[1]).run()
  default:
    complain(usage)
    exit(64)
  }
} catch {
  complain("symclust-bench: \(error)\n")
  exit(1)
}

func complain(_ text: String) { _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) } }
