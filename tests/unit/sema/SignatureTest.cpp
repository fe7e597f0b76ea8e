// What a signature says before any constant is known, and constants that come from the host.
#include "SemaTesting.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

namespace phobos::sema::testing {
namespace {

struct Analysed : Parsed {
  explicit Analysed(const std::string &text) : Parsed("import phobos.lang as ph\n" + text) {
    info = analyseSignature(*module, *kernel, nullptr, diagnostics);
  }
  std::unique_ptr<KernelInfo> info;
};

constexpr const char *kMatmul = R"(
SCALE = 2.0
@ph.fn
def scaled(x):
    return x * SCALE * GAIN
@ph.kernel(key=["M", "alpha"], reference=reference)
@ph.autotune(TILE=[64, 128], TYPE=[ph.f16, ph.bf16], stages=[2], when="TILE * WIDTH <= 8192 and TYPE == ph.f16")
@ph.aligned(M="TILE", K=WIDTH)
@ph.launch(THREADS)
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, 16], alpha: ph.f32, flag: ph.const[bool]):
    """Multiplies."""
    for i in range(0, K, TILE):
        A[0:+TILE, i:+8] = scaled(alpha) + OFFSET
WIDTH = 64
)";

TEST(Signature, SaysWhatTheHostNeeds) {
  Analysed analysed(kMatmul);
  ASSERT_TRUE(analysed.info) << analysed.diagnostics.render();
  const KernelInfo &info = *analysed.info;
  EXPECT_EQ(info.name, "matmul");
  EXPECT_EQ(info.line, 11);
  EXPECT_EQ(info.doc, "Multiplies.");
  EXPECT_EQ(llvm::join(info.dims, " "), "M K");
  EXPECT_EQ(llvm::join(info.key, " "), "M alpha");
  EXPECT_EQ(info.reference, "reference");
  EXPECT_EQ(info.when, "TILE * WIDTH <= 8192 and TYPE == ph.f16");
  ASSERT_EQ(info.parameters.size(), 4u);
  EXPECT_EQ(info.parameters[1].dims, (std::vector<DimInfo>{{"K", 0}, {"", 16}}));
  EXPECT_EQ(info.parameters[2].kind, ParameterInfo::Kind::Scalar);
  EXPECT_EQ(info.parameters[3].kind, ParameterInfo::Kind::Constant);
  EXPECT_EQ(info.parameters[3].dtype, DType::boolean);
  EXPECT_EQ(info.parameters[1].column, 40);
  ASSERT_EQ(info.space.size(), 3u);
  EXPECT_EQ(info.space[1].candidates,
            (std::vector<ConstantValue>{ConstantValue::ofType(DType::f16), ConstantValue::ofType(DType::bf16)}));
  ASSERT_EQ(info.promises.size(), 2u);
  EXPECT_EQ(info.promises[0].constant, "TILE");
  EXPECT_EQ(info.promises[1].constant, "WIDTH");
  EXPECT_EQ(llvm::join(info.captures, " "), "WIDTH THREADS SCALE GAIN OFFSET");
}

TEST(Signature, WhenIsEvaluatedForAChoice) {
  Analysed analysed(kMatmul);
  auto allowed = [&](int64_t tile, DType type) {
    Constants constants{{"TILE", ConstantValue::ofInt(tile)}, {"TYPE", ConstantValue::ofType(type)}};
    return evaluateWhen(*analysed.module, *analysed.kernel, constants, {}, analysed.diagnostics);
  };
  EXPECT_EQ(allowed(64, DType::f16), true);
  EXPECT_EQ(allowed(64, DType::bf16), false);
  EXPECT_EQ(allowed(256, DType::f16), false);
  EXPECT_FALSE(analysed.diagnostics.hasErrors()) << analysed.diagnostics.render();
}

std::string whenError(const std::string &when) {
  Analysed analysed("@ph.kernel\n@ph.autotune(T=[1], when=\"" + when +
                    "\")\ndef k(X: ph.tensor[ph.f32][N]):\n    pass\n");
  EXPECT_FALSE(analysed.info);
  return analysed.diagnostics.render();
}

TEST(Signature, ErrorsInWhenPointIntoTheText) {
  EXPECT_EQ(whenError("T * U < 3"), "k.py:3:31: error: expected `when` to be constant; `U` is not\n"
                                    "    @ph.autotune(T=[1], when=\"T * U < 3\")\n"
                                    "                                  ^\n");
  EXPECT_EQ(whenError("TT < 3"), "k.py:3:27: error: expected `when` to be constant; `TT` is not\n"
                                 "    @ph.autotune(T=[1], when=\"TT < 3\")\n"
                                 "                              ^~\n"
                                 "hint: did you mean `T`?\n");
  EXPECT_EQ(whenError("T / 0"), "k.py:3:27: error: division by zero\n"
                                "    @ph.autotune(T=[1], when=\"T / 0\")\n"
                                "                              ^~~~~\n");
  EXPECT_EQ(whenError("ph.f16"), "k.py:3:26: error: expected `when` to be true or false, got a dtype\n"
                                 "    @ph.autotune(T=[1], when=\"ph.f16\")\n"
                                 "                             ^~~~~~~~\n");
}

TEST(Constants, ComeFromTheHost) {
  std::string text = R"(import phobos.lang as ph
def make(BLOCK):
    @ph.kernel
    @ph.autotune(T=[4, 8])
    def k(X: ph.tensor[ph.f32][N], Y: ph.tensor[ph.f32][BLOCK], flag: ph.const[bool], gain: ph.const[float]):
        if flag:
            X[0:+T] = Y[:] * gain
)";
  EXPECT_EQ(
      checked(
          text,
          {{"T", ConstantValue::ofInt(16)}, {"flag", ConstantValue::ofBool(true)}, {"gain", ConstantValue::ofInt(3)}},
          {{"BLOCK", ConstantValue::ofInt(16)}}),
      "kernel k threads 32\n"
      "constant T = 16\n"
      "constant flag = True\n"
      "constant gain = 3.0\n"
      "constant BLOCK = 16\n"
      "dim N multiples [4, 16]\n"
      "body\n"
      "  store X[0:+16 {0}]:f32[16] = mul(load Y[0:+16 {0}]:f32[16], broadcast(3.0:f32):f32[16])\n");
  EXPECT_EQ(checked(text, {{"TT", ConstantValue::ofInt(16)}, {"flag", ConstantValue::ofInt(1)}}),
            "k.py:5:65: error: expected a value of type bool for `flag`, got an int\n"
            "        def k(X: ph.tensor[ph.f32][N], Y: ph.tensor[ph.f32][BLOCK], flag: ph.const[bool], gain: "
            "ph.const[float]):\n"
            "                                                                    ^~~~~~~~~~~~~~~~~~~~\n"
            "k.py:5:87: error: the constant parameter `gain` has no value\n"
            "        def k(X: ph.tensor[ph.f32][N], Y: ph.tensor[ph.f32][BLOCK], flag: ph.const[bool], gain: "
            "ph.const[float]):\n"
            "                                                                                          "
            "^~~~~~~~~~~~~~~~~~~~~\n"
            "hint: give it one: -D gain=... to phobosc, gain=... to compile()\n"
            "k.py:5:9: error: `k` has no tuned constant or constant parameter `TT`\n"
            "        def k(X: ph.tensor[ph.f32][N], Y: ph.tensor[ph.f32][BLOCK], flag: ph.const[bool], gain: "
            "ph.const[float]):\n"
            "            ^\n"
            "hint: did you mean `T`?\n");
}

TEST(Constants, AGivenCaptureWinsOverTheText) {
  std::string text = R"(import phobos.lang as ph
SCALE = 2.0
@ph.kernel
def k(X: ph.tensor[ph.f32][N]):
    X[0] = SCALE
)";
  EXPECT_NE(checked(text).find("= 2.0:f32"), std::string::npos);
  EXPECT_NE(checked(text, {}, {{"SCALE", ConstantValue::ofFloat(5.0)}}).find("= 5.0:f32"), std::string::npos);
}

} // namespace
} // namespace phobos::sema::testing
