// Names and calls that symbolicators are known to get wrong. Never run: it only has to make debug information.
#include "names.hpp"

extern "C" void outside(int) noexcept(false);
extern "C" [[noreturn]] void stop(const char *);
namespace outer { inline namespace v2 { volatile int ladder_sink; } }

namespace {
int hidden(int value) { outside(value); return value * 5; }
struct Guarded {
  int value;
  Guarded() : value(hidden(3)) {}
  ~Guarded() { outside(value); }
};
thread_local int per_thread = 4;
}  // namespace

struct Base {
  virtual ~Base();
  virtual int weigh(int value) { return value; }
  int base = 1;
};
struct Left : virtual Base {
  ~Left() override;
  int weigh(int value) override;
  int left = 2;
};
struct Right : virtual Base {
  ~Right() override { outside(right); }
  int weigh(int value) override { return value - right; }
  int right = 3;
};
struct Both final : Left, Right {
  Both();
  ~Both() override;
  int weigh(int value) override;
  explicit operator bool() const { return base != 0; }
  int operator()(int value) const { return outer::total(value, 2, 3L, base); }
};

Base::~Base() { outside(base); }
Left::~Left() { outside(left); }
int Left::weigh(int value) { return value << left; }
Both::Both() { outside(outer::Ladder<4>::climb(left)); }
Both::~Both() = default;
int Both::weigh(int value) {
  int sum = (*this)(value);
  SPREAD(sum, value);
  return sum + Left::weigh(value);
}

template <typename Value> struct Holder {
  Value value;
  template <typename Other> __attribute__((noinline)) Value mixed(Other other) const {
    auto inner = [this, other](auto scale) { return value * static_cast<Value>(other) + static_cast<Value>(scale); };
    return inner(2) + inner(2.5f);
  }
};
template struct Holder<long>;
template long Holder<long>::mixed<char>(char) const;
template double Holder<double>::mixed<int>(int) const;

[[gnu::abi_tag("second")]] int tagged(int value) { return value + per_thread; }
int renamed(int value) __asm__("renamed$by.assembler");
int renamed(int value) { return value ^ 0x55; }

// Two functions with one body: folded by linkers that are asked to.
__attribute__((noinline)) int twin_one(int value) { outside(value); return value * 77 + 5; }
__attribute__((noinline)) int twin_two(int value) { outside(value); return value * 77 + 5; }

int guarded_local(int value) {
  static Guarded once;
  struct Local {
    static int step(int value) { return hidden(value) + 1; }
  };
  return Local::step(value) + once.value;
}

int rare(int value) {
  if (__builtin_expect(value < -1000, 0)) {
    outside(value);
    outside(value + 1);
    stop("value is far too small");
  }
  try {
    outside(value);
  } catch (int thrown) {
    return hidden(thrown);
  } catch (...) {
    outside(-1);
    throw;
  }
  return value;
}

// Ends in a call that never returns: the next function begins right behind the call.
[[noreturn]] void last_call(int value) { outside(value); stop("last"); }

#line 9000 "made/by/a/generator.inc"
int from_elsewhere(int value) { int sum = value; for (int i = 0; i < value; i++) sum += outer::Ladder<2>::climb(i); return sum; }
#line 106 "names.cpp"

static Guarded at_start;

extern "C" int names_entry(int value) {
  Both both;
  Holder<long> held{value};
  Holder<double> other{0.5};
  int sum = both.weigh(value) + static_cast<int>(held.mixed('a') + other.mixed(value));
  auto later = [&](int more) { SPREAD(sum, more); return rare(more); };
  sum += later(value) + later(value + 1) + guarded_local(value) + tagged(value) + renamed(value);
  sum += twin_one(value) + twin_two(value) + from_elsewhere(value);
  if (sum == 12345) last_call(sum);
  return both ? sum : outer::Ladder<6>::climb(sum);
}
