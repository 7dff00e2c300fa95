#include "CShims.h"
#include <csetjmp>
#include <cstring>

extern "C" char *_swift_backtrace_demangle(const char *name, size_t length, char *buffer, size_t *size);
extern "C" char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

extern "C" char *symclust_swift_demangle(const char *name, size_t length) {
  return swift_demangle(name, length, nullptr, nullptr, 0);
}

extern "C" char *symclust_swift_demangle_short(const char *name, size_t length) {
  return _swift_backtrace_demangle(name, length, nullptr, nullptr);
}

namespace {
struct Output {
  char *bytes;
  size_t count, capacity;
  jmp_buf full;
};
} // namespace

static void append(const char *text, size_t length, void *context) {
  auto *output = static_cast<Output *>(context);
  // A name of a few hundred bytes can print gigabytes, since its back references double. The printers of libiberty
  // cannot be asked to stop; they keep their state on the stack, so leaving them this way loses nothing.
  if (length > output->capacity - output->count) longjmp(output->full, 1);
  memcpy(output->bytes + output->count, text, length);
  output->count += length;
}

extern "C" ptrdiff_t symclust_demangle_bounded(symclust_demangler demangler, const char *name, int options,
                                               char *buffer, size_t capacity) {
  Output output;
  output.bytes = buffer;
  output.count = 0;
  output.capacity = capacity;
  if (setjmp(output.full) != 0) return -1;
  return demangler(name, options, append, &output) ? ptrdiff_t(output.count) : 0;
}
