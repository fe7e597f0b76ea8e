// Constants as text; see Constant.h.
#include "phobos/Support/Constant.h"

#include <charconv>
#include <cmath>

namespace phobos {

using Kind = ConstantValue::Kind;

std::string toText(const ConstantValue &value) {
  switch (value.kind) {
  case Kind::None:
    return "None";
  case Kind::Bool:
    return value.integer ? "True" : "False";
  case Kind::Int:
    return std::to_string(value.integer);
  case Kind::Float: {
    // Shortest digits, in the form that Python chooses.
    char buffer[40];
    double size = std::fabs(value.real);
    bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
    auto end = plain ? std::to_chars(buffer, buffer + sizeof buffer, value.real, std::chars_format::fixed).ptr
                     : std::to_chars(buffer, buffer + sizeof buffer, value.real).ptr;
    std::string digits(buffer, end);
    return digits.find_first_not_of("-0123456789") == std::string::npos ? digits + ".0" : digits;
  }
  case Kind::Type:
    return std::string(name(value.dtype));
  case Kind::String:
    return "\"" + value.text + "\"";
  case Kind::Tuple:
    break;
  }
  std::string list = "(";
  for (size_t i = 0; i < value.items.size(); ++i) {
    list += (i ? ", " : "") + toText(value.items[i]);
  }
  return list + (value.items.size() == 1 ? ",)" : ")");
}

} // namespace phobos
