// Spin loops, timers, fences, and how a kernel speaks or gives up.
#include "Cta.h"
#include "Races.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>
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
    default: {
      auto value = next<double>();
      return print(c.text + c.letter, std::isnan(value) ? std::fabs(value) : value); // a NaN's sign tells nothing
    }
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
  std::string note = lane.explanation.empty() ? describe(lane) : std::move(lane.explanation);
  lane.explanation.clear();
  Worker &worker = *lane.cta->worker;
  report(worker, {Report::Kind::Assert, std::string("assertion failed: ") + (message ? message : "?"), site, {{note}}});
  // The block's other threads first come to where they wait or end, so that all is printed that was before this.
  worker.asserted = true;
  block(lane, {});
  leave(lane); // nobody wakes it
}

void explain(ThreadContext *thread, const char *format, const void *arguments, uint32_t) {
  laneOf(thread).explanation = Formatter(arguments).format(format);
}

uint32_t print(ThreadContext *thread, const char *format, const void *arguments, uint32_t coordinates, uint32_t site) {
  constexpr uint32_t kBlockNumbers = 3, kNone = ~0u;
  Lane &lane = laneOf(thread);
  Launch &launch = *lane.cta->worker->launch;
  while (launch.console.isOverfull() && !launch.stopped()) { // the caller's thread is writing
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (launch.stopped()) { // a loop that counts asks nowhere else
    leave(lane);
  }
  Console::Line line{lane.index, site, coordinates != kNone, {}, Formatter(arguments).format(format)};
  if (line.ordered) {
    auto *numbers = static_cast<const int32_t *>(arguments) + kBlockNumbers;
    std::copy_n(numbers, std::min<size_t>(coordinates, line.index.size()), line.index.begin());
  }
  auto size = static_cast<uint32_t>(line.text.size());
  launch.console.add(lane.cta->linear, std::move(line));
  return size;
}

void fence(ThreadContext *thread, FenceKind kind, uint32_t) {
  if (kind == FenceKind::gpu || kind == FenceKind::sys || kind == FenceKind::cluster) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  Lane &lane = laneOf(thread);
  if (lane.cta->checker) {
    lane.cta->checker->fence(lane, kind);
  }
}

void awaitPrevious(ThreadContext *thread, uint32_t) {
  Lane &lane = laneOf(thread);
  if (lane.cta->checker) {
    lane.cta->checker->awaitPrevious(lane);
  }
}

} // namespace calls
} // namespace phobos::host
