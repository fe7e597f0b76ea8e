// Blocks, and threads of a block, that hand memory over by flags, locks and barriers of the grid.
#include "Checked.h"

namespace {

using namespace phobos::host;
using namespace phobos::host::test;

constexpr uint32_t kBlocks = 4;

struct Memory {
  int fault = 0;
  std::vector<uint32_t> data = std::vector<uint32_t>(kBlocks * kThreads), flags = std::vector<uint32_t>(64);
};

Outcome run(FiberEntry kernel, int fault, uint64_t seed, uint32_t threads = kThreads) {
  Memory memory{fault};
  void *pointer = &memory, *argv[] = {&pointer};
  LaunchRequest request = requestFor(kernel, kBlocks, threads, argv);
  std::vector<TensorRange> ranges(2);
  ranges[0] = {"data", reinterpret_cast<uint8_t *>(memory.data.data()), 4, 1, {kBlocks * kThreads}, {1}};
  ranges[1] = {"flags", reinterpret_cast<uint8_t *>(memory.flags.data()), 4, 1, {64}, {1}};
  request.tensors = ranges;
  request.staticSharedBytes = 1024;
  request.checks = kAll;
  request.seed = seed;
  return simulate(request);
}

class Handoff : public Seeded {};
INSTANTIATE_TEST_SUITE_P(All, Handoff, testing::Values(0, 1, 2, 3));

void expectRaces(FiberEntry kernel, std::initializer_list<int> faults, uint64_t seed, const char *name) {
  for (int fault : faults) {
    Outcome outcome = run(kernel, fault, seed);
    ASSERT_FALSE(outcome.reports.empty()) << "fault " << fault;
    for (const Report &report : outcome.reports) {
      EXPECT_EQ(report.kind, Report::Kind::Race);
      EXPECT_EQ(report.message.find(name), 0u) << report.message;
    }
  }
}

void await(ThreadContext *t, const uint32_t *flag, uint32_t value, uint32_t flags, uint32_t site) {
  while (atomicLoad(t, flag, flags, site) < value) {
    calls::yield(t, site);
  }
}

/// Each block waits for the one before. Faults: 1 no fence before the flag, 2 none after it, 3 a fence of the block's
/// scope, 4 no barrier between the stores and the flag.
void chain(ThreadContext *t, void **argv) {
  auto &m = *pointer<Memory>(argv, 0);
  uint32_t block = t->registers->ctaid[0];
  if (block > 0) {
    if (t->index == 0) {
      await(t, &m.flags[block - 1], 1, 0, 1);
      if (m.fault != 2) {
        calls::fence(t, FenceKind::gpu, 2);
      }
    }
    calls::ctaBarrier(t, 0, 0, 3);
    loadGlobal(t, &m.data[(block - 1) * kThreads + (t->index ^ 9)], 4);
  }
  storeGlobal(t, &m.data[block * kThreads + t->index], block, 5);
  if (m.fault != 4) {
    calls::ctaBarrier(t, 0, 0, 6);
  }
  if (t->index == 0) {
    if (m.fault != 1) {
      calls::fence(t, m.fault == 3 ? FenceKind::cta : FenceKind::gpu, 7);
    }
    atomicAdd(t, &m.flags[block], 1, 0, 8);
  }
}

TEST_P(Handoff, FlagsWithFences) {
  expectClean(run(chain, 0, GetParam()));
  expectRaces(chain, {1, 2, 3, 4}, GetParam(), "data race in `data`: ");
}

/// The same by release and acquire. Faults: 1 the store releases nothing, 2 the load acquires nothing, 3 the last block
/// looks at a flag that another block set, which knows nothing of the data.
void release(ThreadContext *t, void **argv) {
  auto &m = *pointer<Memory>(argv, 0);
  uint32_t block = t->registers->ctaid[0];
  if (block == 0) {
    storeGlobal(t, &m.data[t->index], 7, 1);
    calls::ctaBarrier(t, 0, 0, 2);
    if (t->index == 0) {
      atomicStore(t, &m.flags[0], 1, m.fault == 1 ? 0 : kAtomicReleases, 3);
    }
    return;
  }
  uint32_t *flag = &m.flags[block == 3 && m.fault == 3 ? 9 : 0];
  if (block == 1) { // has fenced, and met somebody at a flag, but knows nothing
    calls::fence(t, FenceKind::gpu, 4);
    atomicAdd(t, &m.flags[9], 1, kAtomicReleases | kAtomicAcquires, 5);
    return;
  }
  await(t, flag, 1, m.fault == 2 ? 0 : kAtomicAcquires, 6);
  calls::fence(t, m.fault == 2 ? FenceKind::cta : FenceKind::gpu, 7);
  loadGlobal(t, &m.data[t->index], 8);
}

TEST_P(Handoff, ReleaseAndAcquireGoThroughTheirFlag) {
  expectClean(run(release, 0, GetParam()));
  expectRaces(release, {1, 2, 3}, GetParam(), "data race in `data`: ");
}

/// A lock around a sum. Faults: 1 no lock, 2 a release that releases nothing, 3 an acquisition that acquires nothing.
void lock(ThreadContext *t, void **argv) {
  auto &m = *pointer<Memory>(argv, 0);
  if (t->index != 0) {
    return;
  }
  while (m.fault != 1 && !atomicExchange(t, &m.flags[0], 0, 1, m.fault == 3 ? 0 : kAtomicAcquires, 1)) {
    calls::yield(t, 1);
  }
  uint32_t sum = loadGlobal(t, &m.data[0], 2);
  storeGlobal(t, &m.data[0], sum + 1 + t->registers->ctaid[0], 3);
  if (m.fault != 1) {
    atomicStore(t, &m.flags[0], 0, m.fault == 2 ? 0 : kAtomicReleases, 4);
  }
}

TEST_P(Handoff, Locks) {
  expectClean(run(lock, 0, GetParam()));
  expectRaces(lock, {1, 2, 3}, GetParam(), "data race in `data`: ");
}

/// Two turns, each behind a barrier of the grid. Fault 1: the second turn's barrier is left out; 2: a block does not
/// wait.
void grid(ThreadContext *t, void **argv) {
  auto &m = *pointer<Memory>(argv, 0);
  uint32_t block = t->registers->ctaid[0], next = (block + 1) % kBlocks;
  auto meet = [&](uint32_t number) {
    calls::ctaBarrier(t, 0, 0, 1);
    if (t->index == 0) {
      calls::fence(t, FenceKind::gpu, 2);
      atomicAdd(t, &m.flags[number], 1, 0, 3);
      if (m.fault != 2 || block != 2) {
        await(t, &m.flags[number], kBlocks, 0, 4);
        calls::fence(t, FenceKind::gpu, 5);
      }
    }
    calls::ctaBarrier(t, 0, 0, 6);
  };
  storeGlobal(t, &m.data[block * kThreads + t->index], block + 1, 7);
  meet(0);
  uint32_t got = loadGlobal(t, &m.data[next * kThreads + t->index], 8);
  if (m.fault != 1) {
    meet(1);
  }
  storeGlobal(t, &m.data[block * kThreads + t->index], got + 5, 9);
}

TEST_P(Handoff, BarriersOfTheGrid) {
  expectClean(run(grid, 0, GetParam()));
  expectRaces(grid, {1, 2}, GetParam(), "data race in `data`: ");
}

/// Blocks leave partial sums, the last to come adds them up. Fault 1: who counts does not release; 2: the last does not
/// acquire.
void partials(ThreadContext *t, void **argv) {
  auto &m = *pointer<Memory>(argv, 0);
  uint32_t block = t->registers->ctaid[0];
  storeGlobal(t, &m.data[block * kThreads + t->index], block, 1);
  calls::ctaBarrier(t, 0, 0, 2);
  auto *last = reinterpret_cast<uint32_t *>(t->shared);
  if (t->index == 0) {
    uint32_t flags = (m.fault == 1 ? 0 : kAtomicReleases) | (m.fault == 2 ? 0 : kAtomicAcquires);
    store<uint32_t>(t, 0, atomicAdd(t, &m.flags[0], 1, flags, 3) == kBlocks - 1, 4);
  }
  calls::ctaBarrier(t, 0, 0, 5);
  load<uint32_t>(t, 0, 6);
  if (*last) {
    for (uint32_t i = 0; i < kBlocks; ++i) {
      loadGlobal(t, &m.data[i * kThreads + (t->index ^ 5)], 7);
    }
  }
}

TEST_P(Handoff, TheLastBlockAddsUp) {
  expectClean(run(partials, 0, GetParam()));
  expectRaces(partials, {1, 2}, GetParam(), "data race in `data`: ");
}

/// Within a block, by a flag in shared memory: warp 0 writes, the others wait. Faults: 1 no release, 2 no acquire.
void within(ThreadContext *t, void **argv) {
  int fault = pointer<Memory>(argv, 0)->fault;
  auto *flag = reinterpret_cast<uint32_t *>(t->shared + 512);
  if (t->index == 0) {
    store<uint32_t>(t, 512, 0, 1);
  }
  calls::ctaBarrier(t, 0, 0, 2);
  if (t->index == 0) {
    store<uint32_t>(t, 0, 5, 3);
    atomicStore(t, flag, 1, (fault == 1 ? 0 : kAtomicReleases) | kAtomicOfCta, 4);
  } else if (t->index >= 32) {
    await(t, flag, 1, (fault == 2 ? 0 : kAtomicAcquires) | kAtomicOfCta, 5);
    EXPECT_EQ(load<uint32_t>(t, 0, 6), 5u);
  }
}

TEST_P(Handoff, FlagsInSharedMemory) {
  expectClean(run(within, 0, GetParam()));
  expectRaces(within, {1, 2}, GetParam(), "data race in shared memory: ");
}

} // namespace
