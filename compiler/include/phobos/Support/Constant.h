// Values that are known when a kernel is compiled: tuned constants, captured module constants, `ph.const` arguments.
#pragma once

#include "phobos/Support/DType.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace phobos {

/// A compile-time value: tuned constant, captured module constant or `ph.const` argument.
struct ConstantValue {
  enum class Kind : uint8_t { None, Bool, Int, Float, Type, Tuple, String };
  Kind kind = Kind::None;
  int64_t integer = 0; // Bool too
  double real = 0.0;
  DType dtype = DType::f32;
  std::string text;
  std::vector<ConstantValue> items;

  static ConstantValue ofBool(bool value) { return {Kind::Bool, value}; }
  static ConstantValue ofInt(int64_t value) { return {Kind::Int, value}; }
  static ConstantValue ofFloat(double value) { return {Kind::Float, 0, value}; }
  static ConstantValue ofType(DType value) { return {Kind::Type, 0, 0.0, value}; }
  bool operator==(const ConstantValue &) const = default;
};

/// Named constants in a fixed order (declaration order).
using Constants = std::vector<std::pair<std::string, ConstantValue>>;

/// As Python's repr, dtypes without `ph.`: "3", "1e-05", "True", "f16", "(1, 2)".
std::string toText(const ConstantValue &value);

} // namespace phobos
