// Arithmetic of the chip that no host instruction does, and the table of all that is not the runtime's.
//
// Conversions work on bits: compiled natively, some would become instructions that flush subnormal numbers, or calls of
// themselves.
#include "HostLibrary.h"

#include "phobos/host/Abi.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

namespace phobos::host::helpers {
namespace {

constexpr float kSmallestNormal = 0x1p-126f;

float flushed(float x, uint32_t flush) { return flush && std::fabs(x) < kSmallestNormal ? std::copysign(0.0f, x) : x; }

template <typename F> float approximate(F function, float x, uint32_t flush) {
  return flushed(function(flushed(x, flush)), flush);
}

/// bits >> n, to nearest, ties to even.
uint32_t roundedShift(uint32_t bits, unsigned n) {
  if (n > 31) {
    return 0;
  }
  uint32_t odd = bits >> n & 1, half = (uint32_t(1) << n >> 1);
  return n ? (bits + half - 1 + odd) >> n : bits;
}

} // namespace

uint32_t narrowF8(float x, uint32_t e5m2, uint32_t relu) {
  const unsigned mantissaBits = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7;
  const uint32_t largest = e5m2 ? 0x7b : 0x7e;
  uint32_t bits = llvm::bit_cast<uint32_t>(x), magnitude = bits & 0x7fffffff, sign = bits >> 24 & 0x80;
  if (magnitude > 0x7f800000) {
    return 0x7f;
  }
  if (relu && sign) {
    return 0;
  }
  // The code of a normal number is the float's own bits, shorter and with the exponent's origin moved; below the
  // smallest normal the mantissa's leading one is explicit and shifted further.
  int exponent = int(magnitude >> 23) - 127 + int(bias);
  uint32_t code;
  if (exponent >= 1) {
    uint32_t moved = magnitude - ((127u - bias) << 23);
    code = std::min(roundedShift(moved, 23 - mantissaBits), largest);
  } else {
    uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
    code = roundedShift(mantissa, 23 - mantissaBits + unsigned(1 - exponent));
  }
  return code | sign;
}

uint32_t widenF8(uint32_t code, uint32_t e5m2) {
  uint32_t sign = (code & 0x80) << 8, magnitude = code & 0x7f;
  if (e5m2) {
    return magnitude > 0x7c ? 0x7fff : sign | magnitude << 8; // the upper half of an f16
  }
  if (magnitude == 0x7f) {
    return 0x7fff;
  }
  uint32_t exponent = magnitude >> 3, mantissa = magnitude & 7;
  if (exponent == 0) { // subnormal: a normal f16
    if (mantissa == 0) {
      return sign;
    }
    unsigned shift = mantissa & 4 ? 1 : mantissa & 2 ? 2 : 3;
    exponent = 1 - shift;
    mantissa = mantissa << shift & 7;
  }
  return sign | (exponent + 8) << 10 | mantissa << 7; // the biases are 7 and 15
}

float exp2Approx(float x, uint32_t flush) { return approximate(exp2f, x, flush); }
float log2Approx(float x, uint32_t flush) { return approximate(log2f, x, flush); }
float sinApprox(float x, uint32_t flush) { return approximate(sinf, x, flush); }
float cosApprox(float x, uint32_t flush) { return approximate(cosf, x, flush); }
float tanhApprox(float x, uint32_t flush) { return approximate(tanhf, x, flush); }
float sqrtApprox(float x, uint32_t flush) { return approximate(sqrtf, x, flush); }
float rcpApprox(float x, uint32_t flush) {
  return approximate([](float y) { return 1.0f / y; }, x, flush);
}
float rsqrtApprox(float x, uint32_t flush) { return approximate(rsqrtf, x, flush); }
float rsqrtf(float x) { return float(1.0 / std::sqrt(double(x))); }
double rsqrt(double x) { return 1.0 / std::sqrt(x); }

uint32_t permute(uint32_t low, uint32_t high, uint32_t selector) {
  uint64_t bytes = uint64_t(high) << 32 | low;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t nibble = selector >> 4 * i & 15, byte = bytes >> 8 * (nibble & 7) & 0xff;
    if (nibble & 8) {
      byte = byte & 0x80 ? 0xff : 0;
    }
    result |= byte << 8 * i;
  }
  return result;
}

} // namespace phobos::host::helpers

namespace phobos::target {
namespace {

// What LLVM calls for 16-bit floats where the processor lacks an instruction. They travel in vector registers, as
// _Float16 does.

_Float16 fromBits(uint16_t bits) { return llvm::bit_cast<_Float16>(bits); }

/// The upper 16 bits, to nearest even.
uint16_t bfloatBits(uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) {
    return uint16_t(bits >> 16 | 0x40);
  }
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// f64 to f32 so that rounding once more is right: what is inexact gets an odd last bit.
uint32_t roundedToOdd(double x) {
  float near = float(x);
  uint32_t bits = llvm::bit_cast<uint32_t>(near);
  if (double(near) == x || x != x) {
    return bits;
  }
  if (std::fabs(double(near)) > std::fabs(x)) {
    --bits;
  }
  return bits | 1;
}

uint16_t halfBits(uint32_t bits) {
  uint32_t magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
  if (magnitude > 0x7f800000) {
    return uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
  }
  if (magnitude >= 0x477ff000) { // rounds to 2^16 or more
    return uint16_t(sign | 0x7c00);
  }
  auto rounded = [](uint32_t x, unsigned n) { return (x + (uint32_t(1) << n >> 1) - 1 + (x >> n & 1)) >> n; };
  if (magnitude >= 0x38800000) {
    return uint16_t(sign | rounded(magnitude - 0x38000000, 13));
  }
  unsigned shift = 126 - (magnitude >> 23);
  if (shift > 25) {
    return uint16_t(sign);
  }
  return uint16_t(sign | rounded((magnitude & 0x7fffff) | 0x800000, shift));
}

_Float16 truncateToBFloat(float x) { return fromBits(bfloatBits(llvm::bit_cast<uint32_t>(x))); }
_Float16 truncateDoubleToBFloat(double x) { return fromBits(bfloatBits(roundedToOdd(x))); }
_Float16 truncateToHalf(float x) { return fromBits(halfBits(llvm::bit_cast<uint32_t>(x))); }
_Float16 truncateDoubleToHalf(double x) { return fromBits(halfBits(roundedToOdd(x))); }

float extendHalf(_Float16 x) {
  uint32_t bits = llvm::bit_cast<uint16_t>(x), sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) {
    return llvm::bit_cast<float>(sign | 0x7f800000 | magnitude << 13);
  }
  // Bits in place have an exponent too small by the difference of the biases; a product moves it, subnormal or not.
  float scaled = llvm::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(scaled) | sign);
}

/// x to a whole power, by squaring.
template <typename T> T power(T x, int n) {
  T result = 1;
  for (unsigned left = n < 0 ? -unsigned(n) : unsigned(n); left; left /= 2, x *= x) {
    result *= left % 2 ? x : 1;
  }
  return n < 0 ? 1 / result : result;
}

using Double1 = double (*)(double);
using Double2 = double (*)(double, double);
using Double3 = double (*)(double, double, double);
using Float1 = float (*)(float);
using Float2 = float (*)(float, float);
using Float3 = float (*)(float, float, float);

template <typename F> void *address(F *function) { return reinterpret_cast<void *>(function); }

llvm::StringMap<void *> makeTable() {
  using namespace host;
  llvm::StringMap<void *> table;
#define PHOBOS_HOST_HELPER(name, result, parameters, sentence)                                                         \
  table[std::string(kCallPrefix) + #name] = address(&helpers::name);
#define PHOBOS_HOST_MATH(name, arguments)                                                                              \
  table[#name] = address(static_cast<Double##arguments>(::name));                                                      \
  table[#name "f"] = address(static_cast<Float##arguments>(::name##f));
#include "phobos/host/HostCalls.def"
  addLibdevice(table);
  table["__truncsfbf2"] = address(&truncateToBFloat);
  table["__truncdfbf2"] = address(&truncateDoubleToBFloat);
  table["__truncsfhf2"] = address(&truncateToHalf);
  table["__truncdfhf2"] = address(&truncateDoubleToHalf);
  table["__extendhfsf2"] = address(&extendHalf);
  table["__powisf2"] = address(&power<float>);
  table["__powidf2"] = address(&power<double>);
  table["sincos"] = address(&::sincos);
  table["sincosf"] = address(&::sincosf);
  table["ldexp"] = address(static_cast<double (*)(double, int)>(::ldexp));
  table["ldexpf"] = address(static_cast<float (*)(float, int)>(::ldexpf));
  table["memcpy"] = address(&std::memcpy);
  table["memmove"] = address(&std::memmove);
  table["memset"] = address(&std::memset);
  return table;
}

} // namespace

void *findHostFunction(llvm::StringRef name) {
  static const llvm::StringMap<void *> table = makeTable();
  return table.lookup(name);
}

} // namespace phobos::target
