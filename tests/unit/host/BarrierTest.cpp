// Barriers, warp programs, progress, and how a launch ends.
#include "Kernels.h"

#include <atomic>
#include <set>
#include <thread>

namespace {

using namespace phobos::host;
using namespace phobos::host::test;

constexpr uint32_t kThreads = 200; // the last warp is not whole

/// Rotates values through shared memory: each turn reads what the neighbour wrote.
void rotate(ThreadContext *t, void **argv) {
  auto *out = pointer<int>(argv, 0);
  auto *shared = reinterpret_cast<int *>(t->shared);
  int value = static_cast<int>(t->index);
  for (int turn = 0; turn < 10; ++turn) {
    shared[t->index] = value;
    calls::ctaBarrier(t, 0, 0, 1);
    value = shared[(t->index + 1) % kThreads];
    calls::ctaBarrier(t, 0, 0, 2);
  }
  out[t->registers->ctaid[0] * kThreads + t->index] = value;
}

class Seeds : public testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(All, Seeds, testing::Values(0, 1, 2, 3));

TEST_P(Seeds, BarriersOrderSharedMemory) {
  constexpr uint32_t kBlocks = 37;
  std::vector<int> out(kBlocks * kThreads, -1);
  void *data = out.data(), *argv[] = {&data};
  LaunchRequest request = requestFor(rotate, kBlocks, kThreads, argv);
  request.dynamicSharedBytes = kThreads * sizeof(int);
  request.seed = GetParam();
  expectClean(simulate(request));
  for (uint32_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], static_cast<int>((i % kThreads + 10) % kThreads));
  }
}

/// Half the threads arrive at barrier 3 and go on, half wait there; then a reduction over all.
void named(ThreadContext *t, void **argv) {
  auto *out = pointer<uint32_t>(argv, 0);
  auto *shared = reinterpret_cast<uint32_t *>(t->shared);
  bool producer = t->index < 64;
  if (producer) {
    shared[t->index] = t->index * 3;
    calls::ctaBarrierArrive(t, 3, 128, 1);
  } else {
    calls::ctaBarrier(t, 3, 128, 2);
    out[t->index] = shared[t->index - 64];
  }
  uint32_t odd = t->index & 1;
  uint32_t count = calls::ctaBarrierReduce(t, 1, 0, BarrierReduction::popc, odd, 3);
  uint32_t all = calls::ctaBarrierReduce(t, 1, 0, BarrierReduction::all, t->index < 127, 4);
  uint32_t any = calls::ctaBarrierReduce(t, 1, 0, BarrierReduction::any, t->index == 77, 5);
  if (producer) {
    out[t->index] = count * 100 + all * 10 + any;
  }
}

TEST_P(Seeds, NamedBarriersCountAndReduce) {
  std::vector<uint32_t> out(128);
  void *data = out.data(), *argv[] = {&data};
  LaunchRequest request = requestFor(named, 1, 128, argv);
  request.staticSharedBytes = 1024;
  request.seed = GetParam();
  expectClean(simulate(request));
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], 6401u);
    EXPECT_EQ(out[64 + i], i * 3);
  }
}

/// Lanes below 16 and the others meet at two programs under two masks, in a loop.
void diverge(ThreadContext *t, void **argv) {
  static const WarpOp kLow{WarpKind::ShflBfly, 1, 0, 0, {0, immediateOperand(8), immediateOperand(31)}, {1}};
  static const WarpOp kHigh{WarpKind::ShflIdx, 1, 0, 0, {0, immediateOperand(16), immediateOperand(31)}, {1}};
  auto *out = pointer<uint32_t>(argv, 0);
  uint32_t value = t->index;
  if (t->lane < 16) {
    for (int i = 0; i < 5; ++i) {
      t->column[0] = value;
      calls::warpProgram(t, &kLow, 1, 0xffff);
      value = t->column[kWarpLanes] + 1;
    }
  } else {
    t->column[0] = value;
    calls::warpProgram(t, &kHigh, 1, 0xffff0000);
    value = t->column[kWarpLanes];
  }
  out[t->index] = value;
}

TEST_P(Seeds, DivergentLanesMeetUnderTheirOwnMasks) {
  std::vector<uint32_t> out(64);
  void *data = out.data(), *argv[] = {&data};
  LaunchRequest request = requestFor(diverge, 1, 64, argv);
  request.seed = GetParam();
  expectClean(simulate(request));
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], i % 32 < 16 ? (i ^ 8) + 5 : i / 32 * 32 + 16);
  }
}

/// Some threads return early; the others' barrier counts those that are left.
void leaveEarly(ThreadContext *t, void **argv) {
  auto *out = pointer<std::atomic<int>>(argv, 0);
  if (t->index >= 40) {
    return;
  }
  calls::ctaBarrier(t, 0, 0, 1);
  ++*out;
}

TEST_P(Seeds, ExitedThreadsAreNotWaitedFor) {
  std::atomic<int> count = 0;
  void *data = &count, *argv[] = {&data};
  LaunchRequest request = requestFor(leaveEarly, 3, 96, argv);
  request.seed = GetParam();
  expectClean(simulate(request));
  EXPECT_EQ(count, 120);
}

/// A barrier across the grid: every block waits until all have come, so all must be resident.
void gridBarrier(ThreadContext *t, void **argv) {
  auto *arrived = pointer<std::atomic<uint32_t>>(argv, 0);
  auto *out = pointer<uint32_t>(argv, 1);
  calls::ctaBarrier(t, 0, 0, 1);
  if (t->index == 0) {
    ++*arrived;
    while (*arrived < t->registers->nctaid[0]) {
      calls::yield(t, 2);
    }
  }
  calls::ctaBarrier(t, 0, 0, 3);
  if (t->index == 5) {
    out[t->registers->ctaid[0]] = *arrived;
  }
}

TEST_P(Seeds, BlocksThatSpinForEachOtherAllBegin) {
  constexpr uint32_t kBlocks = 40;
  std::atomic<uint32_t> arrived = 0;
  std::vector<uint32_t> out(kBlocks);
  void *a = &arrived, *b = out.data(), *argv[] = {&a, &b};
  LaunchRequest request = requestFor(gridBarrier, kBlocks, 64, argv);
  request.seed = GetParam();
  expectClean(simulate(request));
  EXPECT_EQ(out, std::vector<uint32_t>(kBlocks, kBlocks));
}

/// One bit a block, and the largest linear index.
void mark(ThreadContext *t, void **argv) {
  auto *seen = pointer<std::atomic<uint8_t>>(argv, 0);
  const CtaRegisters &r = *t->registers;
  uint64_t block = r.ctaid[0] + uint64_t(r.nctaid[0]) * (r.ctaid[1] + uint64_t(r.nctaid[1]) * r.ctaid[2]);
  if (t->index == 3) {
    ++seen[block];
  }
}

TEST_P(Seeds, EachBlockOfAGridRunsOnce) {
  std::vector<std::atomic<uint8_t>> seen(23 * 7 * 5);
  void *data = seen.data(), *argv[] = {&data};
  LaunchRequest request = requestFor(mark, 23, 4, argv);
  request.grid = {23, 7, 5};
  request.seed = GetParam();
  expectClean(simulate(request));
  for (auto &count : seen) {
    ASSERT_EQ(count, 1);
  }
}

void clusterSum(ThreadContext *t, void **argv) {
  auto *out = pointer<uint32_t>(argv, 0);
  const CtaRegisters &r = *t->registers;
  auto *mine = reinterpret_cast<uint32_t *>(t->shared);
  if (t->index == 0) {
    *mine = r.ctaid[0] + 1;
  }
  calls::clusterArrive(t, 0, 1);
  calls::clusterWait(t, 2);
  uint32_t sum = 0;
  for (uint32_t rank = 0; rank < r.clusterNctarank; ++rank) {
    auto offset = (static_cast<int64_t>(rank) - r.clusterCtarank) * (int64_t(1) << kClusterRankShift);
    sum += *reinterpret_cast<uint32_t *>(t->shared + offset);
  }
  calls::clusterArrive(t, 0, 3);
  calls::clusterWait(t, 4);
  if (t->index == 33) {
    out[r.ctaid[0]] = sum;
  }
}

TEST_P(Seeds, ClustersShareAWindow) {
  std::vector<uint32_t> out(12);
  void *data = out.data(), *argv[] = {&data};
  LaunchRequest request = requestFor(clusterSum, 12, 64, argv);
  request.cluster = {4, 1, 1};
  request.staticSharedBytes = 16;
  request.seed = GetParam();
  expectClean(simulate(request));
  for (uint32_t i = 0; i < 12; ++i) {
    EXPECT_EQ(out[i], 4 * (i / 4 * 4) + 10);
  }
}

void waitForNobody(ThreadContext *t, void **) {
  if (t->index < 32) {
    calls::ctaBarrier(t, 2, 64, 7);
  } else if (t->index == 40) {
    calls::ctaBarrier(t, 5, 64, 8);
  }
}

TEST(Deadlock, SaysWhoWaitsWhere) {
  LaunchRequest request = requestFor(waitForNobody, 2, 64, nullptr);
  Outcome outcome = simulate(request);
  ASSERT_GE(outcome.reports.size(), 1u);
  const Report &report = outcome.reports[0];
  EXPECT_EQ(report.kind, Report::Kind::Deadlock);
  EXPECT_NE(report.message.find("deadlock in block ("), std::string::npos) << report.message;
  ASSERT_EQ(report.notes.size(), 4u);
  EXPECT_EQ(report.notes[0].message, "threads 0 to 31 wait at barrier 2, where 32 of 64 threads have arrived");
  EXPECT_EQ(report.notes[0].site, 7u);
  EXPECT_EQ(report.notes[1].message, "threads 32 to 39 have exited");
  EXPECT_EQ(report.notes[2].message, "thread 40 waits at barrier 5, where 1 of 64 threads have arrived");
  EXPECT_EQ(report.notes[2].site, 8u);
  // The stacks that were left are made anew.
  std::vector<int> out(kThreads);
  void *data = out.data(), *argv[] = {&data};
  LaunchRequest again = requestFor(rotate, 1, kThreads, argv);
  again.dynamicSharedBytes = kThreads * sizeof(int);
  expectClean(simulate(again));
  EXPECT_EQ(out[0], 10);
}

void twoPlaces(ThreadContext *t, void **) {
  if (t->lane < 16) {
    calls::ctaBarrier(t, 0, 0, 11);
  } else {
    calls::ctaBarrier(t, 0, 0, 12);
  }
}

TEST(Divergence, OneBarrierAtTwoPlacesOfAWarp) {
  LaunchRequest request = requestFor(twoPlaces, 1, 64, nullptr);
  expectClean(simulate(request));
  request.checks.deadlock = true;
  Outcome outcome = simulate(request);
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].kind, Report::Kind::Divergence);
  EXPECT_EQ(outcome.reports[0].site, 12u);
  EXPECT_EQ(outcome.reports[0].notes[0].site, 11u);
}

void spin(ThreadContext *t, void **) {
  for (;;) {
    calls::yield(t, 1);
  }
}
void poll(ThreadContext *t, void **) {
  while (!__atomic_load_n(t->interrupt, __ATOMIC_RELAXED)) {
  }
  calls::stop(t);
}

TEST(Interrupt, EndsALaunchThatWouldNot) {
  for (FiberEntry kernel : {spin, poll}) {
    LaunchRequest request = requestFor(kernel, 100, 64, nullptr);
    request.interrupted = [] { return true; };
    Outcome outcome = simulate(request);
    EXPECT_TRUE(outcome.interrupted);
    EXPECT_TRUE(outcome.reports.empty());
  }
}

void complain(ThreadContext *t, void **) {
  if (t->index == 9 && t->registers->ctaid[0] == 3) {
    calls::assertFail(t, "x > 0", "k.py", 4, "k", 6);
  }
  calls::ctaBarrier(t, 0, 0, 1);
}

TEST(Assert, EndsTheLaunchAtItsPlace) {
  LaunchRequest request = requestFor(complain, 8, 32, nullptr);
  Outcome outcome = simulate(request);
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].kind, Report::Kind::Assert);
  EXPECT_EQ(outcome.reports[0].message, "assertion failed: x > 0");
  EXPECT_EQ(outcome.reports[0].site, 6u);
  EXPECT_EQ(outcome.reports[0].notes[0].message, "block (3, 0, 0), thread 9");
}

TEST(Launch, RefusesWhatNoBlockCanHave) {
  LaunchRequest request = requestFor(mark, 1, 2048, nullptr);
  EXPECT_EQ(simulate(request).error, "2048 threads a block; expected 1 to 1024");
  request = requestFor(mark, 1, 32, nullptr);
  request.dynamicSharedBytes = 1 << 20;
  EXPECT_NE(simulate(request).error.find("1048576 bytes of shared memory"), std::string::npos);
}

void loop(ThreadContext *t, void **argv) {
  auto *out = pointer<uint32_t>(argv, 0);
  const CtaRegisters &r = *t->registers;
  for (uint32_t i = 0; i < r.ntid[0]; ++i) {
    out[r.ctaid[0] * r.ntid[0] + i] += r.ctaid[0] + i;
  }
}

TEST_P(Seeds, AThreadLoopRunsEachBlockOnce) {
  constexpr uint32_t kBlocks = 1000;
  std::vector<uint32_t> out(kBlocks * 16);
  void *data = out.data(), *argv[] = {&data};
  LaunchRequest request = requestFor(nullptr, kBlocks, 16, argv);
  request.loop = loop;
  request.seed = GetParam();
  expectClean(simulate(request));
  for (uint32_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], i / 16 + i % 16);
  }
}

void wild(ThreadContext *t, void **argv) {
  calls::ctaBarrier(t, 0, 0, 1);
  if (t->index == 5) {
    **static_cast<volatile int **>(argv[0]) = 1;
  }
  calls::ctaBarrier(t, 0, 0, 2);
}

TEST(Fault, AccessToNothingEndsTheLaunchAndNotTheProcess) {
  int *nowhere = nullptr;
  void *argv[] = {&nowhere};
  for (int again = 0; again < 3; ++again) {
    Outcome outcome = simulate(requestFor(wild, 4, 64, argv));
    ASSERT_GE(outcome.reports.size(), 1u);
    EXPECT_EQ(outcome.reports[0].kind, Report::Kind::Crash);
    EXPECT_NE(outcome.reports[0].message.find("accessed memory that is not there"), std::string::npos);
    EXPECT_NE(outcome.reports[0].notes[0].message.find("thread 5"), std::string::npos);
  }
  int somewhere = 0;
  nowhere = &somewhere;
  expectClean(simulate(requestFor(wild, 4, 64, argv)));
  EXPECT_EQ(somewhere, 1);
}

} // namespace
