#include "CShims.h"
#include <setjmp.h>
#include <string.h>

char *_swift_backtrace_demangle(const char *name, size_t length, char *buffer, size_t *size);
char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

char *symclust_swift_demangle(const char *name, size_t length) { return swift_demangle(name, length, NULL, NULL, 0); }

char *symclust_swift_demangle_short(const char *name, size_t length) {
  return _swift_backtrace_demangle(name, length, NULL, NULL);
}

struct output {
  char *bytes;
  size_t count, capacity;
  jmp_buf full;
};

static void append(const char *text, size_t length, void *context) {
  struct output *output = context;
  // A name of a few hundred bytes can print gigabytes, since its back references double. The printers of libiberty
  // cannot be asked to stop; they keep their state on the stack, so leaving them this way loses nothing.
  if (length > output->capacity - output->count) longjmp(output->full, 1);
  memcpy(output->bytes + output->count, text, length);
  output->count += length;
}

ptrdiff_t symclust_demangle_bounded(symclust_demangler demangler, const char *name, int options, char *buffer,
                                    size_t capacity) {
  struct output output = {.bytes = buffer, .count = 0, .capacity = capacity};
  if (setjmp(output.full) != 0) return -1;
  return demangler(name, options, append, &output) ? (ptrdiff_t)output.count : 0;
}
