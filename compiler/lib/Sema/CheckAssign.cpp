// Assignment: to names (let, var, plain), to slices of tensors, to tuples of these. A variable's type is fixed by the
// first assignment or its declaration.
#include "Checker.h"

namespace phobos::sema {

void Checker::emitAssign(SourceRange range, Variable *variable, Expr *value) {
  assert(variable->type == value->type && "an assignment must agree");
  emit(build.make<Assign>(range, variable, value));
  frame->flow.assigned.insert(variable);
}

bool Checker::isAssignable(const syntax::NameExpr &target) {
  auto fixed = frame->fixed.find(target.name);
  if (fixed != frame->fixed.end()) {
    const Operand &operand = fixed->second;
    llvm::StringRef what = operand.kind == Operand::Kind::Tensor                                      ? "a tensor"
                           : operand.isConstant()                                                     ? "a constant"
                           : operand.kind == Operand::Kind::Value && llvm::isa<Extent>(operand.value) ? "a dim"
                                                                                                      : "a parameter";
    error(target.range, "`" + target.name + "` is " + what + " and cannot be assigned")
        .hint(operand.kind == Operand::Kind::Tensor ? "store into a slice of it: " + target.name + "[...] = value"
                                                    : "use another name");
    return false;
  }
  if (frame->names.isImported(target.name)) {
    frame->local(target.name)->isReported = true;
    error(target.range, "`" + target.name + "` is an imported name and cannot be assigned");
    return false;
  }
  return true;
}

Operand Checker::settle(const Operand &value, llvm::StringRef name) {
  if (value.kind == Operand::Kind::Tuple) {
    Operand settled = value;
    for (size_t i = 0; i < settled.items.size(); ++i) {
      settled.items[i] = settle(value.items[i], (name + "." + llvm::Twine(i)).str());
      if (settled.items[i].isError()) {
        return Operand::error();
      }
    }
    return settled;
  }
  bool runs = value.kind == Operand::Kind::Value || value.kind == Operand::Kind::View;
  Expr *computed = runs ? asValue(value) : nullptr;
  if (!computed) {
    return runs ? Operand::error() : value;
  }
  const auto *read = llvm::dyn_cast<Read>(computed);
  if (read && read->variable->name.starts_with("<")) {
    return Operand::of(computed); // made up for this very value: nothing can change it
  }
  Variable *variable = build.variable(name, computed->type, value.range);
  emitAssign(value.range, variable, computed);
  if (computed->type->isScalar() && computed->type->element().isInteger()) {
    build.setMultiple(variable, build.multipleOf(computed));
  }
  return Operand::of(build.read(value.range, variable));
}

/// The results of a call with several, as a tuple of variables.
Operand Checker::results(const Operand &call, llvm::StringRef name) {
  if (call.kind != Operand::Kind::Results) {
    return call;
  }
  if (call.call->function->results.empty()) {
    return fail(call.range, "`" + call.call->function->name + "` returns nothing");
  }
  Operand tuple{Operand::Kind::Tuple, call.range};
  llvm::SmallVector<Variable *, 4> variables;
  for (unsigned i = 0; i < call.call->numResults(); ++i) {
    Variable *variable = build.variable((name + "." + llvm::Twine(i)).str(), call.call->resultType(i), call.range);
    frame->flow.assigned.insert(variable);
    variables.push_back(variable);
    tuple.items.push_back(Operand::of(build.read(call.range, variable)));
  }
  emit(build.make<Unpack>(call.range, build.copy(llvm::ArrayRef<Variable *>(variables)), call.call));
  return tuple;
}

void Checker::bind(Symbol &symbol, Operand value) {
  symbol.bindings.push_back(std::make_unique<Operand>(std::move(value)));
  frame->flow.set[&symbol] = symbol.bindings.back().get();
}

void Checker::giveUp(Symbol &symbol) {
  symbol.isReported = true;
  frame->flow.set[&symbol] = nullptr;
  if (!symbol.variable) {
    bind(symbol, Operand::error());
  }
}

Expr *Checker::coerce(const Operand &value, const Type *type, llvm::StringRef name, SourceRange declared,
                      SourceRange range) {
  std::optional<Operand> operand = asOperand(value, "the value of `" + name + "`");
  if (!operand) {
    return nullptr;
  }
  llvm::ArrayRef<int64_t> shape;
  if (operand->kind == Operand::Kind::Value) {
    shape = operand->value->type->shape();
  }
  Party target{type->element(), Strength::Tile};
  std::optional<Element> common = join(target, partyOf(*operand), /*comparing=*/false);
  if (!broadcastsTo(shape, type->shape()) || common != type->element()) {
    std::string got = operand->isConstant() ? toText(operand->constant) : operand->value->type->str();
    Diagnostic &report =
        name == "<result>"
            ? error(range, "`" + frame->function.name + "` returns " + got + " here, " + type->str() + " elsewhere")
            : error(range, "`" + name + "` is " + type->str() + ", got " + got);
    report.note(declared, name == "<result>" ? llvm::Twine("the other return") : "`" + name + "` is first set here");
    if (!broadcastsTo(shape, type->shape())) {
      if (name != "<result>" && type->isScalar()) {
        report.hint("declare its shape: `" + name + ": ph.var[ph.tile[ph." +
                    elementName(operand->value->type->element()) + "]" + shapeText(shape) + "] = ...`");
      }
    } else if (!type->element().isIndex()) {
      report.hint("convert the value: ph." + elementName(type->element()) + "(...)");
    } else {
      report.hint("declare its type: `" + name + ": ph.var[ph.f32] = ...`");
    }
    return nullptr;
  }
  Expr *result = asElement(*operand, type->element());
  return result ? build.broadcast(result, type->shape()) : nullptr;
}

void Checker::assignVariable(Symbol &symbol, Expr *value, SourceRange range) {
  if (!symbol.variable) {
    symbol.variable = build.variable(symbol.name, value->type, symbol.range);
  }
  bool once = frame->assigned.count(symbol.name) == 1;
  if (once && value->type->isScalar() && value->type->element().isInteger()) {
    build.setMultiple(symbol.variable, build.multipleOf(value));
  }
  emitAssign(range, symbol.variable, value);
  frame->flow.set[&symbol] = nullptr;
}

void Checker::assignName(const syntax::NameExpr &target, const Operand &value, SourceRange range) {
  if (!isAssignable(target)) {
    return;
  }
  Symbol *symbol = frame->local(target.name);
  bool isNew = !symbol->range.isValid();
  if (symbol->kind == Symbol::Kind::Loop) {
    error(target.range, "`" + target.name + "` is a loop variable and cannot be assigned")
        .note(symbol->range, "the loop is here");
    return;
  }
  if (symbol->kind == Symbol::Kind::Let) {
    error(target.range, "`" + target.name + "` is a `let` and cannot be assigned again")
        .note(symbol->range, "it is bound here")
        .hint("declare it with ph.var");
    return;
  }
  if (isNew) {
    symbol->range = target.range;
  }
  if (value.isError()) {
    return giveUp(*symbol);
  }
  bool once = frame->assigned.count(target.name) == 1 && !symbol->declared;
  bool runs = value.kind == Operand::Kind::Value || value.kind == Operand::Kind::View;
  if (once && !runs) {
    bind(*symbol, settle(value, target.name));
    return;
  }
  if (!runs && !value.isNumber()) {
    if (!symbol->isReported) {
      fail(range, "a variable holds a number or a tile, got " + describe(value),
           "a name for anything else can be set only once");
    }
    return giveUp(*symbol);
  }
  Expr *coerced = symbol->variable ? coerce(value, symbol->variable->type, target.name, symbol->range, value.range)
                                   : asValue(value);
  if (coerced) {
    assignVariable(*symbol, coerced, range);
  } else {
    giveUp(*symbol);
  }
}

void Checker::assignTo(const syntax::Expr &target, Operand value, SourceRange range) {
  if (const auto *name = llvm::dyn_cast<syntax::NameExpr>(&target)) {
    return assignName(*name, value, range);
  }
  if (const auto *subscript = llvm::dyn_cast<syntax::SubscriptExpr>(&target)) {
    if (const auto *name = llvm::dyn_cast<syntax::NameExpr>(subscript->base)) {
      Operand base = check(*name);
      if (base.kind == Operand::Kind::Value && base.value->type->isTile()) {
        return assignPart(*name, base.value, *subscript, value, range);
      }
      if (base.isError()) {
        return;
      }
    }
    Operand place = check(*subscript);
    if (place.kind == Operand::Kind::View) {
      return store(place.slice, value, range);
    }
    if (!place.isError()) {
      fail(target.range, "expected a slice of a tensor, or a part of a tile that has a name, to assign to");
    }
    return;
  }
  llvm::ArrayRef<syntax::Expr *> targets;
  if (const auto *tuple = llvm::dyn_cast<syntax::TupleExpr>(&target)) {
    targets = tuple->elements;
  } else if (const auto *list = llvm::dyn_cast<syntax::ListExpr>(&target)) {
    targets = list->elements;
  } else {
    fail(target.range, "expected a name or a slice of a tensor to assign to");
    return;
  }
  std::vector<Operand> values;
  if (!value.isError()) {
    if (value.kind == Operand::Kind::Shape || value.kind == Operand::Kind::Stride) {
      value = tensorTuple(value);
    }
    if (!value.isTuple()) {
      error(value.range, "expected a tuple of " + llvm::Twine(targets.size()) + " to unpack, got " + describe(value));
    } else {
      values = value.elements();
      if (values.size() != targets.size()) {
        error(range,
              "expected " + llvm::Twine(targets.size()) + " values to unpack, got " + llvm::Twine(values.size()));
      }
    }
  }
  values.resize(targets.size(), Operand::error());
  for (size_t i = 0; i < targets.size(); ++i) {
    assignTo(*targets[i], values[i], range);
  }
}

void Checker::assignStatement(const syntax::AssignStmt &stmt) {
  Operand value = check(*stmt.value);
  const auto *single = stmt.targets.size() == 1 ? llvm::dyn_cast<syntax::NameExpr>(stmt.targets[0]) : nullptr;
  value = results(value, single ? single->name : "<result>");
  bool simple = stmt.targets.size() == 1 && !llvm::isa<syntax::TupleExpr, syntax::ListExpr>(stmt.targets[0]);
  if (!simple) {
    value = settle(value, "<value>"); // `a, b = b, a`: all of the right side first
  }
  for (const syntax::Expr *target : stmt.targets) {
    assignTo(*target, value, stmt.range);
  }
}

void Checker::declaration(const syntax::AnnAssignStmt &stmt) {
  const auto *target = llvm::dyn_cast<syntax::NameExpr>(stmt.target);
  if (!target || !stmt.simple) {
    fail(stmt.target->range, "only a name can be declared");
    return;
  }
  auto giveUp = [&] { assignName(*target, Operand::error(), stmt.range); };
  const auto *subscript = llvm::dyn_cast<syntax::SubscriptExpr>(stmt.annotation);
  std::string path = frame->names.resolve(subscript ? *subscript->base : *stmt.annotation).value_or("");
  if ((path != "let" && path != "var") || (subscript && subscript->indices.size() != 1)) {
    fail(stmt.annotation->range, "expected `ph.let` or `ph.var`, or `ph.var[type]`",
         "write `" + target->name + ": ph.var = ...`");
    return giveUp();
  }
  const Type *type = nullptr;
  if (subscript) {
    const syntax::Expr &written = *subscript->indices[0];
    if (auto shaped = readShaped(written, "tile", frame->names, diagnostics)) {
      llvm::SmallVector<const syntax::Expr *, 4> dims(shaped->dims.begin(), shaped->dims.end());
      std::optional<DType> dtype = shaped->dtype ? constantDType(*shaped->dtype, "of a tile") : std::nullopt;
      std::optional<Shape> shape = dtype ? constantShape(dims, shaped->dimsRange) : std::nullopt;
      type = shape ? types.get(*dtype, *shape) : nullptr;
    } else if (std::optional<DType> dtype = constantDType(written, "or ph.tile[dtype][dims] as the type")) {
      type = types.scalar(*dtype);
    }
    if (!type) {
      if (stmt.value) {
        check(*stmt.value);
      }
      return giveUp();
    }
  }
  if (!stmt.value) {
    fail(stmt.range, "`" + target->name + "` is declared without a value",
         "write `" + target->name + ": ph.var = ...`");
    return giveUp();
  }
  Operand value = results(check(*stmt.value), target->name);
  if (!isAssignable(*target)) {
    return;
  }
  Symbol *symbol = frame->local(target->name);
  if (symbol->range.isValid() && (frame->flow.set.contains(symbol)) && symbol->range != target->range) {
    error(target->range, "`" + target->name + "` is declared again").note(symbol->range, "it is first set here");
    return;
  }
  if (symbol->variable && type && symbol->variable->type != type) {
    error(stmt.annotation->range, "`" + target->name + "` is " + symbol->variable->type->str() + " elsewhere")
        .note(symbol->range, "it is first set here");
    return;
  }
  bool isLet = path == "let";
  if (!symbol->range.isValid()) {
    symbol->range = target->range;
  }
  // From here on it is set as a plain name is, only with its type known and as often as its kind allows.
  symbol->kind = Symbol::Kind::Var;
  bool several = frame->assigned.count(target->name) > 1;
  symbol->declared = !isLet || type || several;
  if (type && !symbol->variable) {
    symbol->variable = build.variable(target->name, type, target->range);
  }
  bool runs = value.kind == Operand::Kind::Value || value.kind == Operand::Kind::View;
  if (!symbol->declared && !value.isError() && !runs) {
    bind(*symbol, settle(value, target->name));
  } else {
    assignName(*target, value, stmt.range);
  }
  symbol->kind = isLet ? Symbol::Kind::Let : Symbol::Kind::Var;
}

void Checker::augmentedAssignment(const syntax::AugAssignStmt &stmt) {
  if (llvm::isa<syntax::TupleExpr, syntax::ListExpr>(stmt.target)) {
    fail(stmt.target->range, "a tuple cannot be assigned with an operator");
    return;
  }
  Operand old = check(*stmt.target);
  Operand value = check(*stmt.value);
  if (old.isError() || value.isError()) {
    if (const auto *name = llvm::dyn_cast<syntax::NameExpr>(stmt.target); name && !old.isError()) {
      assignName(*name, Operand::error(), stmt.range);
    }
    return;
  }
  Operand result = binary(stmt.range, stmt.opRange, stmt.op, old, value);
  if (result.isError()) {
    return;
  }
  if (old.kind == Operand::Kind::View) {
    return store(old.slice, result, stmt.range);
  }
  assignTo(*stmt.target, result, stmt.range);
}

void Checker::store(const Slice *slice, const Operand &value, SourceRange range) {
  if (Expr *stored = value.isError() ? nullptr : asStored(value, slice->type, slice->range)) {
    recordStore(*slice);
    emit(build.make<Store>(range, slice, stored));
  }
}

Expr *Checker::asStored(const Operand &value, const Type *to, SourceRange slice) {
  std::optional<Operand> operand = asOperand(value, "a stored value");
  if (!operand) {
    return nullptr;
  }
  llvm::ArrayRef<int64_t> shape;
  if (operand->kind == Operand::Kind::Value) {
    shape = operand->value->type->shape();
  }
  if (!broadcastsTo(shape, to->shape())) {
    error(value.range,
          "a tile of shape " + shapeText(shape) + " cannot be stored to a slice of shape " + shapeText(to->shape()))
        .note(slice, "the slice");
    return nullptr;
  }
  // Unlike an assignment a store converts: the dtype is that of what is stored to.
  Expr *stored = nullptr;
  if (operand->isConstant() && operand->constant.kind == ConstantValue::Kind::Float && !to->element().isFloat()) {
    stored = asElement(*operand, DType::f32);
    stored = stored ? build.convert(stored, to->element()) : nullptr;
  } else {
    stored = asElement(*operand, to->element());
  }
  return stored ? build.broadcast(stored, to->shape()) : nullptr;
}

} // namespace phobos::sema
