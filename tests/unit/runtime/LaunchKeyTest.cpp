// The warm key: equal for equal launches, different for each fact that a plan depends on; the table under load.
#include "Fakes.h"

#include "phobos/runtime/LaunchKey.h"
#include <gtest/gtest.h>
#include <set>

using namespace phobos;
using namespace phobos::fake;
using namespace phobos::runtime;

namespace {

struct Keyed {
  Keyed(const KernelInfo &info, std::vector<Argument> arguments, uint32_t captures = 0, uint32_t overrides = 0,
        uint32_t epoch = 0)
      : layout(info), arguments(std::move(arguments)),
        key(layout, {this->arguments.data(), captures, overrides}, epoch, 0) {}
  std::string bytes() const { return std::string(reinterpret_cast<const char *>(key.words()), key.size() * 8); }
  KeyLayout layout;
  std::vector<Argument> arguments;
  LaunchKey key;
};

KernelInfo withScalars() {
  KernelInfo info = matmulInfo();
  ParameterInfo alpha, flag;
  alpha.kind = ParameterInfo::Kind::Scalar;
  alpha.name = "alpha";
  flag.kind = ParameterInfo::Kind::Constant;
  flag.name = "flag";
  info.parameters.push_back(alpha);
  info.parameters.push_back(flag);
  return info;
}

TEST(LaunchKey, DependsOnEveryFactAndOnNothingElse) {
  KernelInfo info = withScalars();
  Array a(DType::f16, {128, 32}), b(DType::f16, {32, 64}), c(DType::f16, {128, 64});
  std::vector<Argument> base{a, b, c, number(2.0), boolean(true)};
  std::string same = Keyed(info, base).bytes();

  std::vector<Argument> equal = base;
  equal[0] = Array(DType::f16, {128, 32}, (void *)0x2000); // another address, aligned alike
  equal[3] = number(3.0);                                  // a scalar's value selects nothing
  EXPECT_EQ(Keyed(info, equal).bytes(), same);

  Array shape(DType::f16, {129, 32}), strided(DType::f16, {128, 32}, (void *)0x1000, {64, 1}),
      unaligned(DType::f16, {128, 32}, (void *)0x1008), dtype(DType::bf16, {128, 32}),
      device(DType::f16, {128, 32}, (void *)0x1000, {}, 1), null(DType::f16, {128, 32}, nullptr);
  std::set<std::string> seen{same};
  for (const Array *changed : {&shape, &strided, &unaligned, &dtype, &device, &null}) {
    std::vector<Argument> arguments = base;
    arguments[0] = *changed;
    EXPECT_TRUE(seen.insert(Keyed(info, arguments).bytes()).second);
  }
  std::vector<Argument> flag = base;
  flag[4] = boolean(false);
  EXPECT_TRUE(seen.insert(Keyed(info, flag).bytes()).second);
  EXPECT_TRUE(seen.insert(Keyed(info, base, 1).bytes()).second);
  EXPECT_TRUE(seen.insert(Keyed(info, base, 0, 1).bytes()).second);
  EXPECT_TRUE(seen.insert(Keyed(info, base, 0, 0, 1).bytes()).second);
}

TEST(LaunchKey, TunerKeyScalarsSelectThePlan) {
  KernelInfo info = withScalars();
  info.key = {"alpha"};
  Array a(DType::f16, {128, 32}), b(DType::f16, {32, 64}), c(DType::f16, {128, 64});
  EXPECT_NE(Keyed(info, {a, b, c, number(2.0), boolean(true)}).bytes(),
            Keyed(info, {a, b, c, number(3.0), boolean(true)}).bytes());
}

TEST(LaunchKey, WrongKindsHaveNoKey) {
  Array a(DType::f16, {128, 32}), b(DType::f16, {32, 64}), flat(DType::f16, {32});
  EXPECT_FALSE(Keyed(matmulInfo(), {a, b, number(1.0)}).key.valid());
  EXPECT_FALSE(Keyed(matmulInfo(), {a, b, flat}).key.valid());
  EXPECT_FALSE(Keyed(withScalars(), {a, b, b, a, boolean(true)}).key.valid());
}

TEST(LaunchKey, ManyParametersGoToTheHeap) {
  KernelInfo info;
  std::vector<Argument> arguments;
  for (int i = 0; i < 100; ++i) {
    ParameterInfo parameter;
    parameter.dims = {{"M", 0}, {"N", 0}};
    info.parameters.push_back(parameter);
    arguments.push_back(Array(DType::f32, {8, i}));
  }
  Keyed first(info, arguments);
  EXPECT_EQ(first.key.size(), 2 + 100 * 3u);
  arguments[99] = Array(DType::f32, {8, 1});
  EXPECT_NE(Keyed(info, arguments).bytes(), first.bytes());
}

TEST(LaunchTable, FindsWhatWasPutInAndStartsAgainWhenFull) {
  KernelInfo info = matmulInfo();
  LaunchTable table;
  std::vector<std::shared_ptr<Plan>> plans;
  auto keyOf = [&](int64_t m) {
    return std::make_unique<Keyed>(info, std::vector<Argument>{Array(DType::f16, {m, 32}), Array(DType::f16, {32, 64}),
                                                               Array(DType::f16, {m, 64})});
  };
  EXPECT_EQ(table.find(keyOf(1)->key), nullptr);
  for (int64_t m = 0; m < 1000; ++m) {
    plans.push_back(std::make_shared<Plan>());
    table.insert(keyOf(m)->key, plans.back());
  }
  EXPECT_EQ(table.size(), 1000u);
  for (int64_t m = 0; m < 1000; ++m) {
    EXPECT_EQ(table.find(keyOf(m)->key), plans[m]);
  }
  EXPECT_EQ(table.find(keyOf(1000)->key), nullptr);
  auto replacement = std::make_shared<Plan>();
  table.insert(keyOf(5)->key, replacement);
  EXPECT_EQ(table.find(keyOf(5)->key), replacement);
  EXPECT_EQ(table.size(), 1000u);
  for (int64_t m = 1000; m < static_cast<int64_t>(LaunchTable::kMaxPlans) + 2; ++m) {
    table.insert(keyOf(m)->key, replacement);
  }
  EXPECT_LE(table.size(), LaunchTable::kMaxPlans);
  EXPECT_EQ(table.find(keyOf(LaunchTable::kMaxPlans + 1)->key), replacement);
  table.clear();
  EXPECT_EQ(table.find(keyOf(5)->key), nullptr);
}

} // namespace
