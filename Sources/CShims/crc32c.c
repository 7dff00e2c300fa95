#include "CShims.h"
#include <string.h>

// Castagnoli's polynomial 0x1EDC6F41, reflected: 0x82F63B78 (RFC 3720, B.4).

static uint32_t table_step(uint32_t crc, const unsigned char *p, size_t n) {
  while (n--) {
    crc ^= *p++;
    for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (0x82F63B78u & (0u - (crc & 1u)));
  }
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2")))
static uint32_t hardware_step(uint32_t crc, const unsigned char *p, size_t n) {
  uint64_t state = crc;
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    state = __builtin_ia32_crc32di(state, word);
  }
  uint32_t rest = (uint32_t)state;
  while (n--) rest = __builtin_ia32_crc32qi(rest, *p++);
  return rest;
}
#endif

uint32_t symclust_crc32c(uint32_t crc, const void *bytes, size_t count) {
  crc = ~crc;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~hardware_step(crc, bytes, count);
#endif
  return ~table_step(crc, bytes, count);
}
