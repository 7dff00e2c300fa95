#define _GNU_SOURCE
#include "pier.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { most_actions = 256, most_frames = 2048 };
static struct { const char *name; void (*action)(void); } actions[most_actions];
static int action_count;
static const char *current;
static volatile intptr_t sunk;

void pier_register(const char *name, void (*action)(void)) {
  if (action_count < most_actions) {
    actions[action_count].name = strdup(name);  // Swift lends it for the call only
    actions[action_count++].action = action;
  }
}
intptr_t pier_number(intptr_t value) { return value; }
void pier_sink(intptr_t value) { sunk = value; }
void pier_wait(void) { sleep(10); }

static void *program_counter(const ucontext_t *context) {
#if defined(__x86_64__)
  return (void *)context->uc_mcontext.gregs[REG_RIP];
#else
  return (void *)context->uc_mcontext.pc;
#endif
}

// The process is lost and has one thread that matters: what is not safe in a handler elsewhere is good enough here.
static void record(int number, siginfo_t *info, void *context) {
  static void *frames[most_frames];
  (void)info;
  int count = backtrace(frames, most_frames), first = 0;
  void *exact = program_counter(context);
  while (first < count && frames[first] != exact) first++;
  if (first == count) _exit(3);
  printf("%s\t%d", current, number);
  for (int i = first; i < count; i++) {
    Dl_info where;
    if (!dladdr(frames[i], &where) || !where.dli_fname) continue;
    const char *name = strrchr(where.dli_fname, '/');
    printf("\t%s %zx", name ? name + 1 : where.dli_fname, (size_t)((char *)frames[i] - (char *)where.dli_fbase));
  }
  printf("\n");
  fflush(stdout);
  _exit(0);
}

static __attribute__((noinline)) void send_action(void (*action)(void)) { action(); __asm__ volatile(""); }
static __attribute__((noinline)) void send_event(void (*action)(void)) { send_action(action); __asm__ volatile(""); }

int pier_run(void) {
  static char stack[256 * 1024];
  void *warm[4];
  backtrace(warm, 4);  // loads what it needs before anything dies
  fflush(stdout);
  for (int i = 0; i < action_count; i++) {
    pid_t child = fork();
    if (child == 0) {
      stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
      sigaltstack(&other, 0);
      struct sigaction handler = {.sa_sigaction = record, .sa_flags = SA_SIGINFO | SA_ONSTACK};
      int fatal[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
      for (unsigned n = 0; n < sizeof fatal / sizeof *fatal; n++) sigaction(fatal[n], &handler, 0);
      close(2);
      current = actions[i].name;
      send_event(actions[i].action);
      _exit(4);  // it did not die
    }
    int status = 0;
    waitpid(child, &status, 0);
  }
  return 0;
}
