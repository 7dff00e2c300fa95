import Glibc
import Testing

/// Runs `body` on a thread with a stack of 64 KiB and waits for it.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
  final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setstacksize(&attributes, 64 << 10)
  var thread = pthread_t()
  let work = Unmanaged.passRetained(Work(body)).toOpaque()
  let status = pthread_create(
    &thread, &attributes,
    { pointer in
      if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
      return nil
    }, work)
  #expect(status == 0)
  pthread_join(thread, nil)
  pthread_attr_destroy(&attributes)
}
