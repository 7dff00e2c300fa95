#include "CCurl.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

// The functions of libcurl that are used, found at run time. curl_easy_setopt takes arguments of many types, which is
// why this is not Swift.
static struct {
  __typeof__(curl_global_init) *global_init;
  __typeof__(curl_easy_init) *init;
  CURLcode (*setopt)(CURL *, CURLoption, ...);
  __typeof__(curl_easy_perform) *perform;
  CURLcode (*getinfo)(CURL *, CURLINFO, ...);
  __typeof__(curl_easy_strerror) *strerror;
  __typeof__(curl_easy_cleanup) *cleanup;
} curl;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char loading_problem[256];

static void *find(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (!function && !loading_problem[0])
    snprintf(loading_problem, sizeof loading_problem, "libcurl has no %s", name);
  return function;
}

static void load(void) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(loading_problem, sizeof loading_problem, "libcurl cannot be loaded (apt install libcurl4): %s", dlerror());
    return;
  }
  curl.global_init = find(library, "curl_global_init");
  curl.init = find(library, "curl_easy_init");
  curl.setopt = find(library, "curl_easy_setopt");
  curl.perform = find(library, "curl_easy_perform");
  curl.getinfo = find(library, "curl_easy_getinfo");
  curl.strerror = find(library, "curl_easy_strerror");
  curl.cleanup = find(library, "curl_easy_cleanup");
  if (!loading_problem[0] && curl.global_init(CURL_GLOBAL_ALL) != CURLE_OK)
    snprintf(loading_problem, sizeof loading_problem, "libcurl cannot be started");
}

typedef struct {
  const ccurl_request *request;
  ccurl_answer *answer;
  CURL *handle;
  int64_t bytes;
  int write_error;
} transfer;

// The body of any answer but 200 is of no use; reading it to its end would be at the server's mercy.
static size_t write_body(char *bytes, size_t size, size_t count, void *context) {
  transfer *state = context;
  size_t length = size * count;
  long status = 0;
  curl.getinfo(state->handle, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) return 0;
  if ((int64_t)length > state->request->byte_limit - state->bytes) {
    state->answer->is_too_large = 1;
    return 0;
  }
  state->bytes += (int64_t)length;
  size_t done = 0;
  while (done < length) {
    ssize_t written = write(state->request->descriptor, bytes + done, length - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      state->write_error = errno;
      return 0;
    }
    done += (size_t)written;
  }
  return length;
}

// Keeps the name that the server has for the file.
static size_t read_header(char *bytes, size_t size, size_t count, void *context) {
  static const char key[] = "x-debuginfod-file:";
  transfer *state = context;
  size_t length = size * count;
  if (length <= sizeof key || strncasecmp(bytes, key, sizeof key - 1) != 0) return length;
  const char *start = bytes + sizeof key - 1, *end = bytes + length;
  while (start < end && *start == ' ') start++;
  while (end > start && (end[-1] == '\r' || end[-1] == '\n')) end--;
  if ((size_t)(end - start) < sizeof state->answer->name) memcpy(state->answer->name, start, (size_t)(end - start));
  return length;
}

// Asked with the address itself, so that no name and no spelling of it gets past.
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  transfer *state = context;
  const uint8_t *bytes = NULL;
  int32_t count = 0;
  if (address->family == AF_INET) {
    bytes = (const uint8_t *)&((struct sockaddr_in *)&address->addr)->sin_addr;
    count = 4;
  } else if (address->family == AF_INET6) {
    bytes = (const uint8_t *)&((struct sockaddr_in6 *)&address->addr)->sin6_addr;
    count = 16;
  }
  int32_t (*allows)(const uint8_t *, int32_t) = state->request->allows;
  if (allows && (purpose != CURLSOCKTYPE_IPCXN || !bytes || !allows(bytes, count))) {
    snprintf(state->answer->problem, sizeof state->answer->problem, "it leads to an address that is not public");
    return CURL_SOCKET_BAD;
  }
  // Processes that other threads start have no business with it.
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void ccurl_get(const ccurl_request *request, ccurl_answer *answer) {
  memset(answer, 0, sizeof *answer);
  pthread_once(&once, load);
  if (loading_problem[0]) {
    snprintf(answer->problem, sizeof answer->problem, "%s", loading_problem);
    return;
  }
  CURL *handle = curl.init();
  if (!handle) {
    snprintf(answer->problem, sizeof answer->problem, "libcurl has no memory");
    return;
  }
  transfer state = {.request = request, .answer = answer, .handle = handle};
  char detail[CURL_ERROR_SIZE] = "";
  curl.setopt(handle, CURLOPT_URL, request->url);
  curl.setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl.setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl.setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl.setopt(handle, CURLOPT_USERAGENT, "symclust");
  curl.setopt(handle, CURLOPT_TIMEOUT, (long)request->seconds);
  curl.setopt(handle, CURLOPT_CONNECTTIMEOUT, (long)request->connect_seconds);
  curl.setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1000L);
  curl.setopt(handle, CURLOPT_LOW_SPEED_TIME, (long)request->stall_seconds);
  curl.setopt(handle, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)request->byte_limit);
  curl.setopt(handle, CURLOPT_ERRORBUFFER, detail);
  curl.setopt(handle, CURLOPT_WRITEFUNCTION, write_body);
  curl.setopt(handle, CURLOPT_WRITEDATA, &state);
  curl.setopt(handle, CURLOPT_HEADERFUNCTION, read_header);
  curl.setopt(handle, CURLOPT_HEADERDATA, &state);
  curl.setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl.setopt(handle, CURLOPT_OPENSOCKETDATA, &state);
  CURLcode code = curl.perform(handle);
  long status = 0;
  const char *redirect = NULL;
  curl.getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  curl.getinfo(handle, CURLINFO_REDIRECT_URL, &redirect);
  answer->status = (int32_t)status;
  // One that does not fit is no address of ours.
  if (redirect && strlen(redirect) < sizeof answer->redirect) strcpy(answer->redirect, redirect);
  if (code == CURLE_FILESIZE_EXCEEDED) answer->is_too_large = 1;
  if (code == CURLE_WRITE_ERROR && status != 200) code = CURLE_OK;
  if (state.write_error) {
    snprintf(answer->problem, sizeof answer->problem, "cannot write what comes: %s", strerror(state.write_error));
  } else if (code != CURLE_OK && !answer->problem[0]) {
    snprintf(answer->problem, sizeof answer->problem, "%s", detail[0] ? detail : curl.strerror(code));
  }
  curl.cleanup(handle);
}
