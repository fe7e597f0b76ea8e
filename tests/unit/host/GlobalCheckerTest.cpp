// The checker of global memory where threads are fibers: bounds, and races within a block and between blocks.
#include "Checked.h"

namespace {

using namespace phobos::host;
using namespace phobos::host::test;

struct Tensors {
  int fault = 0;
  std::vector<float> x = std::vector<float>(512), y = std::vector<float>(512);
};

Outcome run(FiberEntry kernel, Tensors &tensors, uint64_t seed, uint32_t blocks = 4, bool ordersBlocks = true,
            bool dependent = false) {
  void *data = &tensors, *argv[] = {&data};
  LaunchRequest request = requestFor(kernel, blocks, kThreads, argv);
  std::vector<TensorRange> ranges(2);
  ranges[0] = {"x", reinterpret_cast<uint8_t *>(tensors.x.data()), 4, 2, {8, 60}, {64, 1}}; // rows 4 elements apart
  ranges[1] = {"y", reinterpret_cast<uint8_t *>(tensors.y.data()), 4, 1, {512}, {1}};
  request.tensors = ranges;
  request.checks = kAll;
  request.seed = seed;
  request.ordersBlocks = ordersBlocks;
  request.dependent = dependent;
  return simulate(request);
}

class Global : public Seeded {};
INSTANTIATE_TEST_SUITE_P(All, Global, testing::Values(0, 1, 2));

void outside(ThreadContext *t, void **argv) {
  auto &p = *pointer<Tensors>(argv, 0);
  uint32_t i = t->registers->ctaid[0] * kThreads + t->index; // 0 to 511
  float value = i / 64 < 8 && i % 64 < 60 ? loadGlobal(t, &p.x[i], 1) : 0;
  if (p.fault == 1 && i == 130) {
    loadGlobal(t, &p.x[3 * 64 + 61], 2); // between two rows
  } else if (p.fault == 2 && i == 200) {
    loadGlobal(t, p.y.data() - 1, 2);
  } else if (p.fault == 3 && i == 7) {
    storeGlobal(t, p.y.data() + 512, value, 2);
  } else if (p.fault == 4 && i == 0) {
    loadGlobal(t, reinterpret_cast<const double *>(p.y.data() + 511), 2); // half of it is inside
  } else if (p.fault == 5 && i == 9) {
    atomicAdd(t, reinterpret_cast<uint32_t *>(p.y.data() + 514), 1, 0, 2);
  }
}

TEST_P(Global, AccessesOutOfBoundsNameTensorAndIndex) {
  const char *const kWant[] = {"load from `x` out of bounds: index [3, 61], extents [8, 60]",
                               "load from `y` out of bounds: index [-1], extents [512]",
                               "store to `y` out of bounds: index [512], extents [512]",
                               "load from `y` out of bounds: index [512], extents [512]",
                               "atomic on `y` out of bounds: index [514], extents [512]"};
  Tensors tensors;
  expectClean(run(outside, tensors, GetParam()));
  for (int fault = 1; fault <= 5; ++fault) {
    tensors.fault = fault;
    Outcome outcome = run(outside, tensors, GetParam());
    expectOnly(outcome, Report::Kind::Bounds, 2, 0);
    EXPECT_EQ(outcome.reports[0].message, kWant[fault - 1]);
  }
}

/// Blocks write parts of y. Faults: 1 the parts overlap with other values; 2 a block reads its neighbour's part; 3 a
/// thread reads its neighbour's element without a barrier.
void parts(ThreadContext *t, void **argv) {
  auto &p = *pointer<Tensors>(argv, 0);
  uint32_t block = t->registers->ctaid[0], i = block * kThreads + t->index;
  storeGlobal(t, &p.y[i], static_cast<float>(i), 1);
  loadGlobal(t, &p.y[i], 2); // one's own is always there
  if (p.fault == 1 && i == 130) {
    storeGlobal(t, &p.y[5], -1.0f, 3);
  }
  if (p.fault == 3) {
    loadGlobal(t, &p.y[i ^ 9], 3);
  }
  calls::ctaBarrier(t, 0, 0, 4);
  loadGlobal(t, &p.y[i ^ 77], 5);
  if (p.fault == 2 && block == 1) {
    loadGlobal(t, &p.y[t->index], 3);
  }
}

TEST_P(Global, RacesBetweenBlocksAndWithinOne) {
  Tensors tensors;
  for (bool ordersBlocks : {false, true}) {
    tensors.fault = 0;
    expectClean(run(parts, tensors, GetParam(), 4, ordersBlocks));
    for (int fault : {1, 2, 3}) {
      tensors.fault = fault;
      Outcome outcome = run(parts, tensors, GetParam(), 4, ordersBlocks);
      ASSERT_FALSE(outcome.reports.empty()) << "fault " << fault;
      for (const Report &report : outcome.reports) {
        EXPECT_EQ(report.kind, Report::Kind::Race);
        EXPECT_EQ(report.message.find("data race in `y`: "), 0u) << report.message;
        EXPECT_NE(report.notes[0].message.find("] of [512]"), std::string::npos) << report.notes[0].message;
        EXPECT_TRUE(report.site == 3 || report.notes.back().site == 3)
            << report.site << " " << report.notes.back().site;
      }
    }
  }
}

/// A kernel that may begin beside the one before: one thread waits for that, and the block meets it. Faults: 1 it reads
/// before; 2 nobody waits; 3 the block does not meet it; 4 it waits in one block for all.
void beside(ThreadContext *t, void **argv) {
  auto &p = *pointer<Tensors>(argv, 0);
  uint32_t block = t->registers->ctaid[0], i = block * kThreads + t->index;
  if (p.fault == 1 && t->index == 0) {
    loadGlobal(t, &p.y[i], 3);
  }
  if (t->index == 0 && p.fault != 2 && (p.fault != 4 || block == 0)) {
    calls::awaitPrevious(t, 1);
  }
  if (p.fault != 3) {
    calls::ctaBarrier(t, 0, 0, 2);
  }
  storeGlobal(t, &p.y[i], 1.0f, p.fault > 1 ? 3 : 4);
}

TEST_P(Global, AccessesComeAfterTheKernelBefore) {
  for (int fault : {0, 1, 2, 3, 4}) {
    Tensors tensors;
    tensors.fault = fault;
    Outcome outcome = run(beside, tensors, GetParam(), 4, false, /*dependent=*/true);
    if (fault == 0) {
      expectClean(outcome);
      continue;
    }
    ASSERT_FALSE(outcome.reports.empty()) << "fault " << fault;
    EXPECT_EQ(outcome.reports[0].kind, Report::Kind::Race);
    EXPECT_EQ(outcome.reports[0].site, 3u);
    EXPECT_EQ(outcome.reports[0].message, std::string(fault == 1 ? "load from" : "store to") +
                                              " `y` before griddepcontrol.wait: the kernel before this one in the "
                                              "stream may not be complete");
    EXPECT_NE(outcome.reports[0].notes[0].message.find("] of [512]"), std::string::npos);
  }
  Tensors tensors; // of a kernel that is not dependent nobody asks for it
  tensors.fault = 2;
  expectClean(run(beside, tensors, GetParam()));
}

/// Bytes and halves of one word belong to several threads. Faults: 1 a thread reads its neighbour's byte, 2 the half in
/// which it is, 3 it writes it.
void narrow(ThreadContext *t, void **argv) {
  auto &p = *pointer<Tensors>(argv, 0);
  auto *bytes = reinterpret_cast<uint8_t *>(p.y.data()) + t->registers->ctaid[0] * kThreads;
  storeGlobal(t, bytes + t->index, static_cast<uint8_t>(t->index), 1);
  if (p.fault == 1) {
    loadGlobal(t, bytes + (t->index ^ 1), 3);
  } else if (p.fault == 2) {
    loadGlobal(t, reinterpret_cast<uint16_t *>(bytes + (t->index & ~1u)), 3);
  } else if (p.fault == 3 && t->index == 6) {
    storeGlobal(t, bytes + 5, uint8_t(77), 3);
  }
  calls::ctaBarrier(t, 0, 0, 2);
  loadGlobal(t, reinterpret_cast<uint32_t *>(bytes + (t->index & ~3u)), 4);
}

TEST_P(Global, PartsOfOneWordAreToldApart) {
  Tensors tensors;
  expectClean(run(narrow, tensors, GetParam()));
  for (int fault : {1, 2, 3}) {
    tensors.fault = fault;
    Outcome outcome = run(narrow, tensors, GetParam());
    ASSERT_FALSE(outcome.reports.empty()) << "fault " << fault;
    for (const Report &report : outcome.reports) {
      EXPECT_TRUE(report.site == 3 || report.notes.back().site == 3);
    }
    EXPECT_NE(outcome.reports[0].notes[1].message.find("of the same block"), std::string::npos);
  }
}

/// All read the same; after a barrier one thread writes it. Fault 1: without the barrier; 2: some other block reads
/// too.
void broadcast(ThreadContext *t, void **argv) {
  auto &p = *pointer<Tensors>(argv, 0);
  uint32_t block = t->registers->ctaid[0];
  float *mine = &p.y[block * kThreads];
  loadGlobal(t, mine, 1);
  if (p.fault != 1) {
    calls::ctaBarrier(t, 0, 0, 2);
  }
  if (t->index == 0) {
    storeGlobal(t, mine, 1.0f + block, 3);
  }
  if (p.fault == 2 && block == 3) {
    loadGlobal(t, &p.y[kThreads], 4);
  }
}

TEST_P(Global, ManyReadersOfOneElement) {
  for (bool ordersBlocks : {false, true}) {
    Tensors tensors;
    expectClean(run(broadcast, tensors, GetParam(), 4, ordersBlocks));
    for (int fault : {1, 2}) {
      tensors.fault = fault;
      Outcome outcome = run(broadcast, tensors, GetParam(), 4, ordersBlocks);
      ASSERT_FALSE(outcome.reports.empty()) << "fault " << fault;
      expectOnly(outcome, Report::Kind::Race, 0, 0);
    }
  }
}

/// Every block writes the same; fault 1: one of them another value.
void replicas(ThreadContext *t, void **argv) {
  auto &p = *pointer<Tensors>(argv, 0);
  bool other = p.fault && t->registers->ctaid[0] == 2 && t->index == 77;
  storeGlobal(t, &p.y[t->index], other ? -1.0f : static_cast<float>(t->index), 1);
}

TEST_P(Global, EqualStoresDoNotRace) {
  for (int round = 0; round < 20; ++round) {
    Tensors tensors;
    expectClean(run(replicas, tensors, GetParam(), 16));
    tensors = Tensors{1};
    Outcome outcome = run(replicas, tensors, GetParam(), 16);
    expectOnly(outcome, Report::Kind::Race, 1, 1);
    EXPECT_NE(outcome.reports[0].notes[0].message.find("at index [77] of [512]"), std::string::npos);
  }
}

/// Atomics of all blocks on one word. Faults: 1 somebody reads it plainly; 2 they are atomic for their block only.
void counter(ThreadContext *t, void **argv) {
  auto &p = *pointer<Tensors>(argv, 0);
  auto *word = reinterpret_cast<uint32_t *>(&p.y[3]);
  atomicAdd(t, word, 1, p.fault == 2 ? kAtomicOfCta : 0, 1);
  if (p.fault == 1 && t->index == 5) {
    loadGlobal(t, word, 2);
  }
}

TEST_P(Global, AtomicsDoNotRaceWithEachOther) {
  for (bool ordersBlocks : {false, true}) {
    Tensors tensors;
    expectClean(run(counter, tensors, GetParam(), 4, ordersBlocks));
    for (int fault : {1, 2}) {
      tensors = Tensors{fault};
      expectOnly(run(counter, tensors, GetParam(), 4, ordersBlocks), Report::Kind::Race, 0, 1);
    }
  }
}

} // namespace
