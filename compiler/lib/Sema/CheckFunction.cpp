// Calls of device functions. A function is checked anew for each set of argument types, tensors and constants; equal
// calls share the result.
#include "Checker.h"

namespace phobos::sema {

bool Checker::checkRecursion(const syntax::CallExpr &expr, const syntax::FunctionDef &function) {
  llvm::SmallVector<const Frame *, 8> chain;
  for (const Frame *at = frame; at; at = at->caller) {
    chain.push_back(at);
    if (&at->function != &function) {
      continue;
    }
    std::string cycle = function.name.str();
    for (const Frame *step : llvm::drop_begin(llvm::reverse(chain))) {
      cycle += " -> " + step->function.name.str();
    }
    diagnostics.error(expr.range, "a device function cannot call itself: " + cycle + " -> " + function.name)
        .hint("every call is inlined; write a loop");
    return false;
  }
  return true;
}

std::optional<std::vector<Operand>> Checker::bindParameters(const syntax::CallExpr &expr,
                                                            const syntax::FunctionDef &function) {
  std::vector<Operand> bound(function.params.size());
  std::vector<bool> given(function.params.size());
  auto takes = [&] {
    std::string list;
    for (const syntax::Param &param : function.params) {
      list += (list.empty() ? "" : ", ") + param.name.str();
    }
    return "`" + function.name.str() + "` takes (" + list + ")";
  };
  auto place = [&](size_t at, const syntax::Expr &value) {
    given[at] = true;
    bound[at] = check(value);
    return !bound[at].isError();
  };
  bool good = true;
  for (size_t i = 0; i < expr.args.size(); ++i) {
    if (i < function.params.size() && function.params[i].kind == syntax::ParamKind::KeywordOnly) {
      std::string name = function.params[i].name.str();
      fail(expr.args[i]->range, "`" + name + "` of `" + function.name + "` is given by name only",
           "write " + name + "=...");
      return std::nullopt;
    }
    if (i >= function.params.size()) {
      fail(expr.args[i]->range, "too many arguments in call of `" + function.name + "`", takes());
      return std::nullopt;
    }
    good &= place(i, *expr.args[i]);
  }
  for (const syntax::KeywordArg &keyword : expr.keywords) {
    auto found = llvm::find_if(function.params, [&](const syntax::Param &param) { return param.name == keyword.name; });
    if (found == function.params.end() || found->kind == syntax::ParamKind::PositionalOnly) {
      fail(keyword.nameRange, "`" + function.name + "` has no parameter `" + keyword.name + "`", takes());
      return std::nullopt;
    }
    size_t at = found - function.params.begin();
    if (given[at]) {
      fail(keyword.nameRange, "`" + keyword.name + "` is given twice");
      return std::nullopt;
    }
    good &= place(at, *keyword.value);
  }
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (given[i]) {
      continue;
    }
    const syntax::Param &param = function.params[i];
    if (!param.defaultValue) {
      fail(expr.range, "`" + function.name + "` needs an argument `" + param.name + "`", takes());
      return std::nullopt;
    }
    LangNames names(function.enclosing);
    auto lookup = [&](llvm::StringRef name) { return constantOf(function, name); };
    std::optional<ConstantValue> value =
        ConstantEvaluator(names, lookup, diagnostics, "a default value").evaluate(*param.defaultValue);
    good &= value.has_value();
    bound[i] = value ? Operand::of(expr.range, *value) : Operand::error();
  }
  return good ? std::optional(std::move(bound)) : std::nullopt;
}

bool Checker::annotatedArgument(const syntax::Param &param, Operand &argument, Frame &callee) {
  auto mismatch = [&](const llvm::Twine &expected) {
    error(argument.range, "expected " + expected + " for `" + param.name + "` of `" + callee.function.name + "`, got " +
                              describe(argument))
        .note(param.range, "declared here");
    return false;
  };
  // Names in the annotation are those of the function's own file scope.
  Frame *caller = std::exchange(frame, &callee);
  auto restore = [&] { frame = caller; };
  if (auto shaped = readShaped(*param.annotation, "tensor", callee.names, diagnostics)) {
    std::optional<DType> dtype = shaped->dtype ? constantDType(*shaped->dtype, "of a tensor") : std::nullopt;
    restore();
    if (!dtype) {
      return false;
    }
    if (argument.kind != Operand::Kind::Tensor) {
      return mismatch("a tensor");
    }
    const ParameterInfo &tensor = out.info.parameters[argument.tensor];
    if (tensor.dtype != *dtype || tensor.dims.size() != shaped->dims.size()) {
      return mismatch("a tensor of " + std::string(phobos::name(*dtype)) + " and rank " +
                      llvm::Twine(shaped->dims.size()));
    }
    for (size_t i = 0; i < shaped->dims.size(); ++i) {
      const auto *name = llvm::dyn_cast<syntax::NameExpr>(shaped->dims[i]);
      if (name && !isBoundOutside(callee.function.enclosing, name->name)) {
        callee.fixed.try_emplace(name->name, extentOf(param.range, argument.tensor, i));
      }
    }
    return true;
  }
  const Type *type = nullptr;
  if (auto shaped = readShaped(*param.annotation, "tile", callee.names, diagnostics)) {
    std::optional<DType> dtype = shaped->dtype ? constantDType(*shaped->dtype, "of a tile") : std::nullopt;
    llvm::SmallVector<const syntax::Expr *, 4> dims(shaped->dims.begin(), shaped->dims.end());
    std::optional<Shape> shape = dtype ? constantShape(dims, shaped->dimsRange) : std::nullopt;
    type = shape ? types.get(*dtype, *shape) : nullptr;
  } else if (const auto *subscript = llvm::dyn_cast<syntax::SubscriptExpr>(param.annotation);
             callee.names.resolve(subscript ? *subscript->base : *param.annotation) == "const") {
    restore();
    return argument.isConstant() || mismatch("a constant");
  } else if (std::optional<DType> dtype = constantDType(*param.annotation, "or a tile as the type of a parameter")) {
    type = types.scalar(*dtype);
  }
  restore();
  if (!type) {
    return false;
  }
  bool isValue = argument.isNumber() || argument.kind == Operand::Kind::Value || argument.kind == Operand::Kind::View;
  if (!isValue) {
    return mismatch("a value of type " + type->str());
  }
  const Type *from = argument.kind == Operand::Kind::Value  ? argument.value->type
                     : argument.kind == Operand::Kind::View ? argument.slice->type
                                                            : nullptr;
  bool fits = !from ||
              (broadcastsTo(from->shape(), type->shape()) &&
               join({type->element(), Strength::Tile},
                    {from->element(), from->isScalar() ? Strength::Scalar : Strength::Tile}, false) == type->element());
  if (!fits) {
    return mismatch("a value of type " + type->str());
  }
  Expr *value = asElement(argument, type->element());
  if (!value) {
    return false;
  }
  argument = Operand::of(build.broadcast(value, type->shape()));
  return true;
}

namespace {

/// Distinguishes arguments that need instances of their own.
std::string keyOf(const Operand &operand) {
  switch (operand.kind) {
  case Operand::Kind::Value:
    return "v" + operand.value->type->str();
  case Operand::Kind::Tensor:
    return "t" + std::to_string(operand.tensor);
  case Operand::Kind::Constant:
    return "c" + std::to_string(static_cast<int>(operand.constant.kind)) + toText(operand.constant);
  case Operand::Kind::Function:
    return "f" + std::to_string(reinterpret_cast<uintptr_t>(operand.function));
  case Operand::Kind::Tuple: {
    std::string key = "(";
    for (const Operand &item : operand.items) {
      key += keyOf(item) + ",";
    }
    return key + ")";
  }
  default:
    return "?" + operand.name;
  }
}

} // namespace

Function *Checker::instantiate(const syntax::CallExpr &expr, const syntax::FunctionDef &function,
                               std::vector<Operand> &arguments, llvm::SmallVectorImpl<Expr *> &values) {
  Frame callee(function, frame, expr.range);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const syntax::Param &param = function.params[i];
    if (param.annotation && !annotatedArgument(param, arguments[i], callee)) {
      return nullptr;
    }
    if (arguments[i].kind == Operand::Kind::View) {
      arguments[i] = Operand::of(asValue(arguments[i]));
    }
  }
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(&function));
  for (const Operand &argument : arguments) {
    key += "|" + keyOf(argument);
  }

  // Run-time values become parameters; all else is known inside as it is here.
  llvm::SmallVector<Variable *, 8> params;
  std::function<Operand(const Operand &, llvm::StringRef)> pass = [&](const Operand &argument, llvm::StringRef name) {
    if (argument.kind == Operand::Kind::Tuple) {
      Operand tuple = argument;
      for (Operand &item : tuple.items) {
        item = pass(item, name);
      }
      return tuple;
    }
    if (argument.kind != Operand::Kind::Value) {
      return argument;
    }
    values.push_back(argument.value);
    if (instances.contains(key)) {
      return argument;
    }
    Variable *variable = build.variable(name, argument.value->type, argument.range);
    params.push_back(variable);
    callee.flow.assigned.insert(variable);
    return Operand::of(build.read(argument.range, variable));
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const syntax::Param &param = function.params[i];
    Operand inside = pass(arguments[i], param.name);
    if (callee.assigned.contains(param.name)) {
      // The body assigns it: a local that starts as the argument.
      error(param.range, "parameter `" + param.name + "` of `" + function.name + "` is assigned in its body")
          .hint("use another name");
      return nullptr;
    }
    callee.fixed[param.name] = std::move(inside);
  }
  auto known = instances.find(key);
  if (known != instances.end()) {
    return known->second.function;
  }
  if (out.functions.size() >= kMaxTreeFunctions) {
    error(expr.range, "too many different calls of device functions");
    return nullptr;
  }

  DecoratorSet decorators;
  if (function.hasErrors || !readDecorators(function, callee.names, decorators, diagnostics)) {
    return nullptr;
  }
  unsigned errors = diagnostics.errorCount();
  Frame *caller = std::exchange(frame, &callee);
  Statements body = collect([&] { block(function.body); });
  if (callee.flow.reachable && !callee.results.empty()) {
    error(function.nameRange, "`" + function.name + "` returns a value on some paths only")
        .note(callee.firstReturn, "a value is returned here");
  }
  frame = caller;
  if (diagnostics.errorCount() != errors) {
    return nullptr;
  }
  auto *made = build.make<Function>();
  made->name = build.copy(function.name);
  made->range = function.nameRange;
  made->params = build.copy(llvm::ArrayRef<Variable *>(params));
  made->body = build.copy(llvm::ArrayRef<Stmt *>(body));
  made->results = build.copy(llvm::ArrayRef<Variable *>(callee.results));
  out.functions.push_back(made);
  instances[key] = {made, callee.returnsTuple};
  return made;
}

Operand Checker::functionCall(const syntax::CallExpr &expr, const syntax::FunctionDef &function) {
  if (!checkRecursion(expr, function)) {
    return Operand::error();
  }
  std::optional<std::vector<Operand>> arguments = bindParameters(expr, function);
  if (!arguments) {
    return Operand::error();
  }
  llvm::SmallVector<Expr *, 8> values;
  Function *instance = instantiate(expr, function, *arguments, values);
  if (!instance) {
    return Operand::error();
  }
  bool single = instance->results.size() == 1;
  const Type *type = single ? instance->results[0]->type : nullptr;
  auto *node = build.make<Call>(expr.range, type, instance, build.copy(llvm::ArrayRef<Expr *>(values)));
  if (single) {
    return Operand::of(node);
  }
  Operand operand{Operand::Kind::Results, expr.range};
  operand.call = node;
  return operand;
}

} // namespace phobos::sema
