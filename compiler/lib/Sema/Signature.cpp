// Parameters, dims, promises, the tuned space and captures of a kernel.
#include "Signature.h"
#include "phobos/Sema/Builtins.h"
#include "phobos/Support/SourceFile.h"
#include "llvm/ADT/StringExtras.h"

namespace phobos::sema {
namespace {

using syntax::Expr;
using Kind = ConstantValue::Kind;

class SignatureReader {
public:
  SignatureReader(const syntax::ImportTable &imports, const syntax::FunctionDef &kernel, const ConstantTable &known,
                  bool capturesComeLater, DiagnosticEngine &diagnostics)
      : imports(imports), kernel(kernel), known(known), capturesComeLater(capturesComeLater), names(kernel.enclosing),
        diagnostics(diagnostics) {}

  std::optional<Signature> read();

private:
  bool space();
  bool steersTwice(const syntax::KeywordArg &keyword);
  bool candidates(const syntax::KeywordArg &keyword, llvm::ArrayRef<Expr *> written, TunedConstant &tuned);
  std::string headOf(const Expr &annotation);
  bool parameter(const syntax::Param &param);
  bool tensor(const ShapedAnnotation &annotation, ParameterInfo &info);
  bool dim(const Expr &expr, ParameterInfo &info);
  bool defaultValue(const Expr &value, ParameterInfo &info);
  bool constParameter(const Expr &annotation, ParameterInfo &info);
  bool promises();
  bool keys();
  std::optional<DType> dtype(const Expr &expr, llvm::StringRef where);
  /// Does the expression name a capture whose value comes later? Marks the signature as open if it names any.
  bool waitsForCaptures(const Expr &expr);
  bool fail(SourceRange range, const llvm::Twine &message, const llvm::Twine &hint = "");
  bool isTuned(llvm::StringRef name) const {
    return llvm::any_of(result.info.space, [&](const TunedConstant &tuned) { return name == tuned.name; });
  }
  bool isConstParameter(llvm::StringRef name) const {
    return llvm::any_of(result.info.parameters, [&](const ParameterInfo &parameter) {
      return parameter.kind == ParameterInfo::Kind::Constant && name == parameter.name;
    });
  }

  const syntax::ImportTable &imports;
  const syntax::FunctionDef &kernel;
  const ConstantTable &known;
  const bool capturesComeLater;
  LangNames names;
  DiagnosticEngine &diagnostics;
  Signature result;
};

bool SignatureReader::fail(SourceRange range, const llvm::Twine &message, const llvm::Twine &hint) {
  Diagnostic &error = diagnostics.error(range, message);
  if (!hint.isTriviallyEmpty()) {
    error.hint(hint);
  }
  return false;
}

/// `threads` and `stages` steer by themselves, unless a decorator takes their value.
bool SignatureReader::steersTwice(const syntax::KeywordArg &keyword) {
  const DecoratorSet &set = result.decorators;
  auto takes = [&](const Expr *expr) {
    const auto *string = llvm::dyn_cast_or_null<syntax::StringLiteral>(expr);
    bool found = string && string->value.contains(keyword.name);
    forEachName(expr, [&](const syntax::NameExpr &name) { found |= name.name == keyword.name; });
    return found;
  };
  bool fixed = keyword.name == "threads"  ? set.threads && !llvm::isa<syntax::NoneLiteral>(set.threads)
               : keyword.name == "stages" ? set.pipeline != PipelineRequest::Kind::Default
                                          : false;
  if (!fixed || takes(keyword.name == "threads" ? set.threads : set.stages)) {
    return false;
  }
  fail(keyword.nameRange,
       "`" + keyword.name + "` is tuned, but " +
           (keyword.name == "threads" ? "`@ph.launch` says how many there are"
                                      : "`@ph.pipeline` says how many there are"),
       "leave out one of the two");
  return true;
}

bool SignatureReader::candidates(const syntax::KeywordArg &keyword, llvm::ArrayRef<Expr *> written,
                                 TunedConstant &tuned) {
  auto lookup = [&](llvm::StringRef name) { return known.find(name); };
  auto isAlike = [](const ConstantValue &a, const ConstantValue &b) {
    return a.kind == b.kind || (isNumber(a) && isNumber(b));
  };
  std::string name = ("`" + keyword.name + "`").str();
  bool good = true;
  for (const Expr *candidate : written) {
    std::optional<ConstantValue> value =
        ConstantEvaluator(names, lookup, diagnostics, "a candidate").evaluate(*candidate);
    if (!value) {
      good = false;
      continue;
    }
    if (std::string problem = whyNotTuned(keyword.name, *value); !problem.empty()) {
      good = fail(candidate->range, problem);
    } else if (llvm::is_contained(tuned.candidates, *value)) {
      good = fail(candidate->range, "the candidate " + toText(*value) + " of " + name + " is given twice");
    } else if (!tuned.candidates.empty() && !isAlike(tuned.candidates.front(), *value)) {
      good = fail(candidate->range, "expected candidates of one kind for " + name + ", got " +
                                        kindText(tuned.candidates.front()) + " and " + kindText(*value));
    }
    tuned.candidates.push_back(std::move(*value));
  }
  if (written.empty()) {
    good = fail(keyword.value->range, "expected at least one candidate for " + name);
  }
  return good;
}

bool SignatureReader::space() {
  bool good = true;
  for (const syntax::KeywordArg *keyword : result.decorators.space) {
    TunedConstant tuned{keyword->name.str(), {}};
    const auto *list = llvm::dyn_cast<syntax::ListExpr>(keyword->value);
    const auto *tuple = llvm::dyn_cast<syntax::TupleExpr>(keyword->value);
    if (!list && !tuple) {
      good = fail(keyword->value->range, "expected a list of candidates for `" + keyword->name + "`",
                  "write " + keyword->name + "=[64, 128]; candidates are read, not run");
      continue;
    }
    good &= candidates(*keyword, list ? list->elements : tuple->elements, tuned) && !steersTwice(*keyword);
    result.info.space.push_back(std::move(tuned));
  }
  if (result.decorators.when) {
    result.info.when = result.decorators.when->value.str();
  }
  return good;
}

bool SignatureReader::waitsForCaptures(const Expr &expr) {
  bool waits = false;
  forEachName(&expr, [&](const syntax::NameExpr &each) {
    if (!isTuned(each.name) && !isConstParameter(each.name) && isBoundOutside(kernel.enclosing, each.name)) {
      result.info.open = true;
      waits |= !known.find(each.name);
    }
  });
  return waits && capturesComeLater;
}

std::optional<DType> SignatureReader::dtype(const Expr &expr, llvm::StringRef where) {
  auto lookup = [&](llvm::StringRef name) -> std::optional<ConstantValue> {
    return name == "bool" ? std::optional(ConstantValue::ofType(DType::boolean)) : known.find(name);
  };
  if (std::optional<std::string> path = names.resolve(expr); path && !parseDType(*path)) {
    Diagnostic &error = diagnostics.error(expr.range, "expected a dtype " + where + ", got `ph." + *path + "`");
    if (llvm::StringRef near = nearestBuiltin(*path); !near.empty() && parseDType(std::string_view(near))) {
      error.hint("did you mean `ph." + near + "`?");
    }
    return std::nullopt;
  }
  const auto *bare = llvm::dyn_cast<syntax::NameExpr>(&expr);
  if (bare && !lookup(bare->name) && !names.isImported(bare->name) && !isBoundOutside(kernel.enclosing, bare->name) &&
      !isTuned(bare->name)) {
    Diagnostic &error = diagnostics.error(expr.range, "expected a dtype " + where + ", got `" + bare->name + "`");
    if (llvm::StringRef near = nearestBuiltin(bare->name); !near.empty() && parseDType(std::string_view(near))) {
      error.hint("did you mean `ph." + near + "`?");
    }
    return std::nullopt;
  }
  if (const auto *attribute = llvm::dyn_cast<syntax::AttributeExpr>(&expr); attribute && !names.resolve(expr)) {
    llvm::StringRef ours = ourNameFor(attribute->name);
    bool isOurs = parseDType(std::string_view(ours)).has_value();
    fail(expr.range, "expected a dtype " + where + ", got `" + kernel.nameRange.file->text(expr.range) + "`",
         isOurs ? "write `ph." + ours.str() + "`" : "dtypes are ph.f32, ph.f16, ph.i32 and the like");
    return std::nullopt;
  }
  if (waitsForCaptures(expr)) {
    return DType::f32;
  }
  std::optional<ConstantValue> value = ConstantEvaluator(names, lookup, diagnostics, "a dtype").evaluate(expr);
  if (value && value->kind != Kind::Type) {
    fail(expr.range, "expected a dtype " + where + ", got " + kindText(*value));
    return std::nullopt;
  }
  return value ? std::optional(value->dtype) : std::nullopt;
}

bool SignatureReader::dim(const Expr &expr, ParameterInfo &info) {
  KernelInfo &kernelInfo = result.info;
  const auto *name = llvm::dyn_cast<syntax::NameExpr>(&expr);
  if (name && !isTuned(name->name) && !isConstParameter(name->name) && !isBoundOutside(kernel.enclosing, name->name)) {
    for (const syntax::Param &param : kernel.params) {
      if (param.name == name->name) {
        return fail(expr.range, "`" + name->name + "` is a parameter, not a dim",
                    "dims are names of their own, bound from the shapes at launch");
      }
    }
    if (!llvm::is_contained(kernelInfo.dims, name->name.str())) {
      kernelInfo.dims.push_back(name->name.str());
    }
    info.dims.push_back({name->name.str(), 0});
    return true;
  }
  if (waitsForCaptures(expr)) {
    info.dims.push_back({"", kUnknownExtent});
    return true;
  }
  std::vector<std::string> unknown;
  auto lookup = [&](llvm::StringRef each) { return known.find(each); };
  ConstantEvaluator evaluator(names, lookup, diagnostics, "a dim");
  evaluator.unknown = &unknown;
  std::optional<ConstantValue> value = evaluator.evaluate(expr);
  if (!value) {
    // Either reported, or of constants that are known only later.
    for (const std::string &each : unknown) {
      if (!isTuned(each) && !isConstParameter(each) && !isBoundOutside(kernel.enclosing, each)) {
        return fail(expr.range, "expected a name or a constant as dim; `" + llvm::Twine(each) + "` is not constant",
                    "a dim that follows from others is computed in the kernel");
      }
    }
    info.dims.push_back({"", kUnknownExtent});
    return !unknown.empty();
  }
  if (!isInt(*value) || value->integer < 0) {
    return fail(expr.range, "expected a name or an int that is not negative as dim, got " + toText(*value));
  }
  info.dims.push_back({"", value->integer});
  return true;
}

bool SignatureReader::tensor(const ShapedAnnotation &annotation, ParameterInfo &info) {
  info.kind = ParameterInfo::Kind::Tensor;
  if (!annotation.dtype) {
    return false;
  }
  std::optional<DType> element = dtype(*annotation.dtype, "of a tensor");
  if (annotation.dims.size() > 5) {
    return fail(annotation.dimsRange, "expected at most 5 dims, got " + llvm::Twine(annotation.dims.size()));
  }
  bool good = element.has_value();
  info.dtype = element.value_or(DType::f32);
  for (const Expr *each : annotation.dims) {
    good &= dim(*each, info);
  }
  return good;
}

bool SignatureReader::constParameter(const Expr &annotation, ParameterInfo &info) {
  const auto *subscript = llvm::dyn_cast<syntax::SubscriptExpr>(&annotation);
  info.kind = ParameterInfo::Kind::Constant;
  if (!subscript || subscript->indices.size() != 1) {
    return fail(annotation.range, "expected the type of a constant parameter",
                "write ph.const[bool] or ph.const[ph.i32]");
  }
  const auto *name = llvm::dyn_cast<syntax::NameExpr>(subscript->indices[0]);
  if (name && (name->name == "int" || name->name == "float")) {
    info.dtype = name->name == "int" ? DType::i64 : DType::f64;
    return true;
  }
  std::optional<DType> element = dtype(*subscript->indices[0], "of a constant parameter");
  info.dtype = element.value_or(DType::f32);
  return element.has_value();
}

/// `x` of an annotation `ph.x` or `ph.x[...]`; empty if it is something else.
std::string SignatureReader::headOf(const Expr &annotation) {
  const auto *subscript = llvm::dyn_cast<syntax::SubscriptExpr>(&annotation);
  return names.resolve(subscript ? *subscript->base : annotation).value_or("");
}

bool SignatureReader::defaultValue(const Expr &value, ParameterInfo &info) {
  if (info.kind == ParameterInfo::Kind::Tensor) {
    return fail(value.range, "a tensor has no default value", "give one at each launch");
  }
  if (info.kind == ParameterInfo::Kind::Constant) { // a scalar's is Python's business alone
    DiagnosticEngine inner;
    auto lookup = [&](llvm::StringRef name) { return known.find(name); };
    info.defaultValue = ConstantEvaluator(names, lookup, inner, "a default value").evaluate(value);
    if (!info.defaultValue && !capturesComeLater) {
      ConstantEvaluator(names, lookup, diagnostics, "a default value").evaluate(value);
      return false;
    }
  }
  return true;
}

bool SignatureReader::parameter(const syntax::Param &param) {
  ParameterInfo info;
  info.name = param.name.str();
  bool good = true;
  if (!param.annotation) {
    good = fail(param.range, "parameter `" + param.name + "` needs a type",
                "write `" + param.name + ": ph.tensor[ph.f32][N]` or `" + param.name + ": ph.f32`");
  } else if (isTuned(param.name)) {
    good = fail(param.nameRange, "`" + param.name + "` is a tuned constant and a parameter");
  } else if (auto shaped = readShaped(*param.annotation, "tensor", names, diagnostics)) {
    good = tensor(*shaped, info);
  } else if (readShaped(*param.annotation, "tile", names, diagnostics)) {
    good = fail(param.annotation->range, "a kernel takes tensors and scalars, a tile is a value inside",
                "write ph.tensor[...][...] and load a slice of it");
  } else if (std::string head = headOf(*param.annotation); head == "const") {
    good = constParameter(*param.annotation, info);
  } else if (const Builtin *builtin = findBuiltin(head); builtin && !builtin->supported) {
    good = fail(param.annotation->range, "`ph." + head + "` is not supported yet");
  } else {
    info.kind = ParameterInfo::Kind::Scalar;
    const auto *name = llvm::dyn_cast<syntax::NameExpr>(param.annotation);
    if (name && (name->name == "int" || name->name == "float")) {
      good = fail(param.annotation->range, "a parameter of type `" + name->name + "` has no width",
                  name->name == "int" ? "write ph.i32 or ph.i64, or ph.const[int]"
                                      : "write ph.f32 or ph.f64, or ph.const[float]");
    } else if (std::optional<DType> element = dtype(*param.annotation, "or a tensor as the type of a parameter")) {
      info.dtype = *element;
    } else {
      good = false;
    }
  }
  good = good && (!param.defaultValue || defaultValue(*param.defaultValue, info));
  LineColumn place = param.nameRange.file->lineColumn(param.nameRange.begin);
  info.line = static_cast<int>(place.line);
  info.column = static_cast<int>(place.column);
  result.info.parameters.push_back(std::move(info));
  return good;
}

bool SignatureReader::promises() {
  bool good = true;
  for (const syntax::KeywordArg *keyword : result.decorators.aligned) {
    if (!llvm::is_contained(result.info.dims, keyword->name.str())) {
      Diagnostic &error =
          diagnostics.error(keyword->nameRange, "`" + keyword->name + "` is not a dim of `" + kernel.name + "`");
      llvm::SmallVector<llvm::StringRef, 8> dims(result.info.dims.begin(), result.info.dims.end());
      if (llvm::StringRef near = nearestName(keyword->name, dims); !near.empty()) {
        error.hint("did you mean `" + near + "`?");
      } else if (!dims.empty()) {
        error.hint("its dims are " + llvm::join(dims, ", "));
      }
      good = false;
      continue;
    }
    PromiseInfo promise{keyword->name.str(), "", 0};
    if (const auto *string = llvm::dyn_cast<syntax::StringLiteral>(keyword->value)) {
      promise.constant = string->value.str();
      if (!isTuned(promise.constant) && !isConstParameter(promise.constant) &&
          !isBoundOutside(kernel.enclosing, promise.constant)) {
        good = fail(string->range, "`" + string->value + "` is not a constant of `" + kernel.name + "`",
                    "a promise names a tuned or module constant, or is an int");
      }
    } else if (const auto *name = llvm::dyn_cast<syntax::NameExpr>(keyword->value)) {
      promise.constant = name->name.str();
    } else if (const auto *integer = llvm::dyn_cast<syntax::IntLiteral>(keyword->value);
               integer && integer->fits && integer->value > 0 && integer->value <= INT32_MAX) {
      promise.multiple = static_cast<int64_t>(integer->value);
    } else {
      good = fail(keyword->value->range, "expected the name of a constant, as a string, or a positive int");
    }
    result.info.promises.push_back(std::move(promise));
  }
  return good;
}

bool SignatureReader::keys() {
  bool good = true;
  for (const Expr *item : result.decorators.key) {
    llvm::StringRef name = llvm::cast<syntax::StringLiteral>(item)->value;
    bool known = llvm::is_contained(result.info.dims, name.str());
    for (const ParameterInfo &parameter : result.info.parameters) {
      known |= parameter.kind != ParameterInfo::Kind::Tensor && name == parameter.name;
    }
    if (!known) {
      good = fail(item->range, "`" + name + "` is neither a dim nor a scalar parameter of `" + kernel.name + "`");
    }
    result.info.key.push_back(name.str());
  }
  return good;
}

std::optional<Signature> SignatureReader::read() {
  bool good = readDecorators(kernel, names, result.decorators, diagnostics);
  KernelInfo &info = result.info;
  info.name = kernel.name.str();
  info.line = static_cast<int>(kernel.nameRange.file->lineColumn(kernel.nameRange.begin).line);
  info.doc = kernel.docstring ? kernel.docstring->value.str() : "";
  info.reference = result.decorators.reference ? result.decorators.reference->name.str() : "";
  good &= space();
  for (const syntax::Param &param : kernel.params) {
    good &= parameter(param);
  }
  if (kernel.returns && !llvm::isa<syntax::NoneLiteral>(kernel.returns)) {
    good = fail(kernel.returns->range, "a kernel returns nothing", "store results in a tensor parameter");
  }
  if (!good) {
    return std::nullopt; // what follows would only repeat it
  }
  good &= promises();
  good &= keys();

  llvm::StringSet<> own;
  for (const ParameterInfo &parameter : info.parameters) {
    own.insert(parameter.name);
  }
  for (const std::string &dim : info.dims) {
    own.insert(dim);
  }
  for (const TunedConstant &tuned : info.space) {
    own.insert(tuned.name);
  }
  info.captures = findCaptures(imports, kernel, own);
  for (const PromiseInfo &promise : info.promises) {
    if (!promise.constant.empty() && !own.contains(promise.constant) &&
        !llvm::is_contained(info.captures, promise.constant)) {
      info.captures.push_back(promise.constant);
    }
  }
  return good && !kernel.hasErrors ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace

std::optional<ShapedAnnotation> readShaped(const syntax::Expr &annotation, llvm::StringRef base, const LangNames &names,
                                           DiagnosticEngine &diagnostics) {
  auto fail = [&](SourceRange range) {
    diagnostics.error(range, "expected `ph." + base + "[dtype][dims]`").hint("write ph." + base + "[ph.f32][64, 64]");
    return ShapedAnnotation();
  };
  const auto *outer = llvm::dyn_cast<syntax::SubscriptExpr>(&annotation);
  const auto *inner = outer ? llvm::dyn_cast<syntax::SubscriptExpr>(outer->base) : nullptr;
  const syntax::Expr *root = inner ? inner->base : outer ? outer->base : &annotation;
  if (names.resolve(*root) != base) {
    return std::nullopt;
  }
  if (!inner || inner->indices.size() != 1) {
    return fail(annotation.range);
  }
  for (const syntax::Expr *dim : outer->indices) {
    if (llvm::isa<syntax::SliceExpr>(dim)) {
      return fail(dim->range);
    }
  }
  llvm::ArrayRef<syntax::Expr *> dims = outer->indices;
  if (dims.size() == 1) {
    // `[()]` is rank 0.
    const auto *tuple = llvm::dyn_cast<syntax::TupleExpr>(dims[0]);
    dims = tuple && !outer->hasComma ? tuple->elements : dims;
  }
  return ShapedAnnotation{inner->indices[0], dims, outer->indexRange};
}

std::optional<Signature> readSignature(const syntax::ImportTable &imports, const syntax::FunctionDef &kernel,
                                       const ConstantTable &known, bool capturesComeLater,
                                       DiagnosticEngine &diagnostics) {
  return SignatureReader(imports, kernel, known, capturesComeLater, diagnostics).read();
}

} // namespace phobos::sema
