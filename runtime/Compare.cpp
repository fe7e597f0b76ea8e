// Compares what two kernels left in an array.
#include "phobos/runtime/Autotune.h"

#include <cmath>
#include <cstring>

namespace phobos::runtime {
namespace {

template <typename T> T get(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double decode(uint32_t bits, int exponentBits, int mantissaBits, bool finiteOnly) {
  uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  uint32_t exponent = (bits >> mantissaBits) & ((1u << exponentBits) - 1);
  double sign = bits >> (exponentBits + mantissaBits) & 1 ? -1.0 : 1.0;
  uint32_t top = (1u << exponentBits) - 1;
  if (exponent == top && (!finiteOnly || mantissa == (1u << mantissaBits) - 1)) {
    return mantissa ? NAN : sign * INFINITY;
  }
  int bias = (1 << (exponentBits - 1)) - 1;
  double value = exponent ? mantissa + double(1u << mantissaBits) : mantissa;
  return sign * std::ldexp(value, static_cast<int>(exponent ? exponent : 1) - bias - mantissaBits);
}

double element(DType type, const char *from) {
  switch (type) {
  case DType::f64:
    return get<double>(from);
  case DType::f32:
    return get<float>(from);
  case DType::f16:
    return decode(get<uint16_t>(from), 5, 10, false);
  case DType::bf16:
    return decode(get<uint16_t>(from), 8, 7, false);
  case DType::f8e4m3:
    return decode(get<uint8_t>(from), 4, 3, true);
  default:
    return decode(get<uint8_t>(from), 5, 2, false);
  }
}

/// Of the largest value: wide enough for another order of summation, or tf32 behind an f32; far below a wrong tile.
double tolerance(DType type) {
  switch (type) {
  case DType::f64:
    return 1e-9;
  case DType::f32:
    return 1e-3;
  case DType::f16:
    return 1e-2;
  case DType::bf16:
    return 3e-2;
  default:
    return 0.25;
  }
}

} // namespace

bool matches(DType type, const void *got, const void *want, size_t elements) {
  if (!isFloat(type)) {
    return std::memcmp(got, want, elements * byteWidth(type)) == 0;
  }
  double largest = 0, difference = 0;
  const char *a = static_cast<const char *>(got), *b = static_cast<const char *>(want);
  for (size_t i = 0; i < elements; ++i, a += byteWidth(type), b += byteWidth(type)) {
    double x = element(type, a), y = element(type, b);
    if (x == y || (std::isnan(x) && std::isnan(y))) {
      largest = std::isfinite(y) ? std::max(largest, std::fabs(y)) : largest;
    } else if (!std::isfinite(x) || !std::isfinite(y)) {
      return false;
    } else {
      largest = std::max(largest, std::fabs(y));
      difference = std::max(difference, std::fabs(x - y));
    }
  }
  return difference <= tolerance(type) * largest;
}

} // namespace phobos::runtime
