// Node construction with folding. Folding keeps to index and integer scalars of known value, and to moving a constant
// through a conversion: enough that slices and loop bounds come out as plain numbers.
#include "TreeBuilder.h"
#include "ConstEval.h"
#include "Promote.h"
#include <numeric>

namespace phobos::sema {
namespace {

const Constant *indexConstantOf(const Expr *expr) {
  const auto *constant = llvm::dyn_cast<Constant>(expr);
  return constant && constant->type->element().isIndex() ? constant : nullptr;
}

std::optional<int64_t> foldIndex(BinaryOp op, int64_t a, int64_t b) {
  auto with = [&](syntax::BinaryOp python) -> std::optional<int64_t> {
    Folded folded = fold(python, ConstantValue::ofInt(a), ConstantValue::ofInt(b));
    return folded && folded.value->kind == ConstantValue::Kind::Int ? std::optional(folded.value->integer)
                                                                    : std::nullopt;
  };
  switch (op) {
  case BinaryOp::Add:
    return with(syntax::BinaryOp::Add);
  case BinaryOp::Sub:
    return with(syntax::BinaryOp::Sub);
  case BinaryOp::Mul:
    return with(syntax::BinaryOp::Mul);
  case BinaryOp::FloorDiv:
    return with(syntax::BinaryOp::FloorDiv);
  case BinaryOp::Mod:
    return with(syntax::BinaryOp::Mod);
  case BinaryOp::Min:
    return std::min(a, b);
  case BinaryOp::Max:
    return std::max(a, b);
  default:
    return std::nullopt;
  }
}

} // namespace

Variable *TreeBuilder::variable(llvm::StringRef name, const Type *type, SourceRange range) {
  auto *made = make<Variable>(Variable{copy(name), type, range, static_cast<unsigned>(kernel.variables.size())});
  kernel.variables.push_back(made);
  return made;
}

Expr *TreeBuilder::constant(SourceRange range, const ConstantValue &value, Element element) {
  double real = value.kind == ConstantValue::Kind::Float ? value.real : static_cast<double>(value.integer);
  int64_t integer = element.isBool() ? truth(value).value_or(false) : value.integer;
  return make<Constant>(range, types.scalar(element), element.isFloat() ? 0 : integer, element.isFloat() ? real : 0.0);
}

Expr *TreeBuilder::indexConstant(SourceRange range, int64_t value) {
  return constant(range, ConstantValue::ofInt(value), Element::index());
}

Expr *TreeBuilder::zero(SourceRange range, const Type *type) {
  return broadcast(constant(range, ConstantValue::ofInt(0), type->element()), type->shape());
}

Expr *TreeBuilder::unary(SourceRange range, UnaryOp op, Expr *operand) {
  if (const Constant *known = indexConstantOf(operand); known && known->integer != INT64_MIN) {
    int64_t value = known->integer;
    return indexConstant(range, op == UnaryOp::Negate ? -value : op == UnaryOp::Invert ? ~value : std::abs(value));
  }
  return make<Unary>(range, op, operand);
}

Expr *TreeBuilder::binary(SourceRange range, BinaryOp op, Expr *lhs, Expr *rhs) {
  assert(lhs->type == rhs->type && "operands must agree");
  const Constant *left = indexConstantOf(lhs), *right = indexConstantOf(rhs);
  if (left && right) {
    std::optional<int64_t> value = foldIndex(op, left->integer, right->integer);
    if (value && whyNotFits(ConstantValue::ofInt(*value), Element::index()).empty()) {
      return indexConstant(range, *value);
    }
  }
  bool plusZero = right && right->integer == 0 && (op == BinaryOp::Add || op == BinaryOp::Sub);
  bool timesOne = right && right->integer == 1 && (op == BinaryOp::Mul || op == BinaryOp::FloorDiv);
  if (plusZero || timesOne) {
    return lhs;
  }
  if (left && ((left->integer == 0 && op == BinaryOp::Add) || (left->integer == 1 && op == BinaryOp::Mul))) {
    return rhs;
  }
  return make<Binary>(range, op, lhs, rhs);
}

Expr *TreeBuilder::compare(SourceRange range, ComparePredicate predicate, Expr *lhs, Expr *rhs) {
  assert(lhs->type == rhs->type && "operands must agree");
  return make<Compare>(range, types.withElement(lhs->type, DType::boolean), predicate, lhs, rhs);
}

Expr *TreeBuilder::select(SourceRange range, Expr *condition, Expr *thenValue, Expr *elseValue) {
  assert(thenValue->type == elseValue->type && condition->type->shape() == thenValue->type->shape());
  return make<Select>(range, condition, thenValue, elseValue);
}

Expr *TreeBuilder::math(SourceRange range, MathOp op, llvm::ArrayRef<Expr *> operands, const Type *type) {
  return make<Math>(range, type, op, copy(operands));
}

Expr *TreeBuilder::convert(Expr *value, Element element) {
  if (value->type->element() == element) {
    return value;
  }
  if (const auto *known = llvm::dyn_cast<Constant>(value)) {
    Element from = known->type->element();
    ConstantValue number = from.isFloat() ? ConstantValue::ofFloat(known->real) : ConstantValue::ofInt(known->integer);
    bool exactInteger = !from.isFloat() && from != Element(DType::u64) && whyNotFits(number, element).empty();
    if (exactInteger || (from.isFloat() && element.isFloat() && from == Element(DType::f64))) {
      return constant(value->range, number, element);
    }
  }
  return make<Convert>(value->range, types.withElement(value->type, element), value);
}

Expr *TreeBuilder::reshape(SourceRange range, Expr *value, llvm::ArrayRef<int64_t> shape) {
  if (value->type->shape() == shape) {
    return value;
  }
  auto significant = [](llvm::ArrayRef<int64_t> dims) {
    llvm::SmallVector<int64_t, 5> kept;
    llvm::copy_if(dims, std::back_inserter(kept), [](int64_t extent) { return extent != 1; });
    return kept;
  };
  bool expandsOnly = significant(value->type->shape()) == significant(shape);
  const Type *type = types.withShape(value->type, shape);
  // Only a tile can be reshaped: a scalar becomes one first.
  return value->type->isScalar() ? make<Broadcast>(range, type, value)
                                 : static_cast<Expr *>(make<Reshape>(range, type, value, expandsOnly));
}

Expr *TreeBuilder::broadcast(Expr *value, llvm::ArrayRef<int64_t> shape) {
  llvm::ArrayRef<int64_t> from = value->type->shape();
  if (from == shape) {
    return value;
  }
  if (!from.empty() && from.size() < shape.size()) {
    llvm::SmallVector<int64_t, 5> padded(shape.size() - from.size(), 1);
    padded.append(from.begin(), from.end());
    value = reshape(value->range, value, padded);
    if (value->type->shape() == shape) {
      return value;
    }
  }
  return make<Broadcast>(value->range, types.withShape(value->type, shape), value);
}

void TreeBuilder::setMultiple(const Variable *variable, int64_t multiple) {
  // An unrolled loop assigns the same variable several times.
  auto [entry, isNew] = multiples.try_emplace(variable, multiple);
  entry->second = isNew ? multiple : std::gcd(entry->second, multiple);
}

int64_t TreeBuilder::multipleOf(const Expr *expr) const {
  if (const auto *constant = llvm::dyn_cast<Constant>(expr)) {
    return constant->integer == INT64_MIN ? 1 : std::abs(constant->integer);
  }
  if (const auto *extent = llvm::dyn_cast<Extent>(expr)) {
    return kernel.promised[extent->dim];
  }
  if (const auto *read = llvm::dyn_cast<Read>(expr)) {
    auto found = multiples.find(read->variable);
    return found == multiples.end() ? 1 : found->second;
  }
  if (const auto *convert = llvm::dyn_cast<Convert>(expr)) {
    // Wrapping keeps factors that are powers of two only; widening keeps all.
    bool widens = convert->operand->type->element().isInteger() && convert->type->element().isIndex();
    return widens ? multipleOf(convert->operand) : 1;
  }
  const auto *binary = llvm::dyn_cast<Binary>(expr);
  if (!binary || !binary->type->element().isInteger()) {
    return 1;
  }
  int64_t left = multipleOf(binary->lhs), right = multipleOf(binary->rhs), product;
  switch (binary->op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
  case BinaryOp::Mod:
  case BinaryOp::Min:
  case BinaryOp::Max:
    return std::gcd(left, right);
  case BinaryOp::Mul:
    return __builtin_mul_overflow(left, right, &product) ? std::max(left, right) : product;
  default:
    return 1;
  }
}

std::optional<llvm::SmallVector<int64_t, 5>> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  llvm::SmallVector<int64_t, 5> shape(std::max(a.size(), b.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1, right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1) {
      return std::nullopt;
    }
    shape[shape.size() - 1 - i] = left == 1 ? right : left;
  }
  return shape;
}

bool broadcastsTo(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  std::optional<llvm::SmallVector<int64_t, 5>> common = broadcastShapes(from, to);
  return common && llvm::ArrayRef<int64_t>(*common) == to;
}

namespace {

/// A sum: known part and multiples of terms, each term by a text that equals only for equal values.
struct LinearForm {
  int64_t known = 0;
  std::vector<std::pair<std::string, int64_t>> terms;

  void add(const std::string &term, int64_t factor) {
    for (auto &[name, count] : terms) {
      if (name == term) {
        count += factor;
        return;
      }
    }
    terms.emplace_back(term, factor);
  }
};

/// Empty if the expression is not pure enough to be compared by its text.
std::string key(const Expr *expr) {
  switch (expr->kind) {
  case Expr::Kind::Constant:
    return std::to_string(llvm::cast<Constant>(expr)->integer);
  case Expr::Kind::Read:
    return "v" + std::to_string(llvm::cast<Read>(expr)->variable->id);
  case Expr::Kind::Parameter:
    return "p" + std::to_string(llvm::cast<Parameter>(expr)->index);
  case Expr::Kind::Extent:
    return "d" + std::to_string(llvm::cast<Extent>(expr)->dim);
  case Expr::Kind::BlockId:
    return "b" + std::to_string(llvm::cast<BlockId>(expr)->axis);
  case Expr::Kind::GridSize:
    return "g" + std::to_string(llvm::cast<GridSize>(expr)->axis);
  case Expr::Kind::Convert: {
    std::string inner = key(llvm::cast<Convert>(expr)->operand);
    return inner.empty() ? inner : "c" + expr->type->str() + "(" + inner + ")";
  }
  case Expr::Kind::Binary: {
    const auto *binary = llvm::cast<Binary>(expr);
    std::string left = key(binary->lhs), right = key(binary->rhs);
    return left.empty() || right.empty()
               ? std::string()
               : "(" + left + " " + std::to_string(static_cast<int>(binary->op)) + " " + right + ")";
  }
  default:
    return "";
  }
}

bool accumulate(const Expr *expr, int64_t factor, LinearForm &form) {
  if (const auto *constant = llvm::dyn_cast<Constant>(expr)) {
    form.known += factor * constant->integer;
    return true;
  }
  if (const auto *convert = llvm::dyn_cast<Convert>(expr); convert && convert->type->element().isIndex()) {
    return accumulate(convert->operand, factor, form); // a span that wraps around is nobody's intent
  }
  if (const auto *binary = llvm::dyn_cast<Binary>(expr); binary && binary->type->element().isInteger()) {
    if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub) {
      return accumulate(binary->lhs, factor, form) &&
             accumulate(binary->rhs, binary->op == BinaryOp::Add ? factor : -factor, form);
    }
    const auto *left = llvm::dyn_cast<Constant>(binary->lhs), *right = llvm::dyn_cast<Constant>(binary->rhs);
    if (binary->op == BinaryOp::Mul && (left || right)) {
      return accumulate(left ? binary->rhs : binary->lhs, factor * (left ? left : right)->integer, form);
    }
  }
  std::string term = key(expr);
  if (term.empty()) {
    return false;
  }
  form.add(term, factor);
  return true;
}

} // namespace

std::optional<int64_t> staticDifference(const Expr *a, const Expr *b) {
  LinearForm form;
  if (!accumulate(a, 1, form) || !accumulate(b, -1, form)) {
    return std::nullopt;
  }
  bool cancels = llvm::all_of(form.terms, [](const auto &term) { return term.second == 0; });
  return cancels ? std::optional(form.known) : std::nullopt;
}

} // namespace phobos::sema
