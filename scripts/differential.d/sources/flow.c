/* Control flow in C: jump tables, tail calls, functions without a body, code in sections of its own. Never run. */
extern int outside_call(int);
extern void never(int) __attribute__((noreturn));
#ifdef __APPLE__
#define ELSEWHERE __attribute__((section("__TEXT,__elsewhere,regular,pure_instructions")))
#else
#define ELSEWHERE __attribute__((section(".text.elsewhere")))
#endif

void empty(void) {}

__attribute__((cold, noinline)) static void report(int code) { outside_call(code); outside_call(code + 1); }

static inline __attribute__((always_inline)) int clamp(int value, int low, int high) {
  if (value < low) return low;
  return value > high ? high : value;
}

int dispatch(int operation, int a, int b) {
  switch (operation) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: if (!b) report(3); return b ? a / b : 0;
    case 4: return clamp(a, b, b + 10);
    case 5: return outside_call(a);
    case 6: return outside_call(b) - a;
    case 7: never(a);
    case 8: return clamp(outside_call(a), 1, 9) * b;
    default: report(operation); return -1;
  }
}

int tail(int value) { return outside_call(value * 2 + 1); }

int jumps(const unsigned char *code) {
  static const void *const table[] = {&&add, &&twice, &&done};
  int value = 0;
next:
  goto *table[*code++ % 3];
add: value += *code++; goto next;
twice: value *= 2; goto next;
done: return value;
}

long loops(const long *values, long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) {
    long value = values[i];
    if (value < 0) { report((int)i); continue; }
    for (long j = 0; j < value; j++) sum += clamp((int)(values[j] ^ i), 2, 200);
  }
  return sum;
}

ELSEWHERE int elsewhere(int value) { return clamp(value, -5, 5) + outside_call(value); }

static int same_name(int value) { return outside_call(value) + 10; }
int (*flow_pointer)(int) = same_name;

int early(int *a, int *b) {
  if (!a) return -1;
  if (!b) return -2;
  int first = *a, second = *b; *a = second; *b = first; return first < second ? same_name(first) : same_name(second) - 1;
}

int ends_badly(int value) { if (value) return outside_call(value); __builtin_unreachable(); }

#ifdef __ELF__
__attribute__((visibility("hidden"))) void *__dso_handle = 0;
int aliased(int value) { return outside_call(value) ^ 3; }
int other_name(int value) __attribute__((alias("aliased")));
int weak_name(int value) __attribute__((weak, alias("aliased")));
static int chosen(int value) { return value + 1; }
int (*choose(void))(int) { return chosen; }
int by_processor(int value) __attribute__((ifunc("choose")));
#endif

int final(int value) { if (value > 3) outside_call(value); never(value); }
