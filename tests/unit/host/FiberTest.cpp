// Fibers: a switch keeps what the calling convention says it keeps, and each has its own stack.
#include "../../../runtime/host/Fiber.h"

#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace phobos::host;

constexpr size_t kStackBytes = 64 * 1024;

struct Ring {
  Fiber main;
  std::vector<Fiber> fibers;
  std::vector<uint64_t> sums;
  int rounds = 0;
};

struct Place {
  Ring *ring;
  size_t index;
};

void walk(void *argument) {
  auto &place = *static_cast<Place *>(argument);
  Ring &ring = *place.ring;
  volatile uint64_t onTheStack[64];
  double real = 1.0 + static_cast<double>(place.index);
  for (;;) {
    for (size_t i = 0; i < 64; ++i) {
      onTheStack[i] = place.index * 1000 + i;
    }
    bool last = place.index + 1 == ring.fibers.size();
    Fiber::jump(ring.fibers[place.index], last ? ring.main : ring.fibers[place.index + 1]);
    for (size_t i = 0; i < 64; ++i) {
      ring.sums[place.index] += onTheStack[i] == place.index * 1000 + i;
    }
    ring.sums[place.index] += real == 1.0 + static_cast<double>(place.index);
  }
}

TEST(Fiber, EachKeepsItsStackThroughSwitches) {
  constexpr size_t kFibers = 100;
  constexpr uint64_t kRounds = 50;
  uint8_t *stacks = reserveMemory(kStackBytes * kFibers, 4096);
  ASSERT_NE(stacks, nullptr);
  ASSERT_TRUE(commitMemory(stacks, kStackBytes * kFibers));
  Ring ring;
  ring.fibers.resize(kFibers);
  ring.sums.resize(kFibers);
  std::vector<Place> places;
  for (size_t i = 0; i < kFibers; ++i) {
    places.push_back({&ring, i});
  }
  for (size_t i = 0; i < kFibers; ++i) {
    ring.fibers[i].prepare(stacks + kStackBytes * (i + 1) - i % 61 * 64, walk, &places[i]);
  }
  for (uint64_t round = 0; round <= kRounds; ++round) {
    Fiber::jump(ring.main, ring.fibers[0]);
  }
  for (uint64_t sum : ring.sums) {
    EXPECT_EQ(sum, 65 * kRounds);
  }
  releaseMemory(stacks, kStackBytes * kFibers);
}

TEST(Fiber, StackIsAlignedAtEntry) {
  static Fiber main, fiber;
  static uintptr_t frame;
  uint8_t *stack = reserveMemory(kStackBytes, 4096);
  ASSERT_NE(stack, nullptr);
  ASSERT_TRUE(commitMemory(stack, kStackBytes));
  auto entry = [](void *) {
    alignas(16) volatile char probe[16] = {};
    frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    probe[0] = 1;
    Fiber::jump(fiber, main);
  };
  fiber.prepare(stack + kStackBytes - 40, entry, nullptr); // whatever top it is given
  Fiber::jump(main, fiber);
  EXPECT_EQ(frame % 16, 0u);
  releaseMemory(stack, kStackBytes);
}

TEST(Memory, ReservedAtTheAlignmentAskedFor) {
  constexpr size_t kWindow = size_t(1) << 32;
  uint8_t *window = reserveMemory(kWindow, kWindow);
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(window) % kWindow, 0u);
  ASSERT_TRUE(commitMemory(window, 4096));
  window[4095] = 7;
  EXPECT_EQ(window[4095], 7);
  EXPECT_DEATH(*const_cast<volatile uint8_t *>(window + 4096) = 1, "");
  releaseMemory(window, kWindow);
}

} // namespace
