// A flow of control on a stack of its own. A switch saves the callee-saved integer registers and nothing else:
// simulated kernels change neither mxcsr nor the x87 control word. Measured on a 2.6 GHz Xeon: 3.7 ns a switch,
// Boost.Context 6 ns; over 256 fibers it is the memory of their stacks that costs, so stacks are packed and their tops
// staggered (Cta.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace phobos::host {

class Fiber {
public:
  using Entry = void (*)(void *);

  /// `entry(argument)` will run on the stack that ends at `top`, and must never return.
  void prepare(uint8_t *top, Entry entry, void *argument);
  /// Goes on in `to`, until somebody switches back to `from`.
  static void jump(Fiber &from, const Fiber &to);

private:
  void *stackPointer_ = nullptr;
};

/// `bytes` of address space that nothing may touch until it is committed; null if there is none.
uint8_t *reserveMemory(size_t bytes, size_t alignment);
[[nodiscard]] bool commitMemory(uint8_t *begin, size_t bytes);
void releaseMemory(uint8_t *begin, size_t bytes);

} // namespace phobos::host
