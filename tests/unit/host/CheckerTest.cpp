// Every checker of shared memory on a kernel with the fault planted, and on the same kernel without it.
#include "Checked.h"

#include <numeric>

namespace {

using namespace phobos::host;
using namespace phobos::host::test;

struct Plan {
  int fault = 0;                // which part is left out; 0: none
  const void *global = nullptr; // an array of at least 16 bytes, and enough for the kernel
};

Outcome run(FiberEntry kernel, Plan plan, uint64_t seed = 0, uint32_t blocks = 2, uint32_t threads = kThreads) {
  void *data = &plan, *argv[] = {&data};
  LaunchRequest request = requestFor(kernel, blocks, threads, argv);
  request.staticSharedBytes = 8192;
  request.checks = kAll;
  request.seed = seed;
  TensorRange array{"array", static_cast<uint8_t *>(const_cast<void *>(plan.global)), 1, 1, {1 << 16}, {1}};
  request.tensors = {&array, plan.global ? 1u : 0u};
  return simulate(request);
}

class Checkers : public Seeded {};
INSTANTIATE_TEST_SUITE_P(All, Checkers, testing::Values(0, 1, 2));

/// Two turns through one buffer: fault 1 drops the barrier before the reads, 2 the one before the buffer is used again.
void exchange(ThreadContext *t, void **argv) {
  int fault = pointer<Plan>(argv, 0)->fault;
  for (int turn = 0; turn < 2; ++turn) {
    store<uint32_t>(t, t->index * 4, t->index + 1000 * turn, 1);
    if (fault != 1) {
      calls::ctaBarrier(t, 0, 0, 2);
    }
    load<uint32_t>(t, (t->index + 33) % kThreads * 4, 3);
    if (fault != 2) {
      calls::ctaBarrier(t, 0, 0, 4);
    }
  }
}

TEST_P(Checkers, BarriersOrderAccesses) {
  expectClean(run(exchange, {0}, GetParam()));
  // Dropped before the buffer is used again: a write against an earlier read, or the read against the write, by the
  // order.
  for (int fault : {1, 2}) {
    Outcome outcome = run(exchange, {fault}, GetParam());
    ASSERT_FALSE(outcome.reports.empty()) << fault;
    for (const Report &report : outcome.reports) {
      EXPECT_TRUE(report.kind == Report::Kind::Race || (fault == 1 && report.kind == Report::Kind::Init))
          << report.message;
      EXPECT_TRUE(report.site == 1 || report.site == 3);
    }
  }
}

TEST(Race, NamesBothPlaces) { expectOnly(run(exchange, {2}), Report::Kind::Race, 1, 3); }

/// Within a warp bar.warp.sync orders: fault 1 leaves it out.
void withinWarp(ThreadContext *t, void **argv) {
  static const WarpOp kSync{WarpKind::SyncWarp, 0, 0, 2, {}, {}};
  static const WarpOp kMeet{WarpKind::Nop, 0, 0, 2, {}, {}};
  store<uint32_t>(t, t->index * 4, t->index, 1);
  calls::warpProgram(t, pointer<Plan>(argv, 0)->fault ? &kMeet : &kSync, 1, ~0u);
  load<uint32_t>(t, (t->index ^ 5) * 4, 3);
}

TEST_P(Checkers, WarpBarriersOrderTheirWarp) {
  expectClean(run(withinWarp, {0}, GetParam()));
  expectOnly(run(withinWarp, {1}, GetParam()), Report::Kind::Race, 3, 1);
}

/// Replicas: equal bytes from many threads do not race, different ones do.
void replicas(ThreadContext *t, void **argv) {
  store<uint16_t>(t, t->index % 8 * 2, static_cast<uint16_t>(pointer<Plan>(argv, 0)->fault ? t->index : t->index % 8),
                  1);
}

TEST_P(Checkers, EqualStoresDoNotRace) {
  expectClean(run(replicas, {0}, GetParam()));
  expectOnly(run(replicas, {1}, GetParam()), Report::Kind::Race, 1, 1);
}

/// Neighbouring bytes and words of one 16-byte block belong to different threads.
void neighbours(ThreadContext *t, void **) {
  store<uint8_t>(t, t->index, static_cast<uint8_t>(t->index), 1);
  store<uint16_t>(t, 256 + t->index * 2, static_cast<uint16_t>(t->index), 2);
  store<uint64_t>(t, 1024 + t->index * 8, t->index, 3);
  calls::ctaBarrier(t, 0, 0, 4);
  load<uint32_t>(t, t->index % 32 * 4, 5);
  load<uint64_t>(t, 256 + t->index % 32 * 8, 6);
  struct alignas(16) Vector {
    uint64_t a, b;
  };
  store<Vector>(t, 1024 + t->index % 64 * 16, {t->index % 64, 7}, 7);
}

TEST_P(Checkers, AccessesOfAllSizesInOneBlock) { expectClean(run(neighbours, {0}, GetParam())); }

void uninitialised(ThreadContext *t, void **argv) {
  if (t->index != 77 || !pointer<Plan>(argv, 0)->fault) {
    store<float>(t, t->index * 4, 1.0f, 1);
  }
  calls::ctaBarrier(t, 0, 0, 2);
  load<float>(t, (kThreads - 1 - t->index) * 4, 3);
}

TEST_P(Checkers, UninitialisedReadsAreFound) {
  expectClean(run(uninitialised, {0}, GetParam()));
  Outcome outcome = run(uninitialised, {1}, GetParam());
  expectOnly(outcome, Report::Kind::Init, 3, 0);
  EXPECT_NE(outcome.reports[0].notes[0].message.find("thread 50, at shared memory offset 0x134"), std::string::npos)
      << outcome.reports[0].notes[0].message;
}

void beyond(ThreadContext *t, void **argv) {
  int fault = pointer<Plan>(argv, 0)->fault;
  store<float>(t, fault == 1 ? 8192 - 4 * t->index : 4 * t->index, 1.0f, 1);
  if (fault == 2 && t->index == 3) {
    load<uint64_t>(t, 8188, 2);
  }
}

TEST_P(Checkers, SharedAccessesOutOfBoundsEndTheLaunch) {
  expectClean(run(beyond, {0}, GetParam()));
  Outcome outcome = run(beyond, {1}, GetParam());
  expectOnly(outcome, Report::Kind::Bounds, 1, 0);
  EXPECT_EQ(outcome.reports[0].message,
            "store of 4 bytes outside shared memory, at offset 8192; the block has 8192 bytes");
  expectOnly(run(beyond, {2}, GetParam()), Report::Kind::Bounds, 2, 0);
}

void atomics(ThreadContext *t, void **argv) {
  auto *counter = reinterpret_cast<uint32_t *>(t->shared);
  if (t->index == 0) {
    store<uint32_t>(t, 0, 0, 1);
  }
  calls::ctaBarrier(t, 0, 0, 2);
  atomicAdd(t, counter, 1u, 0, 3);
  if (pointer<Plan>(argv, 0)->fault) {
    load<uint32_t>(t, 0, 4); // not atomic, and not ordered after the others'
  }
}

TEST_P(Checkers, AtomicsDoNotRaceWithEachOther) {
  expectClean(run(atomics, {0}, GetParam()));
  Outcome outcome = run(atomics, {1}, GetParam());
  ASSERT_FALSE(outcome.reports.empty());
  EXPECT_EQ(outcome.reports[0].kind, Report::Kind::Race);
}

/// Copies of 16 bytes a thread. Faults: 1 no wait, 2 no barrier after it, 3 the slot is filled again without a barrier.
void copies(ThreadContext *t, void **argv) {
  const Plan &plan = *pointer<Plan>(argv, 0);
  auto *source = static_cast<const uint8_t *>(plan.global);
  for (int turn = 0; turn < 3; ++turn) {
    calls::copyAsync(t, t->shared + t->index * 16, source + (turn * kThreads + t->index) * 16, 16, 16, 1);
    calls::copyCommit(t, 2);
    if (plan.fault != 1) {
      calls::copyWait(t, 0, 3);
    }
    if (plan.fault != 2) {
      calls::ctaBarrier(t, 0, 0, 4);
    }
    load<uint64_t>(t, (t->index + 40) % kThreads * 16 + 8, 5);
    if (plan.fault != 3) {
      calls::ctaBarrier(t, 0, 0, 6);
    }
  }
}

TEST_P(Checkers, CopiesAreOrderedByTheirWaitsAndBarriers) {
  std::vector<uint8_t> source(3 * kThreads * 16);
  std::iota(source.begin(), source.end(), 0);
  expectClean(run(copies, {0, source.data()}, GetParam()));
  for (int fault : {1, 2, 3}) {
    Outcome outcome = run(copies, {fault, source.data()}, GetParam());
    ASSERT_FALSE(outcome.reports.empty()) << "fault " << fault;
    EXPECT_TRUE(outcome.reports[0].kind == Report::Kind::Race || outcome.reports[0].kind == Report::Kind::Init);
  }
}

/// A thread may read what it copied itself after its own wait; its neighbour in the warp may not before a barrier.
void ownCopies(ThreadContext *t, void **argv) {
  const Plan &plan = *pointer<Plan>(argv, 0);
  calls::copyAsync(t, t->shared + t->index * 16, plan.global, 16, 16, 1);
  calls::copyCommit(t, 2);
  calls::copyWait(t, 0, 3);
  load<uint32_t>(t, (plan.fault ? t->index ^ 1 : t->index) * 16, 4);
}

TEST_P(Checkers, AWaitSpeaksForItsOwnThread) {
  uint64_t source[2] = {};
  expectClean(run(ownCopies, {0, source}, GetParam()));
  Outcome outcome = run(ownCopies, {1, source}, GetParam());
  ASSERT_FALSE(outcome.reports.empty());
}

/// One thread copies in bulk for all, guarded by an mbarrier. Fault 1: too few bytes are expected, so that it never
/// ends; 2: read without waiting.
void bulk(ThreadContext *t, void **argv) {
  const Plan &plan = *pointer<Plan>(argv, 0);
  constexpr uint32_t kBytes = 1024;
  void *barrier = t->shared + 4096;
  if (t->index == 0) {
    calls::mbarInit(t, barrier, 1, 1);
    if (plan.fault != 3) {
      calls::fence(t, FenceKind::mbarrierInit, 1);
    }
  }
  if (plan.fault != 4) {
    calls::ctaBarrier(t, 0, 0, 2);
  }
  if (t->index == 0) {
    calls::mbarArrive(t, barrier, 1, plan.fault == 1 ? kBytes + 16 : kBytes, kMbarExpectTx, 3);
    calls::bulkLoad(t, t->shared, plan.global, barrier, kBytes, 0, 4);
  }
  if (plan.fault != 2) {
    calls::mbarWaitParity(t, barrier, 0, 5);
  }
  EXPECT_TRUE(plan.fault == 2 || plan.fault == 4 ||
              load<uint8_t>(t, t->index * 8, 6) == static_cast<uint8_t>(t->index * 8));
  if (plan.fault == 2) {
    load<uint8_t>(t, t->index * 8, 6);
  }
}

TEST_P(Checkers, BulkCopiesAreOrderedByTheirMbarrier) {
  std::vector<uint8_t> source(1024);
  std::iota(source.begin(), source.end(), 0);
  expectClean(run(bulk, {0, source.data()}, GetParam()));
  Outcome stuck = run(bulk, {1, source.data()}, GetParam());
  expectOnly(stuck, Report::Kind::Deadlock, 5, 0);
  EXPECT_EQ(stuck.reports[0].notes[0].message, "threads 0 to 127 wait at the mbarrier at shared memory offset 4096, in "
                                               "phase 0: 0 of 1 arrivals and 16 bytes are "
                                               "to come");
  Outcome early = run(bulk, {2, source.data()}, GetParam());
  ASSERT_FALSE(early.reports.empty());
  expectOnly(run(bulk, {3, source.data()}, GetParam()), Report::Kind::Race, 4, 1);
  EXPECT_FALSE(run(bulk, {4, source.data()}, GetParam()).reports.empty());
}

/// A bulk store of what threads wrote. Fault 1: no fence.proxy.async before it; 2: the memory is written again before
/// the store has read it.
void bulkStore(ThreadContext *t, void **argv) {
  const Plan &plan = *pointer<Plan>(argv, 0);
  store<uint32_t>(t, t->index * 4, t->index, 1);
  if (plan.fault != 1) {
    calls::fence(t, FenceKind::proxyAsyncShared, 2);
  }
  calls::ctaBarrier(t, 0, 0, 3);
  if (t->index == 0) {
    calls::bulkStore(t, const_cast<void *>(plan.global), t->shared, kThreads * 4, 0xffff, 4);
    calls::bulkCommit(t, 5);
    if (plan.fault != 2) {
      calls::bulkWait(t, 0, 1, 6);
    }
  }
  calls::ctaBarrier(t, 0, 0, 7);
  store<uint32_t>(t, t->index * 4, 5 * t->index, 8);
}

TEST_P(Checkers, AsynchronousReadsNeedFencesAndWaits) {
  std::vector<uint32_t> target(kThreads);
  expectClean(run(bulkStore, {0, target.data()}, GetParam(), 1));
  for (uint32_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(target[i], i);
  }
  expectOnly(run(bulkStore, {1, target.data()}, GetParam(), 1), Report::Kind::Race, 4, 1);
  expectOnly(run(bulkStore, {2, target.data()}, GetParam(), 1), Report::Kind::Race, 8, 4);
}

} // namespace
