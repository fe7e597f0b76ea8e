// Python numbers to the bytes of a scalar parameter. Floats round to nearest even; a number must fit, infinity being
// the only one that is infinite; a float is never taken for an int.
#include "phobos/runtime/Arguments.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace phobos::runtime {
namespace {

/// A small binary float: `exponentBits` with the usual bias, `mantissaBits`; e4m3 has no infinity and one NaN.
struct FloatFormat {
  int exponentBits, mantissaBits;
  bool finiteOnly;
};

uint32_t encode(double value, FloatFormat format) {
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const uint32_t sign = std::signbit(value) ? 1u << (format.exponentBits + format.mantissaBits) : 0;
  const uint32_t exponentMask = ((1u << format.exponentBits) - 1) << format.mantissaBits;
  const uint32_t nan =
      exponentMask | (format.finiteOnly ? (1u << format.mantissaBits) - 1 : 1u << (format.mantissaBits - 1));
  const uint32_t overflow = format.finiteOnly ? nan : exponentMask;
  if (std::isnan(value)) {
    return sign | nan;
  }
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) {
    return sign | overflow;
  }
  if (magnitude == 0.0) {
    return sign;
  }
  int exponent = std::max(std::ilogb(magnitude), 1 - bias); // subnormals share the least exponent
  // Scaled so that the last mantissa bit is the unit: exact in a double, then rounded once, to even.
  double scaled = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  uint64_t units = static_cast<uint64_t>(scaled);
  if (units >> (format.mantissaBits + 1)) {
    units >>= 1;
    ++exponent;
  }
  bool normal = units >> format.mantissaBits;
  uint64_t bits = normal ? (static_cast<uint64_t>(exponent + bias) << format.mantissaBits) +
                               (units & ((1u << format.mantissaBits) - 1))
                         : units;
  uint64_t largest = format.finiteOnly ? nan - 1 : exponentMask - 1;
  return sign | static_cast<uint32_t>(bits > largest ? overflow : bits);
}

double asReal(const ScalarArgument &value) {
  switch (value.kind) {
  case ScalarArgument::Kind::Float:
    return value.real;
  case ScalarArgument::Kind::Unsigned:
    return static_cast<double>(value.unsignedInteger);
  default:
    return static_cast<double>(value.integer);
  }
}

/// Of the floats that C++ has no type for.
std::optional<FloatFormat> smallFormat(DType type) {
  switch (type) {
  case DType::f16:
    return FloatFormat{5, 10, false};
  case DType::bf16:
    return FloatFormat{8, 7, false};
  case DType::f8e4m3:
    return FloatFormat{4, 3, true};
  case DType::f8e5m2:
    return FloatFormat{5, 2, false};
  default:
    return std::nullopt;
  }
}

/// Is a finite value beyond what the float type holds? One that rounds to the largest is not.
bool overflows(DType type, double value) {
  if (!std::isfinite(value)) {
    return false;
  }
  if (std::optional<FloatFormat> format = smallFormat(type)) {
    return encode(std::fabs(value), *format) == encode(std::numeric_limits<double>::infinity(), *format);
  }
  return type == DType::f32 && std::isinf(static_cast<float>(value));
}

template <typename T> bool put(T value, void *out) {
  std::memcpy(out, &value, sizeof value);
  return true;
}

bool putInteger(DType type, const ScalarArgument &value, void *out) {
  if (value.kind == ScalarArgument::Kind::Float) {
    return false;
  }
  unsigned bits = bitWidth(type);
  if (value.kind == ScalarArgument::Kind::Unsigned) {
    return type == DType::u64 && put(value.unsignedInteger, out);
  }
  int64_t integer = value.integer;
  if (isSigned(type)) {
    if (bits < 64 && (integer < -(int64_t(1) << (bits - 1)) || integer >= int64_t(1) << (bits - 1))) {
      return false;
    }
  } else if (integer < 0 || (bits < 64 && integer >= int64_t(1) << bits)) {
    return false;
  }
  std::memcpy(out, &integer, bits / 8);
  return true;
}

std::string rangeText(DType type) {
  unsigned bits = bitWidth(type);
  if (!isSigned(type)) {
    return "0 to " + std::to_string(bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1);
  }
  int64_t high = bits == 64 ? INT64_MAX : (int64_t(1) << (bits - 1)) - 1;
  return std::to_string(-high - 1) + " to " + std::to_string(high);
}

} // namespace

bool tryPackScalar(DType type, const ScalarArgument &value, void *out) {
  if (value.kind == ScalarArgument::Kind::Type) {
    return false;
  }
  if (isFloat(type) && overflows(type, asReal(value))) {
    return false;
  }
  if (std::optional<FloatFormat> format = smallFormat(type)) {
    uint32_t bits = encode(asReal(value), *format);
    std::memcpy(out, &bits, byteWidth(type)); // little-endian
    return true;
  }
  switch (type) {
  case DType::boolean:
    if (value.kind == ScalarArgument::Kind::Float || value.kind == ScalarArgument::Kind::Unsigned ||
        value.integer < 0 || value.integer > 1) {
      return false;
    }
    return put(static_cast<uint8_t>(value.integer), out);
  case DType::f64:
    return put(asReal(value), out);
  case DType::f32:
    return put(static_cast<float>(asReal(value)), out);
  default:
    return putInteger(type, value, out);
  }
}

Status packScalar(const Signature &signature, const ParameterInfo &parameter, const ScalarArgument &value, void *out) {
  if (tryPackScalar(parameter.dtype, value, out)) {
    return {};
  }
  std::string who = "argument `" + parameter.name + "`: ";
  std::string type(name(parameter.dtype));
  if (parameter.dtype == DType::boolean) {
    return signature.launchError(&parameter, who + "expected True or False");
  }
  if (isFloat(parameter.dtype)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", asReal(value));
    return signature.launchError(&parameter, who + "expected a number that fits " + type + ", got " + text,
                                 "float(\"inf\") is infinity");
  }
  if (value.kind == ScalarArgument::Kind::Float) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value.real);
    return signature.launchError(&parameter, who + "expected an int (" + type + "), got the float " + text);
  }
  std::string got = value.kind == ScalarArgument::Kind::Unsigned ? std::to_string(value.unsignedInteger)
                                                                 : std::to_string(value.integer);
  return signature.launchError(&parameter, who + "expected an int that fits " + type + " (" +
                                               rangeText(parameter.dtype) + "), got " + got);
}

} // namespace phobos::runtime
