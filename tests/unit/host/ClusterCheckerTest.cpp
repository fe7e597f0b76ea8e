// Shared memory of a cluster: stores and copies to another block's memory, slots that are used again, and blocks that
// end.
#include "Checked.h"

#include <numeric>

namespace {

using namespace phobos::host;
using namespace phobos::host::test;

constexpr uint32_t kBarrier = 4096; // offset of an mbarrier

struct Plan {
  int fault = 0;
  std::vector<uint8_t> data = std::vector<uint8_t>(4096);
};

Outcome run(FiberEntry kernel, int fault, uint64_t seed) {
  Plan plan{fault};
  std::iota(plan.data.begin(), plan.data.end(), 0);
  void *data = &plan, *argv[] = {&data};
  LaunchRequest request = requestFor(kernel, 4, kThreads, argv);
  request.cluster = {2, 1, 1};
  request.staticSharedBytes = 8192;
  request.checks = kAll;
  request.seed = seed;
  TensorRange array{"data", plan.data.data(), 1, 1, {4096}, {1}};
  request.tensors = {&array, 1};
  return simulate(request);
}

class Clusters : public Seeded {};
INSTANTIATE_TEST_SUITE_P(All, Clusters, testing::Values(0, 1, 2, 3));

uint32_t rankOf(ThreadContext *t) { return t->registers->clusterCtarank; }
uint8_t *sharedOf(ThreadContext *t, uint32_t rank) {
  return t->shared + (int64_t(rank) - int64_t(rankOf(t))) * (int64_t(1) << kClusterRankShift);
}
template <typename T> void storeTo(ThreadContext *t, uint32_t rank, uint32_t offset, T value, uint32_t site) {
  auto *address = reinterpret_cast<T *>(sharedOf(t, rank) + offset);
  calls::checkSharedStore(t, address, &value, sizeof(T), site);
  *address = value;
}
template <typename T> T loadFrom(ThreadContext *t, uint32_t rank, uint32_t offset, uint32_t site) {
  auto *address = reinterpret_cast<T *>(sharedOf(t, rank) + offset);
  calls::checkSharedLoad(t, address, sizeof(T), site);
  return *address;
}
void meet(ThreadContext *t, uint32_t site, bool relaxed = false) {
  calls::clusterArrive(t, relaxed, site);
  calls::clusterWait(t, site);
}

void expectRaces(FiberEntry kernel, std::initializer_list<std::pair<int, const char *>> faults, uint64_t seed) {
  for (auto [fault, message] : faults) {
    Outcome outcome = run(kernel, fault, seed);
    ASSERT_FALSE(outcome.reports.empty()) << "fault " << fault;
    bool said = false;
    std::string all;
    for (const Report &report : outcome.reports) {
      EXPECT_TRUE(report.kind == Report::Kind::Race || report.kind == Report::Kind::Init) << report.message;
      said |= report.message.find(message) != std::string::npos;
      all += report.message + "\n";
    }
    EXPECT_TRUE(said) << "fault " << fault << ": " << all;
  }
}

/// Two turns in which each block stores to the other's slot, which reads it. Faults: 1 no barrier before the reads, 2 a
/// relaxed one, 3 none before the slot is used again, 4 none before the end.
void exchange(ThreadContext *t, void **argv) {
  int fault = pointer<Plan>(argv, 0)->fault;
  uint32_t other = rankOf(t) ^ 1;
  for (uint32_t turn = 0; turn < 2; ++turn) {
    storeTo<uint32_t>(t, other, t->index * 4, t->index + turn * 1000, 1);
    if (fault != 1) {
      meet(t, 2, fault == 2);
    }
    load<uint32_t>(t, (t->index ^ 37) * 4, 3);
    if (fault != 3) {
      meet(t, 4);
    }
  }
  loadFrom<uint32_t>(t, other, t->index * 4, 5);
  if (fault != 4) {
    meet(t, 6, true);
  }
}

TEST_P(Clusters, StoresToAnotherBlock) {
  expectClean(run(exchange, 0, GetParam()));
  const char *race = "data race in shared memory: ";
  expectRaces(exchange,
              {{1, race}, {2, race}, {3, race}, {4, "a block ends while another of its cluster may still access"}},
              GetParam());
}

/// Block 0 copies to both blocks' slots, turn by turn; a turn's slot is free when both blocks said so on an mbarrier of
/// block 0. Faults: 1 block 1 says so before it has read, 2 block 0 does not wait for it, 3 block 1 does not wait for
/// the copy.
void multicast(ThreadContext *t, void **argv) {
  const Plan &plan = *pointer<Plan>(argv, 0);
  constexpr uint32_t kFree = kBarrier + 8, kBytes = 512;
  uint32_t rank = rankOf(t);
  if (t->index == 0) {
    calls::mbarInit(t, t->shared + kBarrier, 1, 1);
    calls::mbarInit(t, t->shared + kFree, 2, 1);
    calls::fence(t, FenceKind::mbarrierInit, 1);
  }
  meet(t, 2, true);
  for (uint32_t turn = 0; turn < 3; ++turn) {
    if (t->index == 0) {
      calls::mbarArrive(t, t->shared + kBarrier, 1, kBytes, kMbarExpectTx, 3);
    }
    if (rank == 0 && t->index == 0) {
      if (turn > 0 && plan.fault != 2) {
        calls::mbarWaitParity(t, t->shared + kFree, (turn - 1) & 1, 4);
      }
      calls::bulkLoad(t, t->shared, plan.data.data() + turn * kBytes, t->shared + kBarrier, kBytes, 3, 5);
    }
    auto release = [&] {
      if (t->index == 0) {
        calls::mbarArrive(t, sharedOf(t, 0) + kFree, 1, 0, 0, 6);
      }
    };
    bool early = plan.fault == 1 && rank == 1;
    if (plan.fault != 3 || rank == 0) {
      calls::mbarWaitParity(t, t->shared + kBarrier, turn & 1, 7);
    }
    if (early) {
      release();
    }
    load<uint32_t>(t, (t->index ^ 3) * 4, 8);
    calls::ctaBarrier(t, 0, 0, 9);
    if (!early) {
      release();
    }
  }
  calls::mbarWaitParity(t, t->shared + kBarrier, 0, 10);
  meet(t, 11, true);
}

TEST_P(Clusters, SlotsOfAMulticastAreFreeWhenBothBlocksSaySo) {
  expectClean(run(multicast, 0, GetParam()));
  const char *race = "data race in shared memory: ";
  expectRaces(multicast, {{1, race}, {2, race}}, GetParam());
  EXPECT_FALSE(run(multicast, 3, GetParam()).reports.empty());
}

/// Blocks of a cluster hand global memory over by its barrier. Fault 1: a relaxed one.
void global(ThreadContext *t, void **argv) {
  Plan &plan = *pointer<Plan>(argv, 0);
  uint32_t block = t->registers->ctaid[0];
  storeGlobal(t, &plan.data[block * kThreads + t->index], uint8_t(block), 1);
  meet(t, 2, plan.fault == 1);
  loadGlobal(t, &plan.data[(block ^ 1) * kThreads + (t->index ^ 5)], 3);
}

TEST_P(Clusters, TheBarrierOrdersGlobalMemory) {
  expectClean(run(global, 0, GetParam()));
  expectRaces(global, {{1, "data race in `data`: "}}, GetParam());
}

/// A bulk store is waited for before its thread ends, a bulk load before its block does. Faults: 1, 2 they are not; 3
/// two blocks store to the same place.
void ending(ThreadContext *t, void **argv) {
  Plan &plan = *pointer<Plan>(argv, 0);
  uint32_t block = t->registers->ctaid[0];
  store<uint32_t>(t, t->index * 4, t->index + block, 1);
  calls::fence(t, FenceKind::proxyAsyncShared, 2);
  if (t->index == 0) {
    calls::mbarInit(t, t->shared + kBarrier, 1, 3);
    calls::fence(t, FenceKind::mbarrierInit, 3);
  }
  calls::ctaBarrier(t, 0, 0, 4);
  if (t->index != 0) {
    return;
  }
  calls::mbarArrive(t, t->shared + kBarrier, 1, 256, kMbarExpectTx, 5);
  calls::bulkLoad(t, t->shared + 1024, plan.data.data() + 2048, t->shared + kBarrier, 256, 0, 6);
  calls::bulkStore(t, plan.data.data() + (plan.fault == 3 ? 0 : block * 512), t->shared, 512, 0xffff, 7);
  calls::bulkCommit(t, 8);
  if (plan.fault != 1) {
    calls::bulkWait(t, 0, 1, 9);
  }
  if (plan.fault != 2) {
    calls::mbarWaitParity(t, t->shared + kBarrier, 0, 10);
  }
}

TEST_P(Clusters, CopiesAreWaitedForBeforeTheEnd) {
  expectClean(run(ending, 0, GetParam()));
  expectRaces(ending,
              {{1, "a thread ends with a bulk store that it never waited for"},
               {2, "a block ends with a bulk copy that nobody waited for"},
               {3, "data race in `data`: a write and an earlier write"}},
              GetParam());
}

} // namespace
