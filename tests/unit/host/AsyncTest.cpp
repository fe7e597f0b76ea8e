// cp.async: copies land when a wait asks for them and no sooner; and TMA's boxes against a walk by hand.
#include "Kernels.h"

#include <cstring>
#include <numeric>
#include <random>

namespace {

using namespace phobos::host;
using namespace phobos::host::test;

struct Lands {
  const uint32_t *source;
  uint32_t *seen; // what lies in shared memory after each step
};

void landing(ThreadContext *t, void **argv) {
  auto &p = *pointer<Lands>(argv, 0);
  auto *shared = reinterpret_cast<volatile uint32_t *>(t->shared);
  for (uint32_t i = 0; i < 4; ++i) {
    shared[i * 4] = 100;
  }
  uint32_t *out = p.seen;
  auto look = [&] {
    for (uint32_t i = 0; i < 4; ++i) {
      *out++ = shared[i * 4];
    }
  };
  for (uint32_t i = 0; i < 3; ++i) { // three groups of one copy
    calls::copyAsync(t, t->shared + i * 16, p.source + i * 4, 16, 16, 1);
    calls::copyCommit(t, 1);
  }
  calls::copyAsync(t, t->shared + 48, p.source + 12, 16, 4, 1); // in no group; 4 bytes and 12 zeros
  look();
  calls::copyWait(t, 2, 2);
  look();
  calls::copyWait(t, 0, 3);
  look();
  calls::copyWait(t, ~0u, 4);
  look();
  *out++ = shared[13];
}

TEST(CpAsync, LandsWhenAWaitAsksForIt) {
  std::vector<uint32_t> source(16), seen(17);
  std::iota(source.begin(), source.end(), 1);
  Lands lands{source.data(), seen.data()};
  void *data = &lands, *argv[] = {&data};
  LaunchRequest request = requestFor(landing, 1, 1, argv);
  request.staticSharedBytes = 64;
  expectClean(simulate(request));
  std::vector<uint32_t> want = {100, 100, 100, 100, 1, 100, 100, 100, 1, 5, 9, 100, 1, 5, 9, 13, 0};
  EXPECT_EQ(seen, want);
}

void manyGroups(ThreadContext *t, void **argv) {
  auto *source = pointer<uint32_t>(argv, 0);
  auto *shared = reinterpret_cast<volatile uint32_t *>(t->shared);
  for (uint32_t i = 0; i < 500; ++i) {
    calls::copyAsync(t, t->shared + i * 4, source + i, 4, 4, 1);
    calls::copyCommit(t, 1);
    if (i >= 100) {
      calls::copyWait(t, 100, 2);
      EXPECT_EQ(shared[i - 100], source[i - 100]);
      EXPECT_EQ(shared[i - 99], 0xffffffffu);
    }
  }
}

TEST(CpAsync, AnyNumberOfGroupsMayBePending) {
  std::vector<uint32_t> source(500);
  std::iota(source.begin(), source.end(), 0);
  void *data = source.data(), *argv[] = {&data};
  LaunchRequest request = requestFor(manyGroups, 1, 1, argv);
  request.staticSharedBytes = 2000;
  expectClean(simulate(request));
}

struct Boxes {
  TensorMap map;
  int32_t x, y;
  bool stores = true;           // the box back where it came from
  std::vector<uint16_t> shared; // a copy of the box as it landed
};

void box(ThreadContext *t, void **argv) {
  auto &p = *pointer<Boxes>(argv, 0);
  void *barrier = t->shared + 16384;
  uint32_t bytes = p.map.box[0] * p.map.box[1] * 2u;
  if (t->index == 0) {
    calls::mbarInit(t, barrier, 1, 1);
    calls::mbarArrive(t, barrier, 1, bytes, kMbarExpectTx, 1);
    calls::tmaLoad(t, t->shared, &p.map, barrier, p.x, p.y, 0, 0, 0, 0, 2);
  }
  calls::ctaBarrier(t, 0, 0, 3);
  calls::mbarWaitParity(t, barrier, 0, 4);
  if (t->index == 0) {
    std::memcpy(p.shared.data(), t->shared, bytes);
    if (p.stores) {
      calls::tmaStore(t, &p.map, t->shared, p.x, p.y, 0, 0, 0, 5);
      calls::bulkCommit(t, 6);
      calls::bulkWait(t, 0, 0, 7);
    }
  }
}

class Swizzle : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(All, Swizzle, testing::Values(0, 32, 64, 128));

TEST_P(Swizzle, BoxesLandSwizzledAndEdgesReadZero) {
  constexpr int kRows = 37, kColumns = 72, kBoxRows = 16;
  int swizzle = GetParam(), boxColumns = swizzle ? swizzle / 2 : 64;
  std::vector<uint16_t> tensor(kRows * kColumns);
  std::iota(tensor.begin(), tensor.end(), 1);
  for (auto [x, y] : {std::pair{0, 0}, {48, 30}, {-8, -3}, {8, 8}}) {
    Boxes p;
    p.map = {};
    p.map.base = reinterpret_cast<uint8_t *>(tensor.data());
    p.map.rank = 2;
    p.map.element = Element::f16;
    p.map.dims[0] = kColumns;
    p.map.dims[1] = kRows;
    p.map.strides[0] = kColumns * 2;
    p.map.box[0] = static_cast<uint16_t>(boxColumns);
    p.map.box[1] = kBoxRows;
    p.map.swizzle = static_cast<uint8_t>(swizzle);
    p.x = x;
    p.y = y;
    p.stores = x >= 0 && y >= 0;
    p.shared.resize(boxColumns * kBoxRows);
    std::vector<uint16_t> before = tensor;
    void *data = &p, *argv[] = {&data};
    LaunchRequest request = requestFor(box, 1, 32, argv);
    request.staticSharedBytes = 16384 + 64;
    expectClean(simulate(request));
    EXPECT_EQ(tensor, before); // stored back what was loaded, and nothing outside
    for (int r = 0; r < kBoxRows; ++r) {
      for (int c = 0; c < boxColumns; ++c) {
        int row = y + r, column = x + c;
        bool inside = row >= 0 && row < kRows && column >= 0 && column < kColumns;
        uint16_t want = inside ? tensor[row * kColumns + column] : 0;
        int byte = r * boxColumns * 2 + c * 2, chunk = byte / 16;
        int turned = swizzle ? chunk ^ ((byte >> 7) % (swizzle / 16)) : chunk;
        ASSERT_EQ(p.shared[(turned * 16 + byte % 16) / 2], want) << "row " << r << " column " << c;
      }
    }
  }
}

/// What the simulator says of a box of 16 x 16 that begins at (x, y) of 64 x 64 halves.
Outcome outcomeOfBox(int32_t x, int32_t y) {
  std::vector<uint16_t> tensor(64 * 64);
  Boxes p;
  p.map = {};
  p.map.base = reinterpret_cast<uint8_t *>(tensor.data());
  p.map.rank = 2;
  p.map.element = Element::f16;
  p.map.dims[0] = p.map.dims[1] = 64;
  p.map.strides[0] = 128;
  p.map.box[0] = p.map.box[1] = 16;
  p.x = x;
  p.y = y;
  p.shared.resize(256);
  void *data = &p, *argv[] = {&data};
  LaunchRequest request = requestFor(box, 1, 32, argv);
  request.staticSharedBytes = 16384 + 64;
  return simulate(request);
}

TEST(BulkCopies, BeginAtWhole16BytesOfARow) {
  Outcome outcome = outcomeOfBox(3, 1);
  ASSERT_FALSE(outcome.reports.empty());
  EXPECT_EQ(outcome.reports[0].kind, Report::Kind::Trap);
  EXPECT_NE(outcome.reports[0].message.find("begins 6 bytes into its rows"), std::string::npos);
  EXPECT_EQ(outcome.reports[0].site, 2u);
}

TEST(BulkCopies, StoreNothingBeforeTheTensor) {
  Outcome outcome = outcomeOfBox(8, -3); // loading it is allowed
  ASSERT_FALSE(outcome.reports.empty());
  EXPECT_EQ(outcome.reports[0].kind, Report::Kind::Trap);
  EXPECT_NE(outcome.reports[0].message.find("stores to place -3 along dimension 1"), std::string::npos);
  EXPECT_EQ(outcome.reports[0].site, 5u);
}

} // namespace
