// Spin loops, timers, fences, and how a kernel speaks or gives up.
#include "Cta.h"
#include "Global.h"
#include "Races.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <x86intrin.h>

namespace phobos::host {
namespace {

struct Conversion {
  std::string text; // "%5.2f" without a length modifier
  char letter = 0;
  bool wide = false; // %lld, %ld, %zu
};

/// One conversion of a printf format, beginning after its '%'; `format` moves behind it.
Conversion parseConversion(const char *&format) {
  Conversion c{"%"};
  while (*format && std::strchr("-+ #0123456789.", *format)) {
    c.text += *format++;
  }
  while (*format && std::strchr("hljztL", *format)) {
    c.wide |= *format != 'h';
    ++format;
  }
  c.letter = *format ? *format++ : 0;
  return c;
}

/// CUDA's vprintf: arguments each at a multiple of their size, floats as double.
class Formatter {
public:
  explicit Formatter(const void *arguments) : base(static_cast<const char *>(arguments)) {}

  std::string format(const char *format) {
    std::string out;
    while (*format) {
      if (*format != '%') {
        out += *format++;
      } else if (*++format == '%') {
        out += *format++;
      } else {
        out += convert(parseConversion(format));
      }
    }
    return out;
  }

private:
  template <typename T> T next() {
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, base + at, sizeof value);
    at += sizeof(T);
    return value;
  }
  template <typename T> static std::string print(const std::string &format, T value) {
    char buffer[512];
    std::snprintf(buffer, sizeof buffer, format.c_str(), value);
    return buffer;
  }
  std::string convert(const Conversion &c) {
    switch (c.letter) {
    case 'd':
    case 'i':
      return print(c.text + "lld", c.wide ? next<long long>() : static_cast<long long>(next<int>()));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return print(c.text + "ll" + c.letter,
                   c.wide ? next<unsigned long long>() : static_cast<unsigned long long>(next<unsigned>()));
    case 'c':
      return print(c.text + "c", next<int>());
    case 's': {
      auto *text = next<const char *>();
      return print(c.text + "s", text ? text : "(null)");
    }
    case 'p':
      return print("%p", next<void *>());
    case 0:
      return c.text;
    default:
      return print(c.text + c.letter, next<double>());
    }
  }

  const char *base;
  size_t at = 0;
};

} // namespace

namespace calls {

void yield(ThreadContext *thread, uint32_t) { passTurn(laneOf(thread)); }

void sleep(ThreadContext *thread, uint32_t, uint32_t) { passTurn(laneOf(thread)); }

void stop(ThreadContext *thread) { leave(laneOf(thread)); }

uint64_t clock(ThreadContext *) { return __rdtsc(); }

uint64_t globalTimer(ThreadContext *) {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void trap(ThreadContext *thread, uint32_t site) {
  Lane &lane = laneOf(thread);
  fail(lane, {Report::Kind::Trap, "the kernel trapped", site, {{describe(lane)}}});
}

void assertFail(ThreadContext *thread, const char *message, const char *file, uint32_t line, const char *function,
                uint32_t site) {
  Lane &lane = laneOf(thread);
  fail(lane,
       {Report::Kind::Assert, std::string("assertion failed: ") + (message ? message : "?"), site, {{describe(lane)}}});
}

uint32_t print(ThreadContext *, const char *format, const void *arguments, uint32_t) {
  std::string text = Formatter(arguments).format(format);
  static std::mutex mutex; // lines of two workers stay whole
  std::lock_guard lock(mutex);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  return static_cast<uint32_t>(text.size());
}

void fence(ThreadContext *thread, FenceKind kind, uint32_t) {
  Lane &lane = laneOf(thread);
  if (kind == FenceKind::gpu || kind == FenceKind::sys || kind == FenceKind::cluster) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (GlobalChecker *global = lane.cta->worker->launch->global.get()) {
      global->fence(lane);
    }
  }
  if (lane.cta->checker) {
    lane.cta->checker->fence(lane, kind);
  }
}

} // namespace calls
} // namespace phobos::host
