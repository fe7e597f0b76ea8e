// Which facts select a variant, and that their bytes are stable: the same facts must name the same entry on disk
// tomorrow.
#include "Fakes.h"

#include "phobos/runtime/Specialise.h"
#include <gtest/gtest.h>
#include <set>

using namespace phobos;
using namespace phobos::fake;
using namespace phobos::runtime;

namespace {

Specialisation factsFor(std::vector<Argument> arguments, std::vector<std::vector<int64_t>> multiples) {
  Signature signature(matmulInfo(), "kernel.py", kMatmulText);
  auto binding = bindArguments(signature, arguments.data());
  EXPECT_TRUE(binding) << errorOf(binding);
  return specialise(signature, *binding, multiples);
}

TEST(Specialise, StridesAlignmentAndWholeTiles) {
  Array a(DType::f16, {128, 32}), b(DType::f16, {32, 64}, (void *)0x1008, {1, 32}),
      c(DType::f16, {128, 64}, (void *)0x1000, {65, 1});
  Specialisation facts = factsFor({a, b, c}, {{64, 128, 256}, {}, {64}});
  ASSERT_EQ(facts.tensors.size(), 3u);
  EXPECT_EQ(facts.tensors[0].unitStride, 0b10u);
  EXPECT_EQ(facts.tensors[0].alignedStride, 0b01u);
  EXPECT_TRUE(facts.tensors[0].alignedPointer);
  EXPECT_EQ(facts.tensors[1].unitStride, 0b01u); // transposed
  EXPECT_EQ(facts.tensors[1].alignedStride, 0b10u);
  EXPECT_FALSE(facts.tensors[1].alignedPointer);
  EXPECT_EQ(facts.tensors[2].alignedStride, 0u); // a pitch of 130 bytes
  EXPECT_EQ(facts.wholeMultiples, (std::vector<uint64_t>{0b011, 0, 1}));
  EXPECT_FALSE(facts.index64);
}

TEST(Specialise, BroadcastStridesAndEmptyExtents) {
  Array a(DType::f16, {128, 32}, (void *)0x1000, {0, 1}), b(DType::f16, {32, 0}), c(DType::f16, {128, 0});
  Specialisation facts = factsFor({a, b, c}, {{64}, {32}, {64}});
  EXPECT_EQ(facts.tensors[0].zeroStride, 0b01u);
  EXPECT_EQ(facts.wholeMultiples, (std::vector<uint64_t>{1, 1, 0})); // 0 is no whole tile: masks stay
  EXPECT_EQ(facts.emptyDims, 0b100u);
  EXPECT_TRUE(facts.tensors[0].alignedPointer);
  EXPECT_FALSE(facts.tensors[1].alignedPointer); // nothing is there to be read at once
}

// CASES 46: extents of 1 and multiples of 16 make others compile again.
TEST(Specialise, ExtentsAloneDoNotCompileAgain) {
  std::set<std::string> keys;
  for (int64_t n : {1, 3, 8, 16, 17, 4096}) {
    Array a(DType::f16, {n, 32}), b(DType::f16, {32, 64}), c(DType::f16, {n, 64});
    keys.insert(keyBytes(factsFor({a, b, c}, {{}, {}, {}})));
  }
  EXPECT_EQ(keys.size(), 1u);
}

TEST(Specialise, KeysOfConstantsDoNotRunTogether) {
  auto i = [](int64_t v) { return ConstantValue::ofInt(v); };
  ConstantValue tuple{ConstantValue::Kind::Tuple};
  tuple.items = {i(1), i(2)};
  std::vector<Constants> sets = {{},
                                 {{"A", i(1)}},
                                 {{"A", i(2)}},
                                 {{"B", i(1)}},
                                 {{"A", i(1)}, {"B", i(1)}},
                                 {{"A", ConstantValue::ofBool(true)}},
                                 {{"A", ConstantValue::ofFloat(1.0)}},
                                 {{"A", ConstantValue::ofFloat(-0.0)}},
                                 {{"A", ConstantValue::ofFloat(0.0)}},
                                 {{"A", ConstantValue::ofType(DType::f16)}},
                                 {{"A", tuple}}};
  std::set<std::string> keys;
  for (const Constants &set : sets) {
    EXPECT_TRUE(keys.insert(keyBytes(set)).second);
  }
}

TEST(Specialise, BytesAreStable) {
  Specialisation facts;
  facts.tensors = {{2, 0, 1, true}};
  facts.wholeMultiples = {5};
  facts.emptyDims = 6;
  facts.index64 = true;
  std::string bytes = keyBytes(facts);
  const unsigned char want[] = {2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0,
                                0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
  ASSERT_EQ(bytes, std::string(reinterpret_cast<const char *>(want), sizeof want));
}

} // namespace
