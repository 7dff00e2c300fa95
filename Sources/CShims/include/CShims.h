// The few lines of C and C++ that Swift cannot call directly.
#ifndef SYMCLUST_CSHIMS_H
#define SYMCLUST_CSHIMS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// CRC-32C of `count` bytes, continuing from `crc` (0 to start).
uint32_t symclust_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The Swift runtime's demangler (swift_demangle, flags 0): the full text with all types. The result is malloc'ed; NULL
/// when the name is not one.
char *symclust_swift_demangle(const char *name, size_t length);

/// The Swift runtime's demangler as its backtraces show names (_swift_backtrace_demangle): no modules, no types, async
/// parts folded. The result is malloc'ed; NULL when the name is not one.
char *symclust_swift_demangle_short(const char *name, size_t length);

/// A demangler of libiberty that hands its output to a callback piece by piece and returns 0 on failure.
typedef int (*symclust_demangler)(const char *name, int options, void (*callback)(const char *, size_t, void *),
                                  void *context);

/// Runs `demangler` and writes at most `capacity` bytes to `buffer`, without a terminating zero. Returns the number of
/// bytes, 0 when the name is not one, -1 when the output would be longer.
ptrdiff_t symclust_demangle_bounded(symclust_demangler demangler, const char *name, int options, char *buffer,
                                    size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
