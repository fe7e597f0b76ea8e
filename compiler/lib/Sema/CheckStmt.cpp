// Statements and branches. The tree has no jumps, so what follows an if that may return, break or continue goes into
// the arm that goes on, or, where both may, under a flag that the jump sets.
#include "Checker.h"
#include "llvm/ADT/SetVector.h"

namespace phobos::sema {

Checker::Statements Checker::collect(llvm::function_ref<void()> body) {
  Statements collected;
  Statements *outer = current;
  current = &collected;
  body();
  current = outer;
  return collected;
}

void Checker::block(syntax::Block body) {
  for (size_t i = 0; i < body.size() && frame->flow.reachable; ++i) {
    syntax::Block rest = body.drop_front(i + 1);
    const auto *branch = llvm::dyn_cast<syntax::IfStmt>(body[i]);
    if (branch && containsJump({body[i]})) {
      if (ifStatement(*branch, rest)) {
        return;
      }
      continue;
    }
    bool loop = llvm::isa<syntax::ForStmt, syntax::WhileStmt>(body[i]);
    if (loop && containsReturn({body[i]})) {
      Variable *flag = pushGuard(body[i]->range);
      statement(*body[i]);
      frame->guards.pop_back();
      guarded(flag, body[i]->range, rest);
      return;
    }
    statement(*body[i]);
  }
}

void Checker::statement(const syntax::Stmt &stmt) {
  using Kind = syntax::Stmt::Kind;
  switch (stmt.kind) {
  case Kind::Assign:
    return assignStatement(llvm::cast<syntax::AssignStmt>(stmt));
  case Kind::AnnAssign:
    return declaration(llvm::cast<syntax::AnnAssignStmt>(stmt));
  case Kind::AugAssign:
    return augmentedAssignment(llvm::cast<syntax::AugAssignStmt>(stmt));
  case Kind::For:
    return forStatement(llvm::cast<syntax::ForStmt>(stmt));
  case Kind::While:
    return whileStatement(llvm::cast<syntax::WhileStmt>(stmt));
  case Kind::If:
    ifStatement(llvm::cast<syntax::IfStmt>(stmt), {});
    return;
  case Kind::Return:
    return returnStatement(llvm::cast<syntax::ReturnStmt>(stmt));
  case Kind::Break:
  case Kind::Continue:
    return breakOrContinue(stmt.range, stmt.kind == Kind::Break);
  case Kind::Pass:
    return;
  case Kind::Expr:
    return expressionStatement(llvm::cast<syntax::ExprStmt>(stmt));
  case Kind::Import:
  case Kind::ImportFrom:
    error(stmt.range, "an import cannot stand in a kernel").hint("move it to the top of the file");
    return;
  case Kind::FunctionDef:
    error(stmt.range, "a function cannot be defined in a kernel").hint("move it out and mark it @ph.fn");
    return;
  }
}

void Checker::expressionStatement(const syntax::ExprStmt &stmt) {
  if (llvm::isa<syntax::StringLiteral, syntax::EllipsisLiteral>(stmt.value)) {
    return;
  }
  Operand value = checkKind(*stmt.value);
  if (value.isError() || value.kind == Operand::Kind::Effect) {
    return;
  }
  if (value.kind == Operand::Kind::Results) {
    emit(build.make<Evaluate>(stmt.range, value.call));
  } else if (value.kind == Operand::Kind::Value && llvm::isa<Call, Atomic>(value.value)) {
    emit(build.make<Evaluate>(stmt.range, value.value));
  } else {
    error(stmt.range, "this expression has no effect").hint("assign it to a name, or remove it");
  }
}

// --- Branches
Variable *Checker::pushGuard(SourceRange range) {
  Variable *flag = build.variable("<jumped>", types.boolean(), range);
  emitAssign(range, flag, build.constant(range, ConstantValue::ofBool(false), DType::boolean));
  frame->guards.push_back({flag, frame->loopDepth});
  return flag;
}

void Checker::guarded(Variable *flag, SourceRange range, syntax::Block rest) {
  if (rest.empty() || !frame->flow.reachable) {
    return;
  }
  Flow before = frame->flow;
  Expr *goesOn = build.unary(range, UnaryOp::Invert, build.read(range, flag));
  ++frame->branchDepth;
  Statements body = collect([&] { block(rest); });
  --frame->branchDepth;
  Flow skipped = before, after = frame->flow;
  skipped.reachable = false;
  Statements none;
  finishIf(range, goesOn, body, after, none, skipped, /*mayFollow=*/!frame->guards.empty());
}

void Checker::finishIf(SourceRange range, Expr *condition, Statements &thenBlock, const Flow &thenFlow,
                       Statements &elseBlock, const Flow &elseFlow, bool mayFollow) {
  llvm::SmallSetVector<Variable *, 8> changed;
  changed.insert_range(assignedIn(thenBlock));
  changed.insert_range(assignedIn(elseBlock));
  Flow merged = Flow::merge(thenFlow, elseFlow);

  // A name that is set on every path that goes on, but not on those that jumped, needs some value there.
  llvm::SmallVector<Variable *, 4> undefined;
  auto needsValue = [&](Variable *variable) {
    if (llvm::is_contained(frame->results, variable)) {
      return true;
    }
    return mayFollow && llvm::any_of(merged.set, [&](const auto &entry) {
             return !entry.second && entry.first->variable == variable;
           });
  };
  for (Variable *variable : changed) {
    if (!merged.assigned.contains(variable) && needsValue(variable)) {
      undefined.push_back(variable);
    }
  }
  for (Variable *variable : undefined) {
    emit(build.make<Assign>(range, variable, build.zero(range, variable->type)));
    merged.assigned.insert(variable);
    handOn(thenBlock, variable, out.arena);
    handOn(elseBlock, variable, out.arena);
  }

  llvm::SmallVector<Variable *, 8> yields;
  llvm::copy_if(changed, std::back_inserter(yields),
                [&](Variable *variable) { return merged.assigned.contains(variable); });
  auto statements = [&](Statements &list) { return build.copy(llvm::ArrayRef<Stmt *>(list)); };
  emit(build.make<If>(range, condition, statements(thenBlock), statements(elseBlock),
                      build.copy(llvm::ArrayRef<Variable *>(yields))));
  frame->flow = std::move(merged);
}

/// As one block, since a jump in the first may skip the second.
void Checker::followed(syntax::Block first, syntax::Block rest) {
  llvm::SmallVector<syntax::Stmt *, 16> all(first);
  llvm::append_range(all, rest);
  block(all);
}

bool Checker::ifStatement(const syntax::IfStmt &stmt, syntax::Block rest) {
  Operand condition = check(*stmt.condition);
  if (condition.isConstant()) {
    std::optional<bool> known = truth(condition.constant);
    if (!known) {
      error(stmt.condition->range, "a dtype is neither true nor false");
      return false;
    }
    followed(*known ? stmt.body : stmt.orElse, rest);
    return true;
  }
  Expr *value = condition.isError() ? nullptr : asCondition(condition, "`if`");
  if (!value) {
    // Go on as if it could be either, so that what is set in the arms counts as set.
    value = build.constant(stmt.condition->range, ConstantValue::ofBool(true), DType::boolean);
  }

  bool jumps = containsJump(stmt.body) || containsJump(stmt.orElse);
  bool thenJumps = alwaysJumps(stmt.body), elseJumps = alwaysJumps(stmt.orElse);
  Variable *flag = nullptr;
  if (jumps && !thenJumps && !elseJumps && !rest.empty()) {
    flag = pushGuard(stmt.range);
  }

  Flow before = frame->flow;
  ++frame->branchDepth;
  auto arm = [&](syntax::Block body, bool goesOn) {
    return collect([&] { followed(body, goesOn ? rest : syntax::Block()); });
  };
  Statements thenBlock = arm(stmt.body, elseJumps && !thenJumps);
  Flow thenFlow = std::move(frame->flow);
  frame->flow = std::move(before);
  Statements elseBlock = arm(stmt.orElse, thenJumps && !elseJumps);
  Flow elseFlow = std::move(frame->flow);
  --frame->branchDepth;

  bool mayFollow = flag || !frame->guards.empty();
  if (flag) {
    frame->guards.pop_back();
  }
  finishIf(stmt.range, value, thenBlock, thenFlow, elseBlock, elseFlow, mayFollow);
  if (flag) {
    guarded(flag, stmt.range, rest);
    return true;
  }
  return jumps && (thenJumps || elseJumps);
}

// --- Jumps
void Checker::jump(SourceRange range, unsigned loopDepth) {
  for (const Guard &guard : frame->guards) {
    if (guard.loopDepth >= loopDepth) {
      emitAssign(range, guard.flag, build.constant(range, ConstantValue::ofBool(true), DType::boolean));
    }
  }
  frame->flow.reachable = false;
}

void Checker::breakOrContinue(SourceRange range, bool isBreak) {
  LoopContext *loop = frame->loop;
  if (!loop) {
    error(range, isBreak ? "`break` outside a loop" : "`continue` outside a loop");
    return;
  }
  if (loop->unrolled) {
    if (frame->branchDepth == loop->branchDepth) {
      (isBreak ? loop->stopped : loop->continued) = true;
      frame->flow.reachable = false;
      return;
    }
    loop->jumped = true;
    if (isBreak) {
      loop->left = true;
      loop->exits.push_back(frame->flow);
    }
  }
  if (isBreak) {
    emitAssign(range, loop->broken, build.constant(range, ConstantValue::ofBool(true), DType::boolean));
  }
  jump(range, frame->loopDepth);
}

void Checker::returnStatement(const syntax::ReturnStmt &stmt) {
  bool isKernel = !frame->caller;
  Operand value;
  if (stmt.value && !llvm::isa<syntax::NoneLiteral>(stmt.value)) {
    value = check(*stmt.value);
    if (isKernel) {
      error(stmt.value->range, "a kernel returns nothing").hint("store results in a tensor parameter");
    }
    if (isKernel || value.isError()) {
      frame->returned = true;
      frame->flow.reachable = false;
      return;
    }
    value = results(value, "<result>");
  }
  std::vector<Operand> values;
  bool isTuple = value.isTuple();
  if (!value.isError()) {
    values = isTuple ? value.elements() : std::vector<Operand>{value};
  }

  if (!frame->returned) {
    frame->returned = true;
    frame->returnsTuple = isTuple;
    frame->firstReturn = stmt.range;
    for (const Operand &each : values) {
      Expr *result = asValue(each);
      if (!result) {
        return;
      }
      Variable *variable = build.variable("<result>", result->type, stmt.range);
      frame->results.push_back(variable);
      emitAssign(stmt.range, variable, result);
    }
  } else if (values.size() != frame->results.size() || isTuple != frame->returnsTuple) {
    error(stmt.range, "`" + frame->function.name + "` returns " + llvm::Twine(values.size()) +
                          (values.size() == 1 ? " value here, " : " values here, ") +
                          llvm::Twine(frame->results.size()) + " elsewhere")
        .note(frame->firstReturn, "the other return");
  } else {
    for (size_t i = 0; i < values.size(); ++i) {
      if (Expr *result = coerce(values[i], frame->results[i]->type, "<result>", frame->firstReturn, stmt.range)) {
        emitAssign(stmt.range, frame->results[i], result);
      }
    }
  }
  for (LoopContext *loop = frame->loop; loop; loop = loop->outer) {
    if (loop->broken) {
      emitAssign(stmt.range, loop->broken, build.constant(stmt.range, ConstantValue::ofBool(true), DType::boolean));
    }
    loop->left |= loop->unrolled;
  }
  jump(stmt.range, 0);
}

} // namespace phobos::sema
