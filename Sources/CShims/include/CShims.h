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

/// The Itanium C++ ABI demangler (abi::__cxa_demangle). The result is malloc'ed; NULL when the name is not one.
char *symclust_cxx_demangle(const char *name);

/// The Swift runtime's demangler (swift_demangle, flags 0). The result is malloc'ed; NULL when the name is not one.
char *symclust_swift_demangle(const char *name, size_t length);

#ifdef __cplusplus
}
#endif
#endif
