// Preloaded into the program: the FAULT_AT-th change of a file fails, or ends the process as kill -9 does.
//
// FAULT_MODE  kill, enospc or eio
// FAULT_LOG   a file that gets one byte for each change, so that a test knows how many there are
//
// Only regular files and their folders count, and only in the program itself: its helper processes read and report.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static long changes;
static int is_helper = -1;

static int helper(void) {
  if (is_helper < 0) {
    char line[4096];
    int file = open("/proc/self/cmdline", O_RDONLY);
    ssize_t count = file < 0 ? 0 : read(file, line, sizeof line);
    if (file >= 0) close(file);
    is_helper = 0;
    for (ssize_t at = 0; at + 14 <= count; at++)
      if (!memcmp(line + at, "--index-worker", 14)) is_helper = 1;
  }
  return is_helper;
}

// Whether this change is the one that fails; errno says how.
static int fails(void) {
  if (helper()) return 0;
  long number = __atomic_add_fetch(&changes, 1, __ATOMIC_SEQ_CST);
  const char *log = getenv("FAULT_LOG"), *at = getenv("FAULT_AT"), *mode = getenv("FAULT_MODE");
  if (log) {
    int file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file >= 0) { syscall(SYS_write, file, "x", 1); close(file); }
  }
  if (!at || !mode || number != atol(at)) return 0;
  if (!strcmp(mode, "kill")) kill(getpid(), SIGKILL);
  errno = !strcmp(mode, "eio") ? EIO : ENOSPC;
  return 1;
}

static int is_file(int file) {
  struct stat status;
  int before = errno;
  int is = fstat(file, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
  errno = before;
  return is;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t count) {
  // What is said to people is not the store's.
  if (file > 2 && is_file(file) && fails()) return -1;
  return NEXT(write)(file, bytes, count);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
  if (is_file(file) && fails()) return -1;
  return NEXT(pwrite)(file, bytes, count, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  if (is_file(file) && fails()) return -1;
  return NEXT(pwrite64)(file, bytes, count, at);
}
int fsync(int file) { return fails() ? -1 : NEXT(fsync)(file); }
int fdatasync(int file) { return fails() ? -1 : NEXT(fdatasync)(file); }
int ftruncate(int file, off_t size) { return fails() ? -1 : NEXT(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) { return fails() ? -1 : NEXT(ftruncate64)(file, size); }
int rename(const char *from, const char *to) { return fails() ? -1 : NEXT(rename)(from, to); }
int link(const char *from, const char *to) { return fails() ? -1 : NEXT(link)(from, to); }
int mkdir(const char *path, mode_t mode) {
  // A folder that is there is no change.
  if (access(path, F_OK) != 0 && fails()) return -1;
  return NEXT(mkdir)(path, mode);
}
