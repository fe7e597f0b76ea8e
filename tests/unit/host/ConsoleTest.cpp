// What blocks print comes out by block, by print and by index, in whatever order threads made it.
#include "../../../runtime/host/Console.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace phobos::host;

Console::Line line(uint32_t thread, uint32_t site, int32_t index, std::string text) {
  return {thread, site, true, {index}, std::move(text) + "\n"};
}

TEST(Console, PutsElementsPrintsAndBlocksInOrder) {
  // Four threads, an element each, print `a` and `b` in two turns; thread 0 also a scalar in between. A thread's own
  // lines come in its order, threads at random.
  std::mt19937 random(1);
  for (int run = 0; run < 50; ++run) {
    Console console;
    std::string want;
    for (uint64_t block : {0, 7}) {
      std::string head = std::to_string(block);
      std::vector<std::vector<Console::Line>> threads(4);
      for (int turn = 0; turn < 2; ++turn) {
        std::string tail = std::to_string(turn);
        for (uint32_t site : {5, 3}) {
          for (uint32_t t = 0; t < 4; ++t) {
            int32_t index = static_cast<int32_t>((4 - t) % 4); // thread 0 has the first, then backwards
            threads[t].push_back(line(t, site, index, head + tail + std::to_string(site) + std::to_string(index)));
          }
          for (int index = 0; index < 4; ++index) {
            want += head + tail + std::to_string(site) + std::to_string(index) + "\n";
          }
        }
        threads[0].push_back(line(0, 9, 0, head + tail + "scalar"));
        want += head + tail + "scalar\n";
      }
      while (!threads.empty()) {
        size_t next = random() % threads.size();
        console.add(block, threads[next].front());
        threads[next].erase(threads[next].begin());
        if (threads[next].empty()) {
          threads.erase(threads.begin() + static_cast<ptrdiff_t>(next));
        }
      }
    }
    EXPECT_EQ(console.take(), want);
    EXPECT_EQ(console.take(), "");
  }
}

TEST(Console, LeavesOtherLinesWhereTheyCame) {
  Console console;
  for (const char *text : {"b\n", "a\n", "c\n"}) {
    console.add(0, {3, 1, false, {}, text});
  }
  EXPECT_EQ(console.take(), "b\na\nc\n");
}

TEST(Console, ShowsLastWhatThreadZeroDidNotReach) {
  Console console;
  console.add(0, line(1, 2, 1, "unfinished"));
  console.add(0, line(1, 1, 1, "second"));
  console.add(0, line(0, 1, 0, "first"));
  EXPECT_EQ(console.take(), "first\nsecond\nunfinished\n");
}

TEST(Console, SaysWhenItIsFull) {
  Console console;
  EXPECT_FALSE(console.isFull());
  console.add(0, {0, 0, false, {}, std::string(8 << 20, 'x')});
  EXPECT_TRUE(console.isFull());
  EXPECT_EQ(console.take().size(), size_t(8) << 20);
  EXPECT_FALSE(console.isFull());
}

} // namespace
