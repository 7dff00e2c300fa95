#include "CShims.h"
#include <cxxabi.h>

extern "C" char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

extern "C" char *symclust_cxx_demangle(const char *name) {
  int status = 0;
  return abi::__cxa_demangle(name, nullptr, nullptr, &status);
}

extern "C" char *symclust_swift_demangle(const char *name, size_t length) {
  return swift_demangle(name, length, nullptr, nullptr, 0);
}
