// ph.reduce and ph.scan: the elements of one tile, or of several side by side, combined along an axis by a device
// function. That the function only computes is seen when its code is there (IRGen).
#include "Checker.h"

namespace phobos::sema {

Operand Checker::combination(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args) {
  std::string name = "`ph." + builtin.name.str() + "`";
  Operand operand = check(*args[0]);
  if (operand.isError()) {
    return operand;
  }
  llvm::SmallVector<Expr *, 4> tiles;
  for (const Operand &each : operand.isTuple() ? operand.elements() : std::vector<Operand>{operand}) {
    const Type *type = tileOf(each);
    if (!type) {
      return fail(args[0]->range, "expected a tile, or a tuple of tiles, for " + name + ", got " + describe(each));
    }
    if (!computes(args[0]->range, name, type->element())) {
      return Operand::error();
    }
    tiles.push_back(asValue(each));
    if (type->shape() != tiles[0]->type->shape()) {
      return fail(args[0]->range,
                  name + " takes tiles of one shape, got " + tiles[0]->type->str() + " and " + type->str());
    }
  }
  if (tiles.empty()) {
    return fail(args[0]->range, "expected a tile, or a tuple of tiles, for " + name + ", got an empty tuple");
  }
  std::optional<Shape> axes = reductionAxes(*args[1], tiles[0]->type->rank());
  if (!axes) {
    return Operand::error();
  }
  if (axes->size() != 1) {
    return fail(args[1]->range, name + " takes one axis");
  }
  Operand function = check(*args[2]);
  if (function.isError()) {
    return function;
  }
  if (function.kind != Operand::Kind::Function) {
    return fail(args[2]->range, "expected a device function of two numbers as `fn`, got " + describe(function),
                "decorate a function of this file with @ph.fn");
  }

  size_t n = tiles.size();
  const syntax::FunctionDef &definition = *function.function;
  if (definition.params.size() != 2 * n) {
    return fail(args[2]->range,
                name + " calls `" + definition.name + "` with " + llvm::Twine(2 * n) + " numbers, but it takes " +
                    llvm::Twine(definition.params.size()),
                n == 1 ? "the two numbers to combine" : "first those of one side, then those of the other");
  }
  if (!checkRecursion(expr, definition)) {
    return Operand::error();
  }
  std::vector<Operand> numbers;
  for (size_t i = 0; i < 2 * n; ++i) {
    const Type *number = types.scalar(tiles[i % n]->type->element());
    numbers.push_back(Operand::of(build.read(args[0]->range, build.variable("<number>", number, args[0]->range))));
  }
  llvm::SmallVector<Expr *, 8> values; // of no use: each pair of elements has its own
  Function *instance = instantiate(expr, definition, numbers, values);
  if (!instance) {
    return Operand::error();
  }
  if (instance->results.size() != n) {
    return fail(args[2]->range, "`" + definition.name + "` must return " +
                                    (n == 1 ? llvm::Twine("one number") : llvm::Twine(n) + " numbers") + " for " +
                                    name + ", and returns " + llvm::Twine(instance->results.size()));
  }
  Shape shape(tiles[0]->type->shape());
  if (builtin.rule == Rule::Fold) {
    shape.erase(shape.begin() + axes->front());
  }
  llvm::SmallVector<const Type *, 4> results;
  for (size_t i = 0; i < n; ++i) {
    const Type *number = types.scalar(tiles[i]->type->element());
    for (const Variable *each : {instance->params[i], instance->params[n + i], instance->results[i]}) {
      if (each->type != number) {
        return fail(args[2]->range,
                    "`" + definition.name + "` takes or returns " + each->type->str() + " where the tile has " +
                        number->str(),
                    "convert the tile before, or the result in the function");
      }
    }
    results.push_back(types.get(number->element(), shape));
  }
  auto *fold = build.make<Fold>();
  *fold = {axes->front(), builtin.rule == Rule::FoldRunning, build.copy(llvm::ArrayRef<const Type *>(results))};
  auto *node = build.make<Call>(expr.range, n == 1 ? results[0] : nullptr, instance,
                                build.copy(llvm::ArrayRef<Expr *>(tiles)), fold);
  if (n == 1) {
    return Operand::of(node);
  }
  Operand several{Operand::Kind::Results, expr.range};
  several.call = node;
  return several;
}

} // namespace phobos::sema
