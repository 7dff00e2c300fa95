import Glibc
import JSON

/// Measures `body` and prints one line: what, how many items, how many bytes, and the best and the middle of some runs.
func measure(_ what: String, items: Int, bytes: Int, runs: Int = 5, _ body: () throws -> Int) rethrows {
  var seconds: [Double] = []
  var result = 0
  for _ in 0..<runs {
    let start = now()
    result = try body()
    seconds.append(now() - start)
  }
  seconds.sort()
  var writer = JSONWriter()
  writer.beginObject()
  writer.member("what", what)
  writer.member("items", items)
  writer.member("bytes", bytes)
  writer.member("result", result)
  writer.member("best_seconds", seconds.first)
  writer.member("median_seconds", seconds[seconds.count / 2])
  writer.endObject()
  print(String(decoding: writer.bytes, as: UTF8.self))
}

/// The processor time of this thread: other programs on the machine do not count.
private func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
