// Makes nodes of the typed tree. The one place that folds constants of the tree, skips conversions to the same type,
// and knows what an index is a multiple of. Operands must already agree as Tree.h says.
#pragma once

#include "phobos/Driver/Contract.h"
#include "phobos/Sema/Sema.h"
#include "llvm/ADT/DenseMap.h"

namespace phobos::sema {

class TreeBuilder {
public:
  explicit TreeBuilder(TypedKernel &kernel) : kernel(kernel), types(kernel.types) {}

  template <typename T, typename... Args> T *make(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return new (kernel.arena.Allocate<T>()) T(std::forward<Args>(args)...);
  }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> items) {
    T *memory = kernel.arena.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), memory);
    return {memory, items.size()};
  }
  llvm::StringRef copy(llvm::StringRef text) { return text.copy(kernel.arena); }

  Variable *variable(llvm::StringRef name, const Type *type, SourceRange range);

  /// The value must fit (Promote.h, whyNotFits).
  Expr *constant(SourceRange range, const ConstantValue &value, Element element);
  Expr *indexConstant(SourceRange range, int64_t value);
  Expr *zero(SourceRange range, const Type *type);
  Expr *read(SourceRange range, Variable *variable) { return make<Read>(range, variable); }
  Expr *unary(SourceRange range, UnaryOp op, Expr *operand);
  Expr *binary(SourceRange range, BinaryOp op, Expr *lhs, Expr *rhs);
  Expr *compare(SourceRange range, ComparePredicate predicate, Expr *lhs, Expr *rhs);
  Expr *select(SourceRange range, Expr *condition, Expr *thenValue, Expr *elseValue);
  Expr *math(SourceRange range, MathOp op, llvm::ArrayRef<Expr *> operands, const Type *type);
  Expr *convert(Expr *value, Element element);
  /// Keeps the number of elements.
  Expr *reshape(SourceRange range, Expr *value, llvm::ArrayRef<int64_t> shape);
  /// By NumPy's rules; the shapes must allow it.
  Expr *broadcast(Expr *value, llvm::ArrayRef<int64_t> shape);

  /// What the value of a scalar integer is known to be a multiple of; 0 if it is 0, 1 if nothing is known.
  int64_t multipleOf(const Expr *expr) const;
  /// Records what an only assignment says of a variable.
  void setMultiple(const Variable *variable, int64_t multiple);

  TypedKernel &kernel;
  TypeContext &types;

private:
  llvm::DenseMap<const Variable *, int64_t> multiples;
};

/// NumPy's common shape; none if there is no such.
std::optional<llvm::SmallVector<int64_t, 5>> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// Can a value of shape `from` be repeated to `to`?
bool broadcastsTo(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// `a - b` if that is known now although neither is: both are sums of the same terms.
std::optional<int64_t> staticDifference(const Expr *a, const Expr *b);

} // namespace phobos::sema
