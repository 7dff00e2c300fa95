// What names.cpp inlines from another file: nested calls, a macro with a body of several lines, a template's recursion.
#pragma once

namespace outer {
inline namespace v2 {

template <int Depth> struct Ladder {
  static inline int climb(int value) { return Ladder<Depth - 1>::climb(value * 3 + Depth) ^ value; }
};
template <> struct Ladder<0> {
  static inline int climb(int value) {
    extern volatile int ladder_sink;
    ladder_sink = value;
    return value + 1;
  }
};

#define SPREAD(target, value)       \
  do {                              \
    int spread_first = (value) * 7; \
    target += spread_first;         \
    target ^= spread_first >> 2;    \
  } while (0)

template <typename Value, typename... Rest> inline Value total(Value first, Rest... rest) {
  if constexpr (sizeof...(Rest) == 0) return first;
  else return first + total(static_cast<Value>(rest)...);
}

}  // namespace v2
}  // namespace outer
