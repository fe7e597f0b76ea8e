// The contract survives the way to JSON and back, whatever it holds; what is no contract is refused.
#include "phobos/Driver/Compiler.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace phobos;

namespace {

ConstantValue text(std::string value) {
  ConstantValue constant;
  constant.kind = ConstantValue::Kind::String;
  constant.text = std::move(value);
  return constant;
}

ConstantValue tuple(std::vector<ConstantValue> items) {
  ConstantValue constant;
  constant.kind = ConstantValue::Kind::Tuple;
  constant.items = std::move(items);
  return constant;
}

KernelContract sample() {
  KernelContract contract;
  contract.entry = "matmul";
  contract.chip = "sm_90a";
  contract.threads = 256;
  contract.sharedBytes = 49152;
  contract.parameters = {{EntryParameter::Kind::Pointer, 0, 0, 8},
                         {EntryParameter::Kind::Extent, 1, 0, 4},
                         {EntryParameter::Kind::Stride, 0, 1, 8},
                         {EntryParameter::Kind::Scalar, 2, 0, 2},
                         {EntryParameter::Kind::TensorMap, 1, 1, 128, {64, 32}, 64, true}};
  contract.constants = {{"TILE", ConstantValue::ofInt(64)},
                        {"flag", ConstantValue::ofBool(true)},
                        {"two", ConstantValue::ofFloat(2.0)},
                        {"tiny", ConstantValue::ofFloat(5e-324)},
                        {"inf", ConstantValue::ofFloat(-std::numeric_limits<double>::infinity())},
                        {"none", ConstantValue()},
                        {"type", ConstantValue::ofType(DType::bf16)},
                        {"name", text("a \"b\" ü\n")},
                        {"pair", tuple({ConstantValue::ofInt(1), tuple({}), ConstantValue::ofType(DType::boolean)})}};
  contract.specialisation.tensors = {{1u << 1, 1u << 0, 3, true}, {}};
  contract.specialisation.wholeMultiples = {0, ~uint64_t(0), 5};
  contract.specialisation.emptyDims = 4;
  contract.specialisation.index64 = true;
  KernelInfo &kernel = contract.kernel;
  kernel.name = "matmul";
  kernel.line = 12;
  kernel.doc = "C = A B";
  kernel.parameters = {{ParameterInfo::Kind::Tensor, "A", DType::f16, {{"M", 0}, {"", 8}}, 13, 12},
                       {ParameterInfo::Kind::Constant, "flag", DType::boolean, {}, 13, 40},
                       {ParameterInfo::Kind::Scalar, "alpha", DType::f16, {}, 13, 60}};
  kernel.dims = {"M"};
  kernel.space = {{"TILE", {ConstantValue::ofInt(64), ConstantValue::ofInt(128)}}};
  kernel.when = "TILE < 256";
  kernel.key = {"M"};
  kernel.reference = "plain";
  kernel.promises = {{"M", "TILE", 0}, {"M", "", 16}};
  kernel.captures = {"BLOCK"};
  return contract;
}

} // namespace

TEST(Json, RoundTrip) {
  KernelContract before = sample();
  Resources needs{96, 4, 8, 16, 1024, 49152};
  auto back = contractFromJson(toJson(before, needs));
  ASSERT_TRUE(bool(back)) << back.failure().text;
  const KernelContract &after = back->first;
  EXPECT_EQ(after.constants, before.constants);
  EXPECT_EQ(after.specialisation, before.specialisation);
  EXPECT_EQ(back->second.registers, 96u);
  EXPECT_EQ(back->second.spillLoadBytes, 8u);
  EXPECT_EQ(after.parameters[2].kind, EntryParameter::Kind::Stride);
  EXPECT_EQ(after.parameters[4].kind, EntryParameter::Kind::TensorMap);
  EXPECT_EQ(after.parameters[4].box, (std::vector<unsigned>{64, 32}));
  EXPECT_EQ(after.parameters[4].swizzle, 64u);
  EXPECT_TRUE(after.parameters[4].tf32);
  EXPECT_EQ(after.parameters[3].bytes, 2u);
  EXPECT_EQ(after.kernel.parameters[0].dims, before.kernel.parameters[0].dims);
  EXPECT_EQ(after.kernel.promises[0].constant, "TILE");
  EXPECT_EQ(after.kernel.promises[1].multiple, 16);
  // Everything that is written is read: the second text is the first.
  EXPECT_EQ(toJson(after, back->second), toJson(before, needs));
}

TEST(Json, NanSurvives) {
  KernelContract contract = sample();
  contract.constants = {{"nan", ConstantValue::ofFloat(std::nan(""))}};
  auto back = contractFromJson(toJson(contract, {}));
  ASSERT_TRUE(bool(back)) << back.failure().text;
  EXPECT_TRUE(std::isnan(back->first.constants[0].second.real));
}

TEST(Json, WhatIsNoContractIsRefused) {
  for (const char *bad : {"", "[]", "{", "{\"version\": 1}", "{\"version\": 99}"}) {
    auto read = contractFromJson(bad);
    ASSERT_FALSE(bool(read)) << bad;
    EXPECT_EQ(read.failure().text.find("error: not a kernel contract: "), 0u) << read.failure().text;
  }
  // One field of another kind.
  std::string text = toJson(sample(), {});
  text.replace(text.find("\"threads\": 256"), 14, "\"threads\": \"x\"");
  EXPECT_FALSE(bool(contractFromJson(text)));
}
