// Binding: what is accepted and solved, and the whole text of every refusal.
#include "Fakes.h"

#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::fake;
using namespace phobos::runtime;

namespace {

Signature matmul() { return Signature(matmulInfo(), "kernel.py", kMatmulText); }

Result<Binding> bound(const Signature &signature, std::vector<Argument> arguments) {
  arguments.resize(signature.info().parameters.size(), Argument{});
  return bindArguments(signature, arguments.data());
}

const Array kA(DType::f16, {128, 32}), kB(DType::f16, {32, 64}), kC(DType::f16, {128, 64});

TEST(Arguments, SolvesDims) {
  auto binding = bound(matmul(), {kA, kB, kC});
  ASSERT_TRUE(binding);
  EXPECT_EQ(binding->dims, (std::vector<int64_t>{128, 32, 64}));
  EXPECT_EQ(binding->device, 0);
  EXPECT_FALSE(binding->index64);
  EXPECT_FALSE(binding->allEmpty);
  EXPECT_EQ(binding->tensors[0].strides[0], 32);
}

TEST(Arguments, WrongDtypeShowsTheParameter) {
  EXPECT_EQ(errorOf(bound(matmul(), {kA, Array(DType::f32, {32, 64}), kC})),
            "kernel.py:3:40: error: argument `B`: expected dtype f16, got f32\n"
            "    def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):\n"
            "                                           ^\n");
}

TEST(Arguments, DisagreeingDimsNameBothArguments) {
  std::string text = errorOf(bound(matmul(), {kA, Array(DType::f16, {48, 64}), kC}));
  EXPECT_NE(text.find("argument `B`: expected extent 32 along axis 0 (dim `K`), got 48"), std::string::npos) << text;
  EXPECT_NE(text.find("kernel.py:3:12: note: dim `K` is 32 along axis 1 of argument `A`"), std::string::npos) << text;
}

struct Refusal {
  const char *what;
  std::vector<Argument> arguments;
  const char *text;
};

TEST(Arguments, Refusals) {
  Array onCpu = kA;
  onCpu.argument.tensor.deviceType = DeviceType::Cpu;
  Array complex = kA;
  complex.argument.tensor.typeCode = 5;
  complex.argument.tensor.typeBits = 64;
  Argument other{};
  other.kind = Argument::Kind::Other;
  other.typeName = "str";
  const Refusal refusals[] = {
      {"rank",
       {Array(DType::f16, {128}), kB, kC},
       "argument `A`: expected rank 2 [M, K], got rank 1 with shape (128,)"},
      {"cpu", {onCpu, kB, kC}, "argument `A`: expected an array on a CUDA device, got one on the CPU"},
      {"device",
       {kA, Array(DType::f16, {32, 64}, (void *)0x1000, {}, 1), kC},
       "argument `B`: expected an array on cuda:0, got one on cuda:1"},
      {"complex", {complex, kB, kC}, "argument `A`: expected dtype f16, got complex64"},
      {"missing", {kA, kB}, "missing argument `C` of kernel `matmul`"},
      {"other", {kA, other, kC}, "argument `B`: expected an array of f16, got a value of type str"},
      {"number", {kA, number(2.0), kC}, "argument `B`: expected an array of f16, got a float"},
      {"negative",
       {kA, Array(DType::f16, {32, 64}, (void *)0x1000, {-64, 1}), kC},
       "argument `B`: expected strides of at least 0, got -64 along axis 0"},
      {"null", {kA, Array(DType::f16, {32, 64}, nullptr), kC}, "argument `B`: its address is null"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text = errorOf(bound(matmul(), refusal.arguments));
    EXPECT_NE(text.find(refusal.text), std::string::npos) << refusal.what << ":\n" << text;
  }
}

TEST(Arguments, StaticExtents) {
  KernelInfo info = matmulInfo();
  info.parameters[2].dims[1] = {"", 64};
  Signature signature(info, "kernel.py", kMatmulText);
  EXPECT_TRUE(bound(signature, {kA, kB, kC}));
  std::string text = errorOf(bound(signature, {kA, Array(DType::f16, {32, 65}), Array(DType::f16, {128, 65})}));
  EXPECT_NE(text.find("argument `C`: expected extent 64 along axis 1, got 65"), std::string::npos) << text;
}

TEST(Arguments, PromisesAreChecked) {
  Signature signature = matmul();
  Constants constants{{"TILE_M", ConstantValue::ofInt(64)}};
  auto whole = bound(signature, {kA, kB, kC});
  EXPECT_TRUE(checkPromises(signature, *whole, constants));
  auto ragged = bound(signature, {Array(DType::f16, {100, 32}), kB, Array(DType::f16, {100, 64})});
  std::string text = errorOf(checkPromises(signature, *ragged, constants));
  EXPECT_NE(
      text.find("kernel.py:3:12: error: argument `A`: expected dim `M` to be a multiple of 64 (`TILE_M`), got 100"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("`@ph.aligned` promises it"), std::string::npos) << text;
}

// Strides along extents of one mean nothing, and frameworks fill them differently: all must specialise alike.
TEST(Arguments, StridesOfUnitExtentsAreCanonical) {
  auto binding = bound(matmul(), {Array(DType::f16, {1, 32}, (void *)0x1000, {1, 1}), kB,
                                  Array(DType::f16, {1, 64}, (void *)0x1000, {9999, 1})});
  ASSERT_TRUE(binding);
  EXPECT_EQ(binding->tensors[0].strides[0], 32);
  EXPECT_EQ(binding->tensors[2].strides[0], 64);
}

// Public reports of wrapped 32-bit offsets (CASES 1, 2, 4): the decision is by the last element, not by a stride or a
// count.
TEST(Arguments, LongOffsetsAre64Bit) {
  KernelInfo info;
  info.name = "copy";
  ParameterInfo parameter;
  parameter.name = "x";
  parameter.dtype = DType::i8;
  parameter.dims = {{"M", 0}, {"N", 0}};
  info.parameters = {parameter};
  info.dims = {"M", "N"};
  Signature signature(info, "kernel.py", "");
  auto wide = [&](std::vector<int64_t> extents, std::vector<int64_t> strides) {
    auto binding = bound(signature, {Array(DType::i8, std::move(extents), (void *)0x1000, std::move(strides))});
    EXPECT_TRUE(binding) << errorOf(binding);
    return binding && binding->index64;
  };
  EXPECT_FALSE(wide({1 << 15, 1 << 15}, {1 << 15, 1}));
  EXPECT_TRUE(wide({2048, (1 << 20) + 512}, {(1 << 20) + 512, 1}));
  EXPECT_TRUE(wide({64, 1 << 20}, {int64_t(1) << 26, 1}));
  EXPECT_FALSE(wide({1, 8}, {int64_t(1) << 40, 1})); // a stride that is never taken
  EXPECT_TRUE(wide({1, (int64_t(1) << 31) + 5}, {1, 1}));
  EXPECT_TRUE(wide({3, 3}, {INT64_MAX / 2, INT64_MAX / 2}));
  EXPECT_FALSE(wide({1 << 20, 1 << 20}, {0, 1})); // broadcast
}

TEST(Arguments, EmptyArraysBind) {
  auto none = bound(matmul(), {Array(DType::f16, {0, 32}, nullptr), kB, Array(DType::f16, {0, 64}, nullptr)});
  ASSERT_TRUE(none) << errorOf(none);
  EXPECT_FALSE(none->allEmpty); // B has elements
  auto all = bound(matmul(), {Array(DType::f16, {0, 0}, nullptr), Array(DType::f16, {0, 0}, nullptr),
                              Array(DType::f16, {0, 0}, nullptr)});
  ASSERT_TRUE(all) << errorOf(all);
  EXPECT_TRUE(all->allEmpty);
}

TEST(Arguments, ScalarsAndConstants) {
  KernelInfo info;
  info.name = "scale";
  ParameterInfo alpha, flag;
  alpha.kind = ParameterInfo::Kind::Scalar;
  alpha.name = "alpha";
  alpha.dtype = DType::i32;
  flag.kind = ParameterInfo::Kind::Constant;
  flag.name = "flag";
  flag.dtype = DType::boolean;
  info.parameters = {alpha, flag};
  Signature signature(info, "kernel.py", "");
  auto binding = bound(signature, {integer(7), boolean(true)});
  ASSERT_TRUE(binding) << errorOf(binding);
  EXPECT_EQ(binding->constants, (Constants{{"flag", ConstantValue::ofBool(true)}}));
  EXPECT_NE(errorOf(bound(signature, {number(2.5), boolean(true)}))
                .find("argument `alpha`: expected an int (i32), got the float 2.5"),
            std::string::npos);
  EXPECT_NE(errorOf(bound(signature, {integer(int64_t(1) << 31), boolean(true)}))
                .find("expected an int that fits i32 (-2147483648 to 2147483647), got 2147483648"),
            std::string::npos);
  std::string text = errorOf(bound(signature, {kA, boolean(true)}));
  EXPECT_NE(text.find("argument `alpha`: expected a number (i32), got an array"), std::string::npos) << text;
  EXPECT_NE(text.find("hint: pass a Python number"), std::string::npos) << text;
}

} // namespace
