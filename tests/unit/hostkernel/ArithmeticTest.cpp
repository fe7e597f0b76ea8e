// Arithmetic that the host would do otherwise, or not survive.
#include "Simulated.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace phobos {
namespace {

/// One thread; `body` makes %value of `type` from %x and %y, words of the array.
std::string ofTwo(const std::string &type, const std::string &body) {
  return kernelText("%out: !llvm.ptr<1>", R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %wide = llvm.zext %tid : i32 to i64
    %c2 = llvm.mlir.constant(3 : i64) : i64
    %at = llvm.mul %wide, %c2 : i64
    %px = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, )" +
                                              type + R"(
    %py = llvm.getelementptr %px[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, )" +
                                              type + R"(
    %pz = llvm.getelementptr %px[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, )" +
                                              type + R"(
    %x = llvm.load %px : !llvm.ptr<1> -> )" + type +
                                              R"(
    %y = llvm.load %py : !llvm.ptr<1> -> )" + type +
                                              "\n" + body + R"(
    llvm.store %value, %pz : )" + type + R"(, !llvm.ptr<1>
    llvm.return)");
}

/// Triples x, y, want.
template <typename T>
void expectBinary(const std::string &type, const std::string &body, std::vector<std::array<T, 3>> cases) {
  for (const HostOptions &options : allOptions()) {
    Simulated simulated(ofTwo(type, body), options);
    ASSERT_TRUE(simulated);
    auto words = cases;
    for (auto &triple : words) {
      triple[2] = T(0);
    }
    void *address = words.data();
    simulated.run({1, 1, 1}, {uint32_t(words.size()), 1, 1}, {&address});
    for (size_t i = 0; i < cases.size(); ++i) {
      EXPECT_EQ(std::memcmp(&words[i][2], &cases[i][2], sizeof(T)), 0)
          << body << " of " << +cases[i][0] << " and " << +cases[i][1] << " gave " << +words[i][2] << ", not "
          << +cases[i][2];
    }
  }
}

/// What a GPU gives: all bits for a division by zero, the wrapped result where the quotient does not fit.
template <typename T> void expectDivision(const std::string &type) {
  constexpr T kLeast = std::numeric_limits<T>::min(), kAll = T(-1);
  expectBinary<T>(
      type, "%value = llvm.sdiv %x, %y : " + type,
      {{7, 2, 3}, {-7, 2, -3}, {5, 0, kAll}, {0, 0, kAll}, {-7, 0, kAll}, {kLeast, -1, kLeast}, {9, -1, -9}});
  expectBinary<T>(type, "%value = llvm.srem %x, %y : " + type,
                  {{7, 2, 1}, {-7, 2, -1}, {5, 0, kAll}, {0, 0, kAll}, {kLeast, -1, 0}, {9, -1, 0}});
  using U = std::make_unsigned_t<T>;
  constexpr U kMost = std::numeric_limits<U>::max();
  expectBinary<U>(type, "%value = llvm.udiv %x, %y : " + type,
                  {{7, 2, 3}, {5, 0, kMost}, {0, 0, kMost}, {kMost, kMost, 1}});
  expectBinary<U>(type, "%value = llvm.urem %x, %y : " + type, {{7, 2, 1}, {5, 0, kMost}, {kMost, kMost, 0}});
}

TEST(HostArithmetic, DivisionByZeroGivesWhatTheChipGives) {
  expectDivision<int8_t>("i8");
  expectDivision<int16_t>("i16");
  expectDivision<int32_t>("i32");
  expectDivision<int64_t>("i64");
}

TEST(HostArithmetic, ShiftsByTheWidthOrMore) {
  expectBinary<uint32_t>("i32", "%value = llvm.shl %x, %y : i32",
                         {{1, 31, 1u << 31}, {1, 32, 0}, {1, 40, 0}, {5, 0, 5}});
  expectBinary<uint32_t>("i32", "%value = llvm.lshr %x, %y : i32", {{1u << 31, 31, 1}, {~0u, 32, 0}, {~0u, 77, 0}});
  expectBinary<int32_t>("i32", "%value = llvm.ashr %x, %y : i32",
                        {{-8, 1, -4}, {-8, 32, -1}, {8, 50, 0}, {-1, 1000, -1}});
  expectBinary<uint64_t>("i64", "%value = llvm.shl %x, %y : i64", {{1, 63, uint64_t(1) << 63}, {1, 64, 0}});
}

TEST(HostArithmetic, SubnormalNumbersStay) {
  float tiny = 1e-39f;
  expectBinary<float>("f32", "%value = llvm.fadd %x, %y : f32", {{tiny, tiny, tiny + tiny}, {tiny, -tiny, 0.0f}});
  // To bfloat, which some processors flush.
  uint32_t bits = std::bit_cast<uint32_t>(tiny), rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  expectBinary<float>(
      "f32", R"(
    %narrow = llvm.fptrunc %x : f32 to bf16
    %value = llvm.fpext %narrow : bf16 to f32)",
      {{tiny, 0.0f, std::bit_cast<float>(rounded)}, {1.00390625f, 0.0f, 1.0f}, {1.01171875f, 0.0f, 1.015625f}});
}

TEST(HostArithmetic, HalvesRoundOnce) {
  // f64 to f16 by way of f32 would round twice: just above a tie.
  double tie = 1 + 0x1p-11, above = tie + 0x1p-40;
  expectBinary<double>("f64", R"(
    %narrow = llvm.fptrunc %x : f64 to f16
    %value = llvm.fpext %narrow : f16 to f64)",
                       {{tie, 0, 1.0}, {above, 0, 1 + 0x1p-10}, {0x1p-25, 0, 0.0}, {0x1p-25 + 0x1p-60, 0, 0x1p-24}});
  expectBinary<double>("f64", R"(
    %narrow = llvm.fptrunc %x : f64 to bf16
    %value = llvm.fpext %narrow : bf16 to f64)",
                       {{1 + 0x1p-8, 0, 1.0}, {1 + 0x1p-8 + 0x1p-40, 0, 1 + 0x1p-7}});
}

TEST(HostArithmetic, FusedProductsRoundOnce) {
  // The product lies between two bf16; what is added decides, and is far below what f32 holds beside it.
  const std::string body = R"(
    %a = llvm.fptrunc %x : f32 to TYPE
    %b = llvm.fptrunc %y : f32 to TYPE
    %r = llvm.intr.fma(%a, %a, %b) : (TYPE, TYPE, TYPE) -> TYPE
    %value = llvm.fpext %r : TYPE to f32)";
  auto of = [&](const std::string &type) {
    std::string text = body;
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;) {
      text.replace(at, 4, type);
    }
    return text;
  };
  expectBinary<float>("f32", of("bf16"), {{1.0625f, 0x1p-30f, 1.1328125f}, {1.0625f, -0x1p-30f, 1.125f}});
  // (1 + 2^-5 + 2^-6)^2 ends between two f16 likewise.
  float x = 1 + 0x1p-5f + 0x1p-6f, square = x * x, low = square - 0x1p-12f;
  expectBinary<float>("f32", of("f16"), {{x, 0, float(_Float16(square))}, {x, -0x1p-12f, float(_Float16(low))}});
}

TEST(HostArithmetic, RoundingToTf32) {
  auto of = [](uint32_t bits) { return std::bit_cast<float>(bits); };
  expectBinary<float>("f32", R"(
    %bits = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rna>}
    %value = llvm.bitcast %bits : i32 to f32)",
                      {{of(0x3f801000), 0, of(0x3f802000)},
                       {of(0x3f800fff), 0, of(0x3f800000)},
                       {of(0xbf801000), 0, of(0xbf802000)},
                       {of(0x7f800000), 0, of(0x7f800000)},
                       {of(0x7f7fffff), 0, of(0x7f800000)},
                       {of(0x7fc12345), 0, of(0x7fffffff)}});
}

/// The value of an 8-bit float's code, in double.
double valueOf(uint32_t code, bool e5m2) {
  int mantissaBits = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7, exponent = (code & 0x7f) >> mantissaBits;
  double mantissa = double(code & ((1 << mantissaBits) - 1)) / (1 << mantissaBits);
  double value = exponent ? std::ldexp(1 + mantissa, exponent - bias) : std::ldexp(mantissa, 1 - bias);
  return code & 0x80 ? -value : value;
}

class HostF8 : public ::testing::TestWithParam<bool> {};

TEST_P(HostF8, EveryCodeWidensExactlyAndComesBack) {
  bool e5m2 = GetParam();
  std::string type = e5m2 ? "f8E5M2" : "f8E4M3FN";
  Simulated simulated(kernelText("%out: !llvm.ptr<1>", R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %wide = llvm.zext %tid : i32 to i64
    %p = llvm.getelementptr %out[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<2xf32>
    %code = llvm.trunc %tid : i32 to i8
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %u = llvm.mlir.undef : vector<2xi8>
    %v = llvm.insertelement %code, %u[%c0 : i32] : vector<2xi8>
    %pair = llvm.insertelement %code, %v[%c1 : i32] : vector<2xi8>
    %halves = nvvm.convert.f8x2.to.f16x2 %pair : vector<2xi8> ()" +
                                                           type + R"() -> vector<2xf16>
    %h = llvm.extractelement %halves[%c1 : i32] : vector<2xf16>
    %f = llvm.fpext %h : f16 to f32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %back = nvvm.convert.f32x2.to.f8x2 %f, %zero {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8> ()" +
                                                           type + R"()
    %b = llvm.extractelement %back[%c1 : i32] : vector<2xi8>
    %bi = llvm.zext %b : i8 to i32
    %bf = llvm.bitcast %bi : i32 to f32
    %r = llvm.mlir.undef : vector<2xf32>
    %r0 = llvm.insertelement %f, %r[%c0 : i32] : vector<2xf32>
    %r1 = llvm.insertelement %bf, %r0[%c1 : i32] : vector<2xf32>
    llvm.store %r1, %p {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
    llvm.return)"));
  ASSERT_TRUE(simulated);
  std::vector<std::array<float, 2>> got(256);
  void *address = got.data();
  simulated.run({1, 1, 1}, {256, 1, 1}, {&address});
  for (uint32_t code = 0; code < 256; ++code) {
    uint32_t magnitude = code & 0x7f, back = std::bit_cast<uint32_t>(got[code][1]);
    if (e5m2 ? magnitude > 0x7c : magnitude == 0x7f) {
      EXPECT_TRUE(std::isnan(got[code][0])) << code;
      EXPECT_EQ(back, 0x7f) << code;
    } else if (e5m2 && magnitude == 0x7c) {
      EXPECT_TRUE(std::isinf(got[code][0])) << code;
      EXPECT_EQ(back, (code & 0x80) | 0x7b) << code; // saturates
    } else {
      EXPECT_EQ(got[code][0], valueOf(code, e5m2)) << code;
      EXPECT_EQ(back, code);
    }
  }
}

TEST_P(HostF8, FloatsRoundToTheNearestCode) {
  bool e5m2 = GetParam();
  uint32_t largest = e5m2 ? 0x7b : 0x7e;
  // Halfway between neighbours goes to the even code, anything beside it to the nearer.
  for (uint32_t code = 0; code < largest; ++code) {
    double low = valueOf(code, e5m2), high = valueOf(code + 1, e5m2), middle = (low + high) / 2;
    EXPECT_EQ(host::helpers::narrowF8(float(middle), e5m2, 0), code + (code & 1)) << code;
    EXPECT_EQ(host::helpers::narrowF8(std::nextafterf(float(middle), 0), e5m2, 0), code) << code;
    EXPECT_EQ(host::helpers::narrowF8(-std::nextafterf(float(middle), 1e30f), e5m2, 0), (code + 1) | 0x80) << code;
  }
  EXPECT_EQ(host::helpers::narrowF8(1e30f, e5m2, 0), largest);
  EXPECT_EQ(host::helpers::narrowF8(-INFINITY, e5m2, 0), largest | 0x80);
  EXPECT_EQ(host::helpers::narrowF8(-1.0f, e5m2, 1), 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, HostF8, ::testing::Bool());

TEST(HostArithmetic, LibdeviceIsTheHostsLibm) {
  std::string declarations =
      "llvm.func @__nv_expf(f32) -> f32\nllvm.func @__nv_pow(f64, f64) -> f64\nllvm.func @__nv_rsqrtf(f32) -> f32";
  Simulated simulated(kernelText("%out: !llvm.ptr<1>", R"(
    %x = llvm.load %out : !llvm.ptr<1> -> f32
    %e = llvm.call @__nv_expf(%x) : (f32) -> f32
    %d = llvm.fpext %e : f32 to f64
    %two = llvm.mlir.constant(2.0 : f64) : f64
    %p = llvm.call @__nv_pow(%d, %two) : (f64, f64) -> f64
    %f = llvm.fptrunc %p : f64 to f32
    %r = llvm.call @__nv_rsqrtf(%f) : (f32) -> f32
    llvm.store %r, %out : f32, !llvm.ptr<1>
    llvm.return)",
                                 declarations));
  ASSERT_TRUE(simulated);
  float value = 1.5f;
  void *address = &value;
  simulated.run({1, 1, 1}, {1, 1, 1}, {&address});
  EXPECT_NEAR(value, std::exp(-1.5), 1e-7);
}

TEST(HostArithmetic, ApproximateFunctionsFlushWhereTheyAreToldTo) {
  expectBinary<float>("f32", "%value = llvm.call_intrinsic \"llvm.nvvm.ex2.approx.ftz.f32\"(%x) : (f32) -> f32",
                      {{3, 0, 8}, {-140, 0, 0}, {1e-40f, 0, 1}});
  expectBinary<float>("f32", "%value = llvm.call_intrinsic \"llvm.nvvm.ex2.approx.f32\"(%x) : (f32) -> f32",
                      {{3, 0, 8}, {-140, 0, 0x1p-140f}});
  expectBinary<float>("f32", "%value = nvvm.rcp.approx.ftz.f %x : f32", {{4, 0, 0.25f}, {1e-39f, 0, INFINITY}});
}

} // namespace
} // namespace phobos
