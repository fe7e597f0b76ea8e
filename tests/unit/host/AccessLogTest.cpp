// The checker of global memory in a thread loop: accesses noted as generated code notes them, told in runs.
#include "Checked.h"

#include <cstring>
#include <numeric>

namespace {

using namespace phobos::host;
using namespace phobos::host::test;
using phobos::HostAccess;

struct alignas(16) Vector {
  float at[4];
};

// The places of the kernels below; a place's site is its number plus 1.
enum Place : uint32_t { LoadWord, LoadVector, StoreWord, StoreVector, StoreByte, LoadHalf, Count, Watch, kPlaces };
constexpr HostAccess kAccesses[kPlaces] = {
    {LoadWord + 1, 4, HostAccess::Kind::Load, false},   {LoadVector + 1, 16, HostAccess::Kind::Load, false},
    {StoreWord + 1, 4, HostAccess::Kind::Store, false}, {StoreVector + 1, 16, HostAccess::Kind::Store, false},
    {StoreByte + 1, 1, HostAccess::Kind::Store, false}, {LoadHalf + 1, 2, HostAccess::Kind::Load, false},
    {Count + 1, 4, HostAccess::Kind::Atomic, false},    {Watch + 1, 4, HostAccess::Kind::AtomicLoad, false},
};

struct Memory {
  int fault = 0;
  uint32_t threads = kThreads;
  std::vector<float> x = std::vector<float>(4096), y = std::vector<float>(4096);
};

struct Thread {
  ThreadContext *context;
  Memory &memory;
  uint32_t block, index;

  template <typename T> void note(Place place, const T *address, const T *value = nullptr) {
    AccessSlot &slot = context->slots[place];
    auto at = reinterpret_cast<uintptr_t>(address);
    if (at - slot.begin > slot.room) {
      calls::checkPlace(context, address, place, index);
    }
    *slot.next = at | uint64_t(index) << kAccessThreadShift;
    if (value) {
      size_t word = reinterpret_cast<uintptr_t>(slot.next) % kAccessLogBytes / sizeof(uint64_t);
      std::memcpy(slot.values + word * sizeof(T), value, sizeof(T));
    }
    ++slot.next;
    if (reinterpret_cast<uintptr_t>(slot.next) % kAccessLogBytes == 0) {
      calls::accessesFull(context);
    }
  }
  template <typename T> T load(Place place, const T *address) {
    note(place, address);
    return *address;
  }
  template <typename T> void store(Place place, T *address, std::type_identity_t<T> value) {
    note(place, address, &value);
    *address = value;
  }
};

template <void body(Thread)> void loop(ThreadContext *t, void **argv) {
  auto &memory = *pointer<Memory>(argv, 0);
  for (uint32_t i = 0; i < memory.threads; ++i) {
    body({t, memory, t->registers->ctaid[0], i});
  }
}

Outcome run(LoopEntry kernel, Memory &memory, uint64_t seed = 0, uint32_t blocks = 4, Checks checks = kAll) {
  void *data = &memory, *argv[] = {&data};
  LaunchRequest request;
  request.loop = kernel;
  request.grid = {blocks, 1, 1};
  request.block = {memory.threads, 1, 1};
  request.argv = argv;
  std::vector<TensorRange> ranges(2);
  ranges[0] = {"x", reinterpret_cast<uint8_t *>(memory.x.data()), 4, 2, {32, 120}, {128, 1}}; // rows 8 elements apart
  ranges[1] = {"y", reinterpret_cast<uint8_t *>(memory.y.data()), 4, 1, {4096}, {1}};
  request.tensors = ranges;
  request.accesses = kAccesses;
  request.ordersBlocks = false;
  request.checks = checks;
  request.seed = seed;
  return simulate(request);
}

class Loop : public Seeded {};
INSTANTIATE_TEST_SUITE_P(All, Loop, testing::Values(0, 1, 2));

/// Vectors side by side. Faults: 1 a block writes into the next block's part, 2 a thread reads its neighbour's, 3 a
/// block reads its neighbour's.
void vectors(Thread t) {
  auto *y = reinterpret_cast<Vector *>(t.memory.y.data()) + t.block * kThreads;
  t.store(StoreVector, &y[t.index], {float(t.index + 1), 2, 3, 4 + float(t.block)});
  t.load(LoadVector, &y[t.index]); // one's own
  t.load(LoadWord, &y[t.index].at[2]);
  if (t.memory.fault == 1 && t.block == 1 && t.index == 77) {
    t.store(StoreWord, &y[kThreads + 5].at[1], -1);
  } else if (t.memory.fault == 2) {
    t.load(LoadWord, &y[t.index ^ 1].at[0]);
  } else if (t.memory.fault == 3 && t.block == 2) {
    t.load(LoadWord, &(y - kThreads)[t.index].at[3]);
  }
}

TEST_P(Loop, AccessesSideBySide) {
  Memory memory;
  expectClean(run(loop<vectors>, memory, GetParam()));
  const Place kWant[] = {StoreWord, LoadWord, LoadWord};
  for (int fault : {1, 2, 3}) {
    memory.fault = fault;
    Outcome outcome = run(loop<vectors>, memory, GetParam());
    ASSERT_FALSE(outcome.reports.empty()) << fault;
    for (const Report &report : outcome.reports) {
      EXPECT_EQ(report.kind, Report::Kind::Race);
      EXPECT_EQ(report.message.find("data race in `y`: "), 0u) << report.message;
      uint32_t want = kWant[fault - 1] + 1;
      EXPECT_TRUE(report.site == want || report.notes.back().site == want);
    }
  }
}

TEST(Loop, ReportsNameThreadIndexAndExtents) {
  Memory memory{2};
  Outcome outcome = run(loop<vectors>, memory, 0, 1);
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].message, "data race in `y`: a read and an earlier write with nothing that orders them");
  EXPECT_EQ(outcome.reports[0].notes[0].message, "this is block (0, 0, 0), thread 0, at index [4] of [4096]");
  EXPECT_EQ(outcome.reports[0].notes[1].message, "the other is thread 1 of the same block");
}

/// Columns, bytes, and single threads that walk over rows. Fault 1: threads walk over the same row; 2: a byte of
/// another thread's half.
void strides(Thread t) {
  float *y = t.memory.y.data();
  t.store(StoreWord, &y[t.index * 8 + t.block], float(t.index)); // a column of [128, 8] for each block
  auto *bytes = reinterpret_cast<uint8_t *>(y + 1024) + t.block * kThreads;
  t.store(StoreByte, &bytes[t.index], static_cast<uint8_t>(t.index));
  for (uint32_t i = 0; i < 16 && t.index < 4; ++i) {
    uint32_t row = t.block * 4 + (t.memory.fault == 1 ? 0 : t.index);
    t.store(StoreWord, &y[2048 + row * 16 + i], float(t.index * 16 + i));
  }
  if (t.memory.fault == 2 && t.index == 9) {
    t.load(LoadHalf, reinterpret_cast<uint16_t *>(bytes + 8));
  }
}

TEST_P(Loop, AccessesApart) {
  Memory memory;
  expectClean(run(loop<strides>, memory, GetParam()));
  memory.fault = 1;
  expectOnly(run(loop<strides>, memory, GetParam()), Report::Kind::Race, StoreWord + 1, StoreWord + 1);
  memory.fault = 2;
  expectOnly(run(loop<strides>, memory, GetParam()), Report::Kind::Race, 0, 0);
}

/// All threads of all blocks read one element; a stencil reads over its block's edges. Fault 1: somebody writes it.
void shared(Thread t) {
  float *x = t.memory.x.data(), *y = t.memory.y.data();
  uint32_t i = t.block * kThreads + t.index;
  float value = t.load(LoadWord, &x[0]);
  value += t.load(LoadWord, &y[i + 1]) + t.load(LoadWord, &y[i + 2]) + t.load(LoadWord, &y[i + 3]);
  t.store(StoreWord, &y[2048 + i], value);
  if (t.memory.fault && t.block == 2 && t.index == 3) {
    t.store(StoreWord, t.memory.fault == 1 ? &x[0] : &y[i + 1], 1);
  }
}

TEST_P(Loop, ManyReaders) {
  Memory memory;
  expectClean(run(loop<shared>, memory, GetParam()));
  for (int fault : {1, 2}) {
    memory.fault = fault;
    expectOnly(run(loop<shared>, memory, GetParam()), Report::Kind::Race, 0, 0);
  }
}

/// Equal stores of all blocks; fault 1: one differs.
void replicas(Thread t) {
  bool other = t.memory.fault && t.block == 3 && t.index == 40;
  t.store(StoreWord, &t.memory.y[t.index], other ? 1 : float(t.index) + 1);
  t.store(StoreVector, reinterpret_cast<Vector *>(&t.memory.y[1024]), {1, 2, 3, 4});
}

TEST_P(Loop, EqualStoresDoNotRace) {
  for (int round = 0; round < 50; ++round) {
    Memory memory;
    expectClean(run(loop<replicas>, memory, GetParam(), 32));
    memory = Memory{1};
    Outcome outcome = run(loop<replicas>, memory, GetParam(), 32);
    expectOnly(outcome, Report::Kind::Race, StoreWord + 1, StoreWord + 1);
    EXPECT_NE(outcome.reports[0].notes[0].message.find("at index [40] of [4096]"), std::string::npos);
  }
}

/// Relaxed atomics on few words, and loads that watch them. Fault 1: a plain load, 2: a plain store.
void counters(Thread t) {
  auto *words = reinterpret_cast<uint32_t *>(t.memory.y.data());
  uint32_t *word = &words[(t.index * 7 + t.block) % 16];
  t.note(Count, word);
  __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
  t.note(Watch, word);
  if (t.memory.fault == 1 && t.block == 1 && t.index == 9) {
    t.load(LoadWord, reinterpret_cast<float *>(word));
  } else if (t.memory.fault == 2 && t.block == 1 && t.index == 9) {
    t.store(StoreWord, reinterpret_cast<float *>(word), 0);
  }
}

TEST_P(Loop, AtomicsDoNotRaceWithEachOther) {
  Memory memory;
  expectClean(run(loop<counters>, memory, GetParam()));
  for (int fault : {1, 2}) {
    memory.fault = fault;
    expectOnly(run(loop<counters>, memory, GetParam()), Report::Kind::Race, 0, 0);
  }
}

/// Faults: 1 a store behind the end, 2 a load between two rows, 3 a load before the beginning.
void bounds(Thread t) {
  float *x = t.memory.x.data(), *y = t.memory.y.data();
  for (uint32_t row = 0; row < 32; ++row) {
    uint32_t column = t.memory.fault == 2 && row == 3 && t.index == 100 ? 122 : std::min(t.index, 119u);
    float value = t.load(LoadWord, &x[row * 128 + column]);
    t.store(StoreWord, &y[row * 128 + t.index], value);
  }
  if (t.memory.fault == 1 && t.index == 31) {
    t.store(StoreVector, reinterpret_cast<Vector *>(y + 4096), {});
  } else if (t.memory.fault == 3 && t.index == 5) {
    t.load(LoadHalf, reinterpret_cast<uint16_t *>(x) - 1);
  }
}

TEST(Loop, BoundsNameThreadTensorAndIndex) {
  const char *const kWant[][2] = {
      {"store to `y` out of bounds: index [4096], extents [4096]", "block (0, 0, 0), thread 31"},
      {"load from `x` out of bounds: index [3, 122], extents [32, 120]", "block (0, 0, 0), thread 100"},
      {"load from `x` out of bounds: index [-1, 127], extents [32, 120]", "block (0, 0, 0), thread 5"}};
  for (Checks checks : {kAll, Checks{.bounds = true}}) {
    Memory memory;
    memory.y.resize(4100);
    expectClean(run(loop<bounds>, memory, 0, 1, checks));
    for (int fault : {1, 2, 3}) {
      memory.fault = fault;
      Outcome outcome = run(loop<bounds>, memory, 0, 1, checks);
      ASSERT_EQ(outcome.reports.size(), 1u) << fault;
      EXPECT_EQ(outcome.reports[0].kind, Report::Kind::Bounds);
      EXPECT_EQ(outcome.reports[0].message, kWant[fault - 1][0]);
      EXPECT_EQ(outcome.reports[0].notes[0].message, kWant[fault - 1][1]);
    }
  }
}

/// More accesses of a place than its slot holds, and blocks of three dimensions.
TEST(Loop, SlotsFillUpAndThreadsHaveThreeNumbers) {
  Memory memory;
  expectClean(run(loop<strides>, memory));
  Checks races{.race = true};
  for (int round = 0; round < 2; ++round) {
    memory.fault = 0;
    expectClean(run(loop<bounds>, memory, 0, 1, races));
    memory.fault = 3; // without the check of bounds nothing
    expectClean(run(loop<bounds>, memory, 0, 1, races));
  }
}

} // namespace
