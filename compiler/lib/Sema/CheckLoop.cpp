// Loops: over a range, unrolled, and while. A loop that may be left early becomes a while with a flag.
#include "Checker.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

namespace phobos::sema {

void Checker::forStatement(const syntax::ForStmt &stmt) {
  const auto *call = llvm::dyn_cast<syntax::CallExpr>(stmt.iterable);
  const auto *callee = call ? llvm::dyn_cast<syntax::NameExpr>(call->callee) : nullptr;
  bool isPythons = callee && llvm::is_contained({"enumerate", "zip", "reversed"}, callee->name);
  if (call && !isPythons) {
    Operand callee = check(*call->callee);
    if (callee.isError()) {
      return;
    }
    if (callee.kind == Operand::Kind::Python && callee.name == "range") {
      return rangeLoop(stmt, *call);
    }
    if (callee.kind == Operand::Kind::Lang && callee.name == "unroll") {
      return unrolledLoop(stmt, *call);
    }
    const auto *name = llvm::dyn_cast<syntax::NameExpr>(call->callee);
    if (name && name->name == "range") {
      error(name->range, "`range` is " + describe(callee) + " here").hint("give that another name");
      return;
    }
  } else if (llvm::isa<syntax::NameExpr>(stmt.iterable) && check(*stmt.iterable).isError()) {
    return;
  }
  error(stmt.iterable->range, "expected `range(...)` or `ph.unroll(...)` to loop over");
}

std::optional<Checker::RangeBounds> Checker::rangeBounds(const syntax::CallExpr &call, llvm::StringRef name) {
  if (!call.keywords.empty() || call.args.empty() || call.args.size() > 3) {
    error(call.range, "expected one to three arguments: `" + name + "(stop)`, `" + name + "(start, stop)` or `" + name +
                          "(start, stop, step)`");
    return std::nullopt;
  }
  llvm::SmallVector<Operand, 3> bounds;
  for (const syntax::Expr *arg : call.args) {
    Operand bound = check(*arg);
    if (bound.kind == Operand::Kind::View) {
      Expr *loaded = asValue(bound);
      bound = loaded ? Operand::of(loaded) : Operand::error();
    }
    if (bound.isError()) {
      return std::nullopt;
    }
    bool isInteger = bound.isConstant() ? isInt(bound.constant)
                                        : bound.kind == Operand::Kind::Value && bound.value->type->isScalar() &&
                                              bound.value->type->element().isInteger();
    if (!isInteger) {
      error(arg->range, "expected an integer as a bound of `" + name + "`, got " + describe(bound));
      return std::nullopt;
    }
    bounds.push_back(std::move(bound));
  }
  Operand zero = Operand::of(call.range, ConstantValue::ofInt(0)),
          one = Operand::of(call.range, ConstantValue::ofInt(1));
  RangeBounds result{bounds.size() == 1 ? zero : bounds[0], bounds[bounds.size() == 1 ? 0 : 1],
                     bounds.size() == 3 ? bounds[2] : one};
  if (result.step.isConstant() && result.step.constant.integer == 0) {
    error(call.args[2]->range, "the step of a range cannot be 0");
    return std::nullopt;
  }
  return result;
}

void Checker::bindLoopVariable(const syntax::Expr &target, Variable *variable, const Operand *constant) {
  const auto *name = llvm::dyn_cast<syntax::NameExpr>(&target);
  if (!name || !isAssignable(*name)) {
    return;
  }
  Symbol *symbol = frame->local(name->name);
  symbol->kind = Symbol::Kind::Loop;
  symbol->range = target.range;
  symbol->variable = variable;
  if (constant) {
    symbol->bindings.push_back(std::make_unique<Operand>(*constant));
    frame->flow.set[symbol] = symbol->bindings.back().get();
  } else {
    frame->flow.set[symbol] = nullptr;
    frame->flow.assigned.insert(variable);
  }
}

Checker::Statements Checker::loopBody(syntax::Block body, LoopContext &context, llvm::function_ref<void()> enter) {
  Flow before = frame->flow;
  context.outer = frame->loop;
  context.branchDepth = frame->branchDepth;
  frame->loop = &context;
  ++frame->loopDepth;
  Statements statements = collect([&] {
    enter();
    block(body);
  });
  --frame->loopDepth;
  frame->loop = context.outer;
  // The body may not run at all, and what it sets first is not there after it.
  frame->flow = std::move(before);
  return statements;
}

llvm::ArrayRef<Variable *> Checker::carriedBy(SourceRange range, const Statements &body) {
  llvm::SmallVector<Variable *, 8> carried;
  for (Variable *variable : assignedIn(body)) {
    bool isResult = llvm::is_contained(frame->results, variable);
    if (isResult && frame->flow.assigned.insert(variable).second) {
      emit(build.make<Assign>(range, variable, build.zero(range, variable->type)));
      handOn(body, variable, out.arena);
    }
    if (frame->flow.assigned.contains(variable)) {
      carried.push_back(variable);
    }
  }
  return build.copy(llvm::ArrayRef<Variable *>(carried));
}

void Checker::rangeLoop(const syntax::ForStmt &stmt, const syntax::CallExpr &call) {
  std::optional<RangeBounds> bounds = rangeBounds(call, "range");
  if (!bounds) {
    return;
  }
  if (!llvm::isa<syntax::NameExpr>(stmt.target)) {
    error(stmt.target->range, "expected one name as the loop variable");
    return;
  }
  // i64 and u64 bounds make a 64-bit loop variable, all else an index.
  Element element = Element::index();
  for (const Operand *bound : {&bounds->lower, &bounds->upper, &bounds->step}) {
    if (bound->isConstant()) {
      continue;
    }
    std::optional<Element> common = joinStrong(element, bound->value->type->element());
    if (!common) {
      error(bound->range, "a bound of `range` cannot be u64").hint("convert it: ph.i64(...)");
      return;
    }
    element = *common;
  }
  Expr *lower = asElement(bounds->lower, element), *upper = asElement(bounds->upper, element);
  Expr *step = asElement(bounds->step, element);
  if (!lower || !upper || !step) {
    return;
  }
  const Type *type = types.scalar(element);
  llvm::StringRef name = llvm::cast<syntax::NameExpr>(stmt.target)->name;
  Variable *variable = build.variable(name, type, stmt.target->range);
  build.setMultiple(variable, std::gcd(build.multipleOf(lower), build.multipleOf(step)));
  SourceRange range = stmt.range;
  auto number = [&](int64_t value) { return build.constant(range, ConstantValue::ofInt(value), element); };

  // Downwards: count the turns and compute the variable from the count.
  bool down = bounds->step.isConstant() && bounds->step.constant.integer < 0;
  Variable *counter = variable;
  if (down) {
    counter = build.variable("<turn>", type, range);
    int64_t stride = -bounds->step.constant.integer;
    auto wide = [&](Expr *value) { return build.convert(value, DType::i64); }; // distances may be twice as far
    Expr *distance = build.binary(range, BinaryOp::Sub, wide(lower), wide(upper));
    Expr *rounded = build.binary(range, BinaryOp::Add, distance, wide(number(stride - 1)));
    Expr *turns = build.convert(build.binary(range, BinaryOp::FloorDiv, rounded, wide(number(stride))), element);
    Expr *first = lower;
    lower = number(0);
    upper = turns;
    bounds->lower = Operand::of(first);
    step = number(1);
  }
  auto setVariable = [&] {
    if (down) {
      Expr *back =
          build.binary(range, BinaryOp::Mul, build.read(range, counter), number(bounds->step.constant.integer));
      frame->flow.assigned.insert(counter);
      emitAssign(range, variable, build.binary(range, BinaryOp::Add, bounds->lower.value, back));
    }
    bindLoopVariable(*stmt.target, variable, nullptr);
  };

  LoopContext context;
  if (!leavesLoop(stmt.body)) {
    Statements body = loopBody(stmt.body, context, setVariable);
    llvm::ArrayRef<Variable *> carried = carriedBy(range, body);
    emit(build.make<For>(range, counter, lower, upper, step, build.copy(llvm::ArrayRef<Stmt *>(body)), carried));
  } else {
    context.broken = build.variable("<left>", types.boolean(), range);
    emitAssign(range, context.broken, build.constant(range, ConstantValue::ofBool(false), DType::boolean));
    auto once = [&](Expr *bound, llvm::StringRef name) -> Expr * {
      return llvm::isa<Constant>(bound) ? bound : settle(Operand::of(bound), name).value;
    };
    upper = once(upper, "<stop>");
    step = once(step, "<step>");
    emitAssign(range, counter, lower);
    Variable *more = build.variable("<more>", types.boolean(), range);
    auto within = [&](Expr *value, Expr *end) { return build.compare(range, ComparePredicate::Lt, value, end); };
    emitAssign(range, more, within(build.read(range, counter), upper));
    Statements body = loopBody(stmt.body, context, setVariable);
    // Whether another turn follows, in 64 bits: one step past the end may be no index of 32.
    auto wide = [&](Expr *value) { return build.convert(value, DType::i64); };
    Expr *after = build.binary(range, BinaryOp::Add, wide(build.read(range, counter)), wide(step));
    body.push_back(build.make<Assign>(range, more, within(after, wide(upper))));
    body.push_back(
        build.make<Assign>(range, counter, build.binary(range, BinaryOp::Add, build.read(range, counter), step)));
    frame->flow.assigned.insert(more);
    Expr *running = build.unary(range, UnaryOp::Invert, build.read(range, context.broken));
    Expr *condition = build.make<Logical>(range, /*isAnd=*/true, running, build.read(range, more));
    llvm::ArrayRef<Variable *> carried = carriedBy(range, body);
    emit(build.make<While>(range, condition, build.copy(llvm::ArrayRef<Stmt *>(body)), carried));
  }
  // Python leaves the last value; with no turn there is none, so the name counts as not set.
  frame->flow.set.erase(frame->local(name));
}

/// One turn of an unrolled loop, under the condition that no turn before it has left the loop, where one may have. Does
/// another follow it?
bool Checker::unrolledTurn(LoopContext &context, SourceRange range, llvm::function_ref<void()> turn) {
  context.continued = context.jumped = false;
  auto leavesReachable = [&] {
    bool returned = !frame->flow.reachable && !context.continued && !context.stopped && !context.jumped;
    frame->flow.reachable |= !returned;
    return !returned;
  };
  if (!context.left) {
    context.branchDepth = frame->branchDepth;
    turn();
    return leavesReachable();
  }
  Flow skipped = frame->flow;
  Expr *stays = build.unary(range, UnaryOp::Invert, build.read(range, context.broken));
  context.branchDepth = ++frame->branchDepth;
  bool goesOn = true;
  Statements body = collect([&] {
    turn();
    goesOn = leavesReachable();
  });
  --frame->branchDepth;
  Flow after = frame->flow;
  Statements none;
  finishIf(range, stays, body, after, none, skipped, /*mayFollow=*/true);
  return goesOn;
}

void Checker::unrolledLoop(const syntax::ForStmt &stmt, const syntax::CallExpr &call) {
  std::optional<RangeBounds> bounds = rangeBounds(call, "ph.unroll");
  if (!bounds) {
    return;
  }
  for (const Operand *bound : {&bounds->lower, &bounds->upper, &bounds->step}) {
    if (!bound->isConstant()) {
      error(bound->range, "expected a constant as a bound of `ph.unroll`, got " + describe(*bound))
          .hint("loop over range(...) where the bounds are known only at run time");
      return;
    }
  }
  if (!llvm::isa<syntax::NameExpr>(stmt.target)) {
    error(stmt.target->range, "expected one name as the loop variable");
    return;
  }
  int64_t lower = bounds->lower.constant.integer, upper = bounds->upper.constant.integer;
  int64_t step = bounds->step.constant.integer;
  LoopContext context;
  context.outer = frame->loop;
  context.unrolled = true;
  SourceRange range = stmt.range;
  if (leavesLoop(stmt.body)) { // under a condition at run time, perhaps
    context.broken = build.variable("<left>", types.boolean(), range);
    emitAssign(range, context.broken, build.constant(range, ConstantValue::ofBool(false), DType::boolean));
  }
  frame->loop = &context;
  ++frame->loopDepth;
  bool mayJump = containsJump(stmt.body);
  if (mayJump) {
    pushGuard(range);
  }
  if (!unrolling) {
    nestedTurns = 0;
  }
  llvm::SaveAndRestore inside(unrolling, true);
  int64_t turns = 0;
  unsigned errors = diagnostics.errorCount();
  for (int64_t i = lower; (step > 0 ? i < upper : i > upper) && !context.stopped; i += step) {
    bool isLong = ++turns > kMaxUnrolledTurns;
    if (++nestedTurns > kMaxNestedTurns || isLong) {
      error(stmt.iterable->range, "expected at most " + llvm::Twine(isLong ? kMaxUnrolledTurns : kMaxNestedTurns) +
                                      " turns to unroll" + (isLong ? "" : " in loops within loops"))
          .hint("loop over range(...) instead");
      break;
    }
    Operand value = Operand::of(stmt.target->range, ConstantValue::ofInt(i));
    bool goesOn = unrolledTurn(context, range, [&] {
      bindLoopVariable(*stmt.target, nullptr, &value);
      block(stmt.body);
    });
    if (!goesOn || diagnostics.errorCount() != errors) {
      break; // after an error the next turn would say the same
    }
  }
  if (mayJump) {
    frame->guards.pop_back();
  }
  --frame->loopDepth;
  for (Flow &exit : context.exits) {
    exit.reachable = true;
    frame->flow = Flow::merge(frame->flow, exit);
  }
  frame->loop = context.outer;
  frame->flow.set.erase(frame->local(llvm::cast<syntax::NameExpr>(stmt.target)->name));
}

void Checker::whileStatement(const syntax::WhileStmt &stmt) {
  SourceRange range = stmt.range;
  LoopContext context;
  if (leavesLoop(stmt.body)) {
    context.broken = build.variable("<left>", types.boolean(), range);
    emitAssign(range, context.broken, build.constant(range, ConstantValue::ofBool(false), DType::boolean));
  }
  inLoopCondition = true;
  Operand tested = check(*stmt.condition);
  inLoopCondition = false;
  if (tested.isError()) {
    return;
  }
  if (tested.isConstant() && !truth(tested.constant).value_or(true)) {
    return;
  }
  Expr *condition = asCondition(tested, "`while`");
  if (!condition) {
    return;
  }
  if (tested.isConstant() && !context.broken) {
    error(stmt.condition->range, "this loop never ends").hint("leave it by `break`, or write a condition that changes");
    return;
  }
  Statements body = loopBody(stmt.body, context, [] {});
  if (context.broken) {
    Expr *running = build.unary(range, UnaryOp::Invert, build.read(range, context.broken));
    condition = tested.isConstant() ? running : build.make<Logical>(range, /*isAnd=*/true, running, condition);
  }
  llvm::ArrayRef<Variable *> carried = carriedBy(range, body);
  emit(build.make<While>(range, condition, build.copy(llvm::ArrayRef<Stmt *>(body)), carried));
}

} // namespace phobos::sema
