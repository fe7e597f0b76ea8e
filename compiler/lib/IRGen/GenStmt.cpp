// Statements: assignments become SSA values, control flow becomes scf ops that carry the variables sema lists.
#include "Generator.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace phobos::irgen {

void Generator::generate(sema::Block block) {
  for (const sema::Stmt *stmt : block) {
    switch (stmt->kind) {
    case sema::Stmt::Kind::Assign: {
      auto *assign = cast<sema::Assign>(stmt);
      Value value = generate(assign->value);
      valueOf(assign->variable) = value;
      break;
    }
    case sema::Stmt::Kind::Unpack: {
      auto *unpack = cast<sema::Unpack>(stmt);
      bind(unpack->variables, call(unpack->call));
      break;
    }
    case sema::Stmt::Kind::Store:
      store(cast<sema::Store>(stmt));
      break;
    case sema::Stmt::Kind::Evaluate:
      if (auto *effect = dyn_cast<sema::Call>(cast<sema::Evaluate>(stmt)->value)) {
        call(effect);
      } else {
        generate(cast<sema::Evaluate>(stmt)->value);
      }
      break;
    case sema::Stmt::Kind::Print:
      generate(cast<sema::Print>(stmt));
      break;
    case sema::Stmt::Kind::Prefetch:
      generate(cast<sema::Prefetch>(stmt));
      break;
    case sema::Stmt::Kind::GridBarrier:
      tile::GridBarrierOp::create(builder, at(stmt->range));
      break;
    case sema::Stmt::Kind::Assert:
      generate(cast<sema::Assert>(stmt));
      break;
    case sema::Stmt::Kind::If:
      generate(cast<sema::If>(stmt));
      break;
    case sema::Stmt::Kind::For:
      generate(cast<sema::For>(stmt));
      break;
    case sema::Stmt::Kind::While:
      generate(cast<sema::While>(stmt));
      break;
    }
  }
}

void Generator::generate(const sema::If *stmt) {
  Location loc = at(stmt->range);
  Value condition = generate(stmt->condition);
  auto types = llvm::map_to_vector(stmt->yields, [&](sema::Variable *variable) { return type(variable->type); });
  bool hasElse = !types.empty() || !stmt->elseBlock.empty();
  auto op = scf::IfOp::create(builder, loc, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  auto arm = [&](mlir::Block *block, sema::Block body) {
    Region region(*this, block);
    generate(body);
    scf::YieldOp::create(builder, loc, valuesOf(stmt->yields));
  };
  arm(op.thenBlock(), stmt->thenBlock);
  if (hasElse) {
    arm(op.elseBlock(), stmt->elseBlock);
  }
  bind(stmt->yields, op.getResults());
}

void Generator::generate(const sema::For *stmt) {
  Location loc = at(stmt->range);
  Value lower = generate(stmt->lower);
  Value upper = generate(stmt->upper);
  Value step = generate(stmt->step);
  auto op = scf::ForOp::create(builder, loc, lower, upper, step, valuesOf(stmt->carried));
  {
    Region region(*this, op.getBody());
    valueOf(stmt->variable) = op.getInductionVar();
    bind(stmt->carried, op.getRegionIterArgs());
    generate(stmt->body);
    if (!stmt->carried.empty()) { // else the terminator is there already
      scf::YieldOp::create(builder, loc, valuesOf(stmt->carried));
    }
  }
  bind(stmt->carried, op.getResults());
}

void Generator::generate(const sema::While *stmt) {
  Location loc = at(stmt->range);
  SmallVector<Value> initial = valuesOf(stmt->carried);
  SmallVector<Type> types = llvm::to_vector(ValueRange(initial).getTypes());
  SmallVector<Location> locations(types.size(), loc);
  auto op = scf::WhileOp::create(builder, loc, types, initial);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&op.getBefore(), {}, types, locations);
    builder.createBlock(&op.getAfter(), {}, types, locations);
  }
  {
    Region region(*this, op.getBeforeBody());
    bind(stmt->carried, op.getBeforeArguments());
    Value condition = generate(stmt->condition);
    scf::ConditionOp::create(builder, loc, condition, op.getBeforeArguments());
  }
  {
    Region region(*this, op.getAfterBody());
    bind(stmt->carried, op.getAfterArguments());
    generate(stmt->body);
    scf::YieldOp::create(builder, loc, valuesOf(stmt->carried));
  }
  bind(stmt->carried, op.getResults());
}

void Generator::generate(const sema::Print *stmt) {
  Location loc = at(stmt->range);
  SmallVector<Value> values = llvm::map_to_vector(stmt->values, [&](sema::Expr *value) { return generate(value); });
  SmallVector<Value> block = llvm::map_to_vector(stmt->block, [&](sema::Expr *number) { return generate(number); });
  SmallVector<bool> isUnsigned = llvm::map_to_vector(stmt->values, [](const sema::Expr *value) {
    sema::Element element = value->type->element();
    return element.isInteger() && !element.isSigned();
  });
  auto signs = llvm::is_contained(isUnsigned, true) ? builder.getDenseBoolArrayAttr(isUnsigned) : DenseBoolArrayAttr();
  tile::PrintOp::create(builder, loc, stmt->text, block[0], block[1], block[2], values, signs);
}

void Generator::generate(const sema::Assert *stmt) {
  if (!assertions) {
    return;
  }
  Location loc = at(stmt->range);
  Value condition = generate(stmt->condition);
  SmallVector<Value> block = llvm::map_to_vector(stmt->block, [&](sema::Expr *number) { return generate(number); });
  tile::AssertOp::create(builder, loc, condition, stmt->message, block[0], block[1], block[2]);
}

SmallVector<Value> Generator::call(const sema::Call *call) {
  if (call->fold) {
    return fold(call);
  }
  return inlined(call, llvm::map_to_vector(call->args, [&](sema::Expr *arg) { return generate(arg); }));
}

SmallVector<Value> Generator::inlined(const sema::Call *call, ArrayRef<Value> args) {
  const sema::Function *function = call->function;
  bind(function->params, args);
  std::optional<Location> outer = callSite;
  callSite = at(call->range);
  callChain.emplace_back(call->range, function->name);
  llvm::scope_exit leave([&] {
    callSite = outer;
    callChain.pop_back();
  });
  generate(function->body);
  return valuesOf(function->results);
}

} // namespace phobos::irgen
