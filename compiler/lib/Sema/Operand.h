// What an expression is while it is being checked: wider than the values of the typed tree, since names, tensors,
// constants and tuples stand in expressions too.
#pragma once

#include "ConstEval.h"
#include "phobos/Sema/Builtins.h"
#include "phobos/Sema/Tree.h"
#include <vector>

namespace phobos::sema {

struct Operand {
  enum class Kind : uint8_t {
    Error,    ///< reported; anything made of it is an Error too, silently
    Constant, ///< known now: number, dtype, string, None, or a tuple of such
    Value,    ///< a run-time value
    Tensor,   ///< a tensor parameter
    View,     ///< a slice, loaded when used as a value
    Tuple,
    Results,  ///< of a call with none or several
    Effect,   ///< of a builtin without a value, `ph.print`: a statement that is emitted already
    Lang,     ///< a name of phobos.lang, by path
    Shape,    ///< `A.shape`; only indexed
    Stride,   ///< `A.stride`
    Function, ///< a device function
    Python,   ///< a function of Python's, by name
  };
  Kind kind = Kind::Error;
  SourceRange range;
  ConstantValue constant;
  Expr *value = nullptr;                         ///< Value
  Call *call = nullptr;                          ///< Results
  unsigned tensor = 0;                           ///< Tensor, Shape, Stride
  const Slice *slice = nullptr;                  ///< View
  std::vector<Operand> items;                    ///< Tuple
  std::string name;                              ///< Lang, Python, Effect
  const syntax::FunctionDef *function = nullptr; ///< Function

  static Operand error() { return {}; }
  static Operand of(SourceRange range, ConstantValue constant) {
    Operand operand{Kind::Constant, range};
    operand.constant = std::move(constant);
    return operand;
  }
  static Operand of(Expr *value) {
    Operand operand{Kind::Value, value->range};
    operand.value = value;
    return operand;
  }

  bool isError() const { return kind == Kind::Error; }
  bool isConstant() const { return kind == Kind::Constant; }
  /// A number known now.
  bool isNumber() const { return isConstant() && sema::isNumber(constant); }
  bool isTuple() const { return kind == Kind::Tuple || (isConstant() && constant.kind == ConstantValue::Kind::Tuple); }
  /// The elements of a tuple of either kind.
  std::vector<Operand> elements() const;
};

} // namespace phobos::sema
