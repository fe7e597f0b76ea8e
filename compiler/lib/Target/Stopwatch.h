// How long each step of compiling took, one after the other.
#pragma once

#include <chrono>

namespace phobos::target {

class Stopwatch {
public:
  /// Milliseconds since the last lap.
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double passed = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return passed;
  }

private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

} // namespace phobos::target
