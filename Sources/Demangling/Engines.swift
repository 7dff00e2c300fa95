internal import CIberty
internal import CShims
internal import Glibc

/// The demanglers of the platform, bounded: bytes in, text or nothing out. None keeps state; all are thread-safe.
enum Engines {
  /// The longest text that is accepted; longer ones count as failed. Real names print at most some tens of KiB.
  static let textLimit = 1 << 20

  /// The full text of a Swift name; `nil` when it is none.
  static func swift(_ name: String) -> String? { taking(name) { symclust_swift_demangle($0, $1) } }

  /// The text of a Swift name as backtraces show it; `nil` when it is none.
  static func swiftShort(_ name: String) -> String? { taking(name) { symclust_swift_demangle_short($0, $1) } }

  /// The text of an Itanium C++ name; `nil` when it is none or too long.
  static func cxx(_ name: String) -> String? {
    // Beyond 1024 bytes libiberty refuses for fear of the stack; names of templates are longer. With 4096 bytes its
    // recursion stays below 2 MiB, a quarter of a thread's stack.
    guard name.utf8.count <= 4096 else { return nil }
    var options = DMGL_PARAMS | DMGL_ANSI
    if name.utf8.count > 1000 { options |= DMGL_NO_RECURSE_LIMIT }
    return bounded(name, options, cplus_demangle_v3_callback)
  }

  /// The text of a Rust name, without its hash; `nil` when it is none or too long.
  static func rust(_ name: String) -> String? { bounded(name, 0, rust_demangle_callback) }

  private static func bounded(_ name: String, _ options: Int32, _ engine: symclust_demangler) -> String? {
    for capacity in [4096, textLimit] {
      var written = 0
      let text = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        written = buffer.withMemoryRebound(to: CChar.self) {
          symclust_demangle_bounded(engine, name, options, $0.baseAddress, $0.count)
        }
        count = max(written, 0)
      }
      if written == 0 { return nil }
      if written > 0 { return String(decoding: text, as: UTF8.self) }
    }
    return nil
  }

  private static func taking(
    _ name: String, _ demangle: (UnsafePointer<CChar>?, Int) -> UnsafeMutablePointer<CChar>?
  ) -> String? {
    var name = name
    let text: UnsafeMutablePointer<CChar>? = name.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { demangle($0.baseAddress, $0.count) }
    }
    guard let text else { return nil }
    // Safety: the demangler gave a malloc'ed, terminated text that is ours to free.
    defer { free(text) }
    guard strlen(text) <= textLimit else { return nil }
    let result = String(cString: text)
    // A name that cannot be demangled comes back unchanged.
    return result == name ? nil : result
  }
}
