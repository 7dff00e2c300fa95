#ifndef SYMCLUST_CCURL_H
#define SYMCLUST_CCURL_H

#include <stdint.h>

/// What is to be downloaded, and within which limits.
typedef struct {
  const char *url;
  /// Where the body goes; the file is written from its beginning.
  int32_t descriptor;
  int64_t byte_limit;
  int64_t seconds;
  /// How long it may go below 1000 bytes a second.
  int64_t stall_seconds;
  int64_t connect_seconds;
  /// Whether to connect to an address of 4 or 16 bytes; NULL allows all.
  int32_t (*allows)(const uint8_t *address, int32_t count);
} ccurl_request;

/// What came of it.
typedef struct {
  /// The HTTP status; 0 when there was no answer.
  int32_t status;
  /// Whether the body is longer than the limit.
  int32_t is_too_large;
  /// Where the answer leads, or an empty string.
  char redirect[4096];
  /// What the server calls the file (header X-DEBUGINFOD-FILE), or an empty string.
  char name[1024];
  /// Why it failed, or an empty string.
  char problem[512];
} ccurl_answer;

/// Gets one address by HTTP or HTTPS; redirects are told and not followed. Threads may call it at once.
///
/// libcurl is loaded by the first call, so that a program that downloads nothing does not pay for it.
void ccurl_get(const ccurl_request *request, ccurl_answer *answer);

#endif
