// Operators and functions on compile-time values: Python's results, in 64-bit integers and doubles.
#include "ConstEval.h"
#include "llvm/ADT/Twine.h"

namespace phobos::sema {
namespace {

using Kind = ConstantValue::Kind;
using syntax::BinaryOp;
using syntax::CompareOp;
using syntax::UnaryOp;

double asReal(const ConstantValue &value) {
  return value.kind == Kind::Float ? value.real : static_cast<double>(value.integer);
}

Folded overflow() { return Folded::error("the result does not fit in a 64-bit integer"); }

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

Folded power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    return base == 0 ? Folded::error("division by zero")
                     : Folded(ConstantValue::ofFloat(std::pow(static_cast<double>(base), exponent)));
  }
  int64_t result = 1;
  for (; exponent > 0; --exponent) {
    if (base == 0 || base == 1 || (base == -1 && exponent > 2)) {
      return ConstantValue::ofInt(base == -1 && exponent % 2 == 0 ? 1 : base);
    }
    if (__builtin_mul_overflow(result, base, &result)) {
      return overflow();
    }
  }
  return ConstantValue::ofInt(result);
}

Folded shift(bool left, int64_t a, int64_t b) {
  if (b < 0) {
    return Folded::error("negative shift count");
  }
  if (!left) {
    return ConstantValue::ofInt(a >> std::min<int64_t>(b, 63));
  }
  if (a == 0) {
    return ConstantValue::ofInt(0);
  }
  int64_t result;
  if (b > 62 || __builtin_mul_overflow(a, int64_t(1) << b, &result)) {
    return overflow();
  }
  return ConstantValue::ofInt(result);
}

Folded integers(BinaryOp op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
  case BinaryOp::Add:
    return __builtin_add_overflow(a, b, &result) ? overflow() : Folded(ConstantValue::ofInt(result));
  case BinaryOp::Sub:
    return __builtin_sub_overflow(a, b, &result) ? overflow() : Folded(ConstantValue::ofInt(result));
  case BinaryOp::Mul:
    return __builtin_mul_overflow(a, b, &result) ? overflow() : Folded(ConstantValue::ofInt(result));
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    if (b == 0) {
      return Folded::error("division by zero");
    }
    if (op == BinaryOp::Div) {
      return ConstantValue::ofFloat(static_cast<double>(a) / static_cast<double>(b));
    }
    if (b == -1) { // INT64_MIN // -1 traps
      return op == BinaryOp::Mod ? Folded(ConstantValue::ofInt(0)) : integers(BinaryOp::Sub, 0, a);
    }
    return ConstantValue::ofInt(op == BinaryOp::FloorDiv ? floorDivide(a, b) : a - floorDivide(a, b) * b);
  case BinaryOp::Pow:
    return power(a, b);
  case BinaryOp::LShift:
  case BinaryOp::RShift:
    return shift(op == BinaryOp::LShift, a, b);
  case BinaryOp::BitOr:
    return ConstantValue::ofInt(a | b);
  case BinaryOp::BitXor:
    return ConstantValue::ofInt(a ^ b);
  case BinaryOp::BitAnd:
    return ConstantValue::ofInt(a & b);
  case BinaryOp::MatMul:
    break;
  }
  return Folded::error("`@` is not defined on numbers");
}

Folded reals(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add:
    return ConstantValue::ofFloat(a + b);
  case BinaryOp::Sub:
    return ConstantValue::ofFloat(a - b);
  case BinaryOp::Mul:
    return ConstantValue::ofFloat(a * b);
  case BinaryOp::Pow:
    if (a < 0 && std::floor(b) != b) {
      return Folded::error("a negative number to a power that is no whole number is not real");
    }
    return ConstantValue::ofFloat(std::pow(a, b));
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    if (b == 0) {
      return Folded::error("division by zero");
    }
    return ConstantValue::ofFloat(op == BinaryOp::Div        ? a / b
                                  : op == BinaryOp::FloorDiv ? std::floor(a / b)
                                                             : a - std::floor(a / b) * b);
  default:
    return Folded::error(("`" + syntax::spelling(op) + "` is not defined on floats").str());
  }
}

bool sameValue(const ConstantValue &a, const ConstantValue &b) {
  if (isNumber(a) && isNumber(b)) {
    return isInt(a) && isInt(b) ? a.integer == b.integer : asReal(a) == asReal(b);
  }
  if (a.kind != b.kind || a.items.size() != b.items.size()) {
    return false;
  }
  for (size_t i = 0; i < a.items.size(); ++i) {
    if (!sameValue(a.items[i], b.items[i])) {
      return false;
    }
  }
  switch (a.kind) {
  case Kind::Type:
    return a.dtype == b.dtype;
  case Kind::String:
    return a.text == b.text;
  default:
    return true;
  }
}

bool less(const ConstantValue &a, const ConstantValue &b) {
  return isInt(a) && isInt(b) ? a.integer < b.integer : asReal(a) < asReal(b);
}

Folded toInt(const ConstantValue &value) {
  if (isInt(value)) {
    return ConstantValue::ofInt(value.integer);
  }
  if (value.kind != Kind::Float || !(std::fabs(value.real) < 9.2e18)) {
    return Folded::error("cannot make an int of " + toText(value));
  }
  return ConstantValue::ofInt(static_cast<int64_t>(value.real));
}

Folded toFloat(const ConstantValue &value) {
  if (isNumber(value)) {
    return ConstantValue::ofFloat(asReal(value));
  }
  if (value.kind == Kind::String) {
    llvm::StringRef word(value.text);
    double sign = word.consume_front("-") ? -1.0 : 1.0;
    if (word == "inf" || word == "infinity") {
      return ConstantValue::ofFloat(sign * HUGE_VAL);
    }
    if (word == "nan") {
      return ConstantValue::ofFloat(NAN);
    }
  }
  return Folded::error("cannot make a float of " + toText(value));
}

Folded extreme(bool greatest, llvm::ArrayRef<ConstantValue> args) {
  llvm::ArrayRef<ConstantValue> values = args;
  if (args.size() == 1 && args[0].kind == Kind::Tuple) {
    values = args[0].items;
  }
  if (values.empty()) {
    return Folded::error("nothing to choose from");
  }
  const ConstantValue *best = &values[0];
  for (const ConstantValue &value : values) {
    if (!isNumber(value)) {
      return Folded::error("cannot compare " + toText(value));
    }
    if (greatest ? less(*best, value) : less(value, *best)) {
      best = &value;
    }
  }
  return *best;
}

} // namespace

std::string kindText(const ConstantValue &value) {
  switch (value.kind) {
  case Kind::None:
    return "None";
  case Kind::Bool:
    return "a bool";
  case Kind::Int:
    return "an int";
  case Kind::Float:
    return "a float";
  case Kind::Type:
    return "a dtype";
  case Kind::String:
    return "a string";
  case Kind::Tuple:
    return "a tuple";
  }
  return "";
}

std::optional<bool> truth(const ConstantValue &value) {
  switch (value.kind) {
  case Kind::None:
    return false;
  case Kind::Bool:
  case Kind::Int:
    return value.integer != 0;
  case Kind::Float:
    return value.real != 0.0;
  case Kind::String:
    return !value.text.empty();
  case Kind::Tuple:
    return !value.items.empty();
  case Kind::Type:
    return std::nullopt;
  }
  return std::nullopt;
}

Folded fold(UnaryOp op, const ConstantValue &operand) {
  if (op == UnaryOp::Not) {
    std::optional<bool> value = truth(operand);
    return value ? Folded(ConstantValue::ofBool(!*value)) : Folded::error("a dtype is neither true nor false");
  }
  if (op == UnaryOp::Invert ? isInt(operand) : isNumber(operand)) {
    if (op == UnaryOp::Invert) {
      return ConstantValue::ofInt(~operand.integer);
    }
    if (operand.kind == Kind::Float) {
      return ConstantValue::ofFloat(op == UnaryOp::Minus ? -operand.real : operand.real);
    }
    return op == UnaryOp::Minus ? integers(BinaryOp::Sub, 0, operand.integer)
                                : Folded(ConstantValue::ofInt(operand.integer));
  }
  return Folded::error(("`" + syntax::spelling(op) + "` is not defined on " + kindText(operand)).str());
}

Folded fold(BinaryOp op, const ConstantValue &lhs, const ConstantValue &rhs) {
  if (lhs.kind == Kind::Bool && rhs.kind == Kind::Bool &&
      (op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor)) {
    return ConstantValue::ofBool(*integers(op, lhs.integer, rhs.integer).value == ConstantValue::ofInt(1));
  }
  if (isInt(lhs) && isInt(rhs)) {
    return integers(op, lhs.integer, rhs.integer);
  }
  if (isNumber(lhs) && isNumber(rhs)) {
    return reals(op, asReal(lhs), asReal(rhs));
  }
  if (op == BinaryOp::Add && lhs.kind == Kind::Tuple && rhs.kind == Kind::Tuple) {
    ConstantValue sum = lhs;
    sum.items.insert(sum.items.end(), rhs.items.begin(), rhs.items.end());
    return sum;
  }
  return Folded::error(
      ("`" + syntax::spelling(op) + "` is not defined on " + kindText(lhs) + " and " + kindText(rhs)).str());
}

Folded fold(CompareOp op, const ConstantValue &lhs, const ConstantValue &rhs) {
  switch (op) {
  case CompareOp::Eq:
  case CompareOp::Is:
    return ConstantValue::ofBool(sameValue(lhs, rhs));
  case CompareOp::NotEq:
  case CompareOp::IsNot:
    return ConstantValue::ofBool(!sameValue(lhs, rhs));
  case CompareOp::In:
  case CompareOp::NotIn: {
    if (rhs.kind != Kind::Tuple) {
      return Folded::error(("`" + syntax::spelling(op) + "` looks in a tuple, not in " + kindText(rhs)).str());
    }
    bool found = false;
    for (const ConstantValue &item : rhs.items) {
      found |= sameValue(lhs, item);
    }
    return ConstantValue::ofBool(found == (op == CompareOp::In));
  }
  default:
    break;
  }
  if (!isNumber(lhs) || !isNumber(rhs)) {
    return Folded::error(
        ("`" + syntax::spelling(op) + "` is not defined on " + kindText(lhs) + " and " + kindText(rhs)).str());
  }
  if (std::isnan(asReal(lhs)) || std::isnan(asReal(rhs))) {
    return ConstantValue::ofBool(false);
  }
  switch (op) {
  case CompareOp::Lt:
    return ConstantValue::ofBool(less(lhs, rhs));
  case CompareOp::LtE:
    return ConstantValue::ofBool(!less(rhs, lhs));
  case CompareOp::Gt:
    return ConstantValue::ofBool(less(rhs, lhs));
  default:
    return ConstantValue::ofBool(!less(lhs, rhs));
  }
}

std::optional<Folded> foldCall(llvm::StringRef name, llvm::ArrayRef<ConstantValue> args) {
  auto arity = [&](size_t count) {
    return args.size() == count
               ? std::optional<Folded>()
               : Folded::error("`" + name.str() + "` takes " + std::to_string(count) +
                               (count == 1 ? " argument, not " : " arguments, not ") + std::to_string(args.size()));
  };
  if (name == "min" || name == "max") {
    return extreme(name == "max", args);
  }
  if (name == "cdiv") {
    if (std::optional<Folded> wrong = arity(2)) {
      return wrong;
    }
    Folded negated = fold(UnaryOp::Minus, args[0]);
    Folded quotient = negated ? fold(BinaryOp::FloorDiv, *negated.value, args[1]) : negated;
    return quotient ? fold(UnaryOp::Minus, *quotient.value) : quotient;
  }
  if (name != "abs" && name != "len" && name != "int" && name != "float" && name != "bool") {
    return std::nullopt;
  }
  if (std::optional<Folded> wrong = arity(1)) {
    return wrong;
  }
  const ConstantValue &value = args[0];
  if (name == "int") {
    return toInt(value);
  }
  if (name == "float") {
    return toFloat(value);
  }
  if (name == "bool") {
    std::optional<bool> known = truth(value);
    return known ? Folded(ConstantValue::ofBool(*known)) : Folded::error("a dtype is neither true nor false");
  }
  if (name == "len") {
    return value.kind == Kind::Tuple ? Folded(ConstantValue::ofInt(static_cast<int64_t>(value.items.size())))
                                     : Folded::error(kindText(value) + " has no length");
  }
  if (!isNumber(value)) {
    return Folded::error("`abs` is not defined on " + kindText(value));
  }
  return asReal(value) < 0 ? fold(UnaryOp::Minus, value) : fold(UnaryOp::Plus, value);
}

} // namespace phobos::sema
