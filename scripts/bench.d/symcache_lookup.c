// symcache_lookup LIBRARY SYMCACHE OFFSETS: looks every offset up through the C interface that Sentry's symbolic is used by
// from other languages, frames built with all their texts, and prints the seconds of the processor that it took.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// As in the header of symbolic-cabi.
struct text { char *bytes; uintptr_t count; bool owned; };
struct frame { uint64_t function, instruction; uint32_t line; struct text language, symbol, path; };
struct answer { struct frame *frames; uintptr_t count; };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count != 4) return 64;
  void *library = dlopen(words[1], RTLD_NOW);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  void (*begin)(void) = (void (*)(void))dlsym(library, "symbolic_init");
  void *(*open)(const char *) = (void *(*)(const char *))dlsym(library, "symbolic_symcache_open");
  struct answer (*look)(void *, uint64_t) = (struct answer (*)(void *, uint64_t))dlsym(library, "symbolic_symcache_lookup");
  void (*release)(struct answer *) = (void (*)(struct answer *))dlsym(library, "symbolic_lookup_result_free");
  if (!open || !look || !release) return fprintf(stderr, "no such functions in %s\n", words[1]), 1;
  if (begin) begin();
  FILE *file = fopen(words[3], "r");
  uint64_t *offsets = malloc(sizeof(uint64_t) << 20);
  size_t offset_count = 0, frames = 0;
  while (file && offset_count < 1 << 20 && fscanf(file, "%lx", &offsets[offset_count]) == 1) offset_count++;
  void *cache = open(words[2]);
  if (!cache || !offset_count) return fprintf(stderr, "cannot read\n"), 1;
  double best = 1e9;
  for (int run = 0; run < 3; run++) {
    double start = now();
    frames = 0;
    for (size_t i = 0; i < offset_count; i++) {
      struct answer answer = look(cache, offsets[i]);
      frames += answer.count;
      release(&answer);
    }
    if (now() - start < best) best = now() - start;
  }
  printf("{\"items\":%zu,\"result\":%zu,\"best_seconds\":%.6f}\n", offset_count, frames, best);
  return 0;
}
