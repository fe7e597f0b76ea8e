// ph.atomic_add and its like: one step on each element of a slice.
#include "Checker.h"

namespace phobos::sema {
namespace {

constexpr llvm::StringRef kKinds[] = {"add", "min", "max", "and", "or", "xor", "xchg", "cas"};
constexpr llvm::StringRef kScopes[] = {"block", "device", "system"};
constexpr llvm::StringRef kOrders[] = {"relaxed", "acquire", "release", "acq_rel"};

AtomicKind kindOf(Rule rule) {
  return static_cast<AtomicKind>(static_cast<unsigned>(rule) - static_cast<unsigned>(Rule::AtomicAdd));
}
static_assert(static_cast<unsigned>(Rule::AtomicCompareExchange) - static_cast<unsigned>(Rule::AtomicAdd) ==
              static_cast<unsigned>(AtomicKind::CompareExchange));

/// Is there an instruction? Integers of 32 and 64 bits; floats of 16 and more are added.
bool isSupported(AtomicKind kind, DType dtype) {
  if (phobos::isFloat(dtype)) {
    return kind == AtomicKind::Add && bitWidth(dtype) >= 16;
  }
  return dtype != DType::boolean && bitWidth(dtype) >= 32;
}

} // namespace

llvm::StringRef spelling(AtomicKind op) { return kKinds[static_cast<size_t>(op)]; }
llvm::StringRef spelling(AtomicScope scope) { return kScopes[static_cast<size_t>(scope)]; }
llvm::StringRef spelling(AtomicOrder order) { return kOrders[static_cast<size_t>(order)]; }

std::optional<size_t> Checker::keyword(const syntax::Expr *expr, llvm::StringRef parameter,
                                       llvm::ArrayRef<llvm::StringRef> spellings, size_t fallback) {
  if (!expr || llvm::isa<syntax::NoneLiteral>(expr)) {
    return fallback;
  }
  std::string choices;
  for (llvm::StringRef each : spellings) {
    choices += ((choices.empty() ? "\"" : ", \"") + each + "\"").str();
  }
  std::optional<llvm::StringRef> text = constantText(*expr, "`" + parameter + "`", "one of " + choices);
  if (!text) {
    return std::nullopt;
  }
  const auto *found = llvm::find(spellings, *text);
  if (found == spellings.end()) {
    fail(expr->range, "unknown `" + parameter + "` \"" + *text + "\"", "one of " + choices);
    return std::nullopt;
  }
  return found - spellings.begin();
}

Expr *Checker::atomicValue(const syntax::Expr &expr, const Slice &slice) {
  Operand operand = check(expr);
  std::optional<Operand> value = asOperand(operand, "the value of an atomic operation");
  if (!value) {
    return nullptr;
  }
  Element wanted = slice.type->element();
  if (!value->isConstant()) {
    Element given = value->value->type->element();
    std::optional<Element> common = joinStrong(given, wanted);
    if (!common || !(*common == wanted)) {
      fail(expr.range,
           "expected " + elementName(wanted) + " as the value of an atomic operation, got " + elementName(given),
           "convert it: ph." + elementName(wanted) + "(...)");
      return nullptr;
    }
    if (!broadcastsTo(value->value->type->shape(), slice.type->shape())) {
      error(expr.range, "a tile of shape " + shapeText(value->value->type->shape()) +
                            " cannot be taken for a slice of shape " + shapeText(slice.type->shape()))
          .note(slice.range, "the slice");
      return nullptr;
    }
  }
  Expr *made = asElement(*value, wanted);
  return made ? build.broadcast(made, slice.type->shape()) : nullptr;
}

Operand Checker::atomic(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  AtomicKind kind = kindOf(builtin.rule);
  std::string spelled = ("`ph." + builtin.name + "`").str();
  Operand view = check(*args[0]);
  if (view.isError()) {
    return view;
  }
  if (view.kind != Operand::Kind::View) {
    return fail(args[0]->range, "expected a slice of a tensor for " + spelled + ", got " + describe(view),
                ("write ph." + builtin.name + "(A[i:+16], ...)").str());
  }
  const Slice &slice = *view.slice;
  if (DType dtype = slice.type->element().dtype(); !isSupported(kind, dtype)) {
    return fail(args[0]->range, spelled + " does not take " + elementName(dtype),
                kind == AtomicKind::Add ? "there are i32, u32, i64, u64, f16, bf16, f32 and f64"
                                        : "there are i32, u32, i64 and u64");
  }
  bool compares = kind == AtomicKind::CompareExchange;
  Expr *compare = compares ? atomicValue(*args[1], slice) : nullptr;
  Expr *value = compares && !compare ? nullptr : atomicValue(*args[compares ? 2 : 1], slice);
  std::optional<size_t> scope = keyword(args[compares ? 3 : 2], "scope", kScopes, size_t(AtomicScope::Device));
  std::optional<size_t> order = keyword(args[compares ? 4 : 3], "order", kOrders, size_t(AtomicOrder::Relaxed));
  if (!value || !scope || !order) {
    return Operand::error();
  }
  recordStore(slice);
  return Operand::of(
      build.make<Atomic>(expr.range, kind, &slice, compare, value, AtomicScope(*scope), AtomicOrder(*order)));
}

} // namespace phobos::sema
