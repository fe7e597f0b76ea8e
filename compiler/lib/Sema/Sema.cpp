// The entry points: signatures, `when`, and a whole kernel.
#include "phobos/Sema/Sema.h"
#include "Checker.h"
#include "Verify.h"

namespace phobos::sema {
namespace {

constexpr int64_t kElementsPerThread = 8, kDefaultThreads = 128, kLargestDefaultThreads = 256;
constexpr int64_t kLargeDotElements = 64 * 64;

/// Tuned constants that were not given take their first candidate.
Constants withDefaults(const KernelInfo &info, const Constants &constants) {
  Constants all = constants;
  for (const TunedConstant &tuned : info.space) {
    bool given = llvm::any_of(constants, [&](const auto &entry) { return entry.first == tuned.name; });
    if (!given && !tuned.candidates.empty()) {
      all.emplace_back(tuned.name, tuned.candidates.front());
    }
  }
  for (const ParameterInfo &parameter : info.parameters) {
    bool given = llvm::any_of(constants, [&](const auto &entry) { return entry.first == parameter.name; });
    if (!given && parameter.defaultValue) {
      all.emplace_back(parameter.name, *parameter.defaultValue);
    }
  }
  return all;
}

/// Every constant given is one of the kernel's, and every constant parameter is given.
bool constantsMatch(const syntax::FunctionDef &kernel, const KernelInfo &info, const Constants &constants,
                    DiagnosticEngine &diagnostics) {
  llvm::SmallVector<llvm::StringRef, 8> known;
  for (const TunedConstant &tuned : info.space) {
    known.push_back(tuned.name);
  }
  bool good = true;
  for (const ParameterInfo &parameter : info.parameters) {
    if (parameter.kind != ParameterInfo::Kind::Constant) {
      continue;
    }
    known.push_back(parameter.name);
    auto given = llvm::find_if(constants, [&](const auto &entry) { return entry.first == parameter.name; });
    SourceRange range = kernel.params[&parameter - info.parameters.data()].range;
    const ConstantValue *value = given != constants.end() ? &given->second
                                 : parameter.defaultValue ? &*parameter.defaultValue
                                                          : nullptr;
    if (!value) {
      diagnostics.error(range, "the constant parameter `" + parameter.name + "` has no value")
          .hint("give it one: -D " + parameter.name + "=... to phobosc, " + parameter.name + "=... to compile()");
      good = false;
      continue;
    }
    bool fits = parameter.dtype == DType::boolean ? value->kind == ConstantValue::Kind::Bool : isNumber(*value);
    std::string problem = fits ? whyNotFits(*value, parameter.dtype)
                               : "expected a value of type " + elementName(parameter.dtype).str() + " for `" +
                                     parameter.name + "`, got " + kindText(*value);
    if (!problem.empty()) {
      diagnostics.error(range, problem);
      good = false;
    }
  }
  for (const auto &[name, value] : constants) {
    if (!llvm::is_contained(known, name)) {
      Diagnostic &error = diagnostics.error(kernel.nameRange, "`" + info.name +
                                                                  "` has no tuned constant or constant "
                                                                  "parameter `" +
                                                                  name + "`");
      if (llvm::StringRef near = nearestName(name, known); !near.empty()) {
        error.hint("did you mean `" + near + "`?");
      }
      good = false;
    }
  }
  return good;
}

/// A constant parameter of a float type is a float, also where an int was given.
void convertParameters(const KernelInfo &info, Constants &constants) {
  for (auto &[name, value] : constants) {
    for (const ParameterInfo &parameter : info.parameters) {
      if (parameter.name == name && phobos::isFloat(parameter.dtype) && isInt(value)) {
        value = ConstantValue::ofFloat(static_cast<double>(value.integer));
      }
    }
  }
}

} // namespace

std::unique_ptr<KernelInfo> analyseSignature(const syntax::Module &module, const syntax::FunctionDef &kernel,
                                             const Constants *captures, DiagnosticEngine &diagnostics) {
  ConstantTable known(kernel.enclosing, {}, captures ? *captures : Constants());
  std::optional<Signature> signature =
      readSignature(module.imports(), kernel, known, /*capturesComeLater=*/!captures, diagnostics);
  if (!signature) {
    return nullptr;
  }
  // Names in `when` are tuned constants or captures; a first candidate of each shows whether it is well formed.
  if (signature->decorators.when && !evaluateWhen(module, kernel, withDefaults(signature->info, {}), {}, diagnostics)) {
    return nullptr;
  }
  return std::make_unique<KernelInfo>(std::move(signature->info));
}

std::optional<bool> evaluateWhen(const syntax::Module &module, const syntax::FunctionDef &kernel,
                                 const Constants &constants, const Constants &captures, DiagnosticEngine &diagnostics) {
  ConstantTable known(kernel.enclosing, constants, captures);
  std::optional<Signature> signature =
      readSignature(module.imports(), kernel, known, /*capturesComeLater=*/true, diagnostics);
  if (!signature) {
    return std::nullopt;
  }
  const syntax::StringLiteral *when = signature->decorators.when;
  if (!when) {
    return true;
  }
  ConstantTable all(kernel.enclosing, withDefaults(signature->info, constants), captures);
  auto lookup = [&](llvm::StringRef name) { return all.find(name); };
  std::vector<std::string> tuned;
  for (const TunedConstant &constant : signature->info.space) {
    tuned.push_back(constant.name);
  }
  std::optional<ConstantValue> value =
      evaluateText(*when, LangNames(kernel.enclosing), lookup, "`when`", diagnostics, tuned);
  if (!value) {
    return std::nullopt;
  }
  std::optional<bool> holds = truth(*value);
  if (!holds) {
    diagnostics.error(when->range, "expected `when` to be true or false, got " + kindText(*value));
  }
  return holds;
}

std::unique_ptr<TypedKernel> checkKernel(const syntax::Module &module, const syntax::FunctionDef &kernel,
                                         const Constants &constants, const Constants &captures,
                                         DiagnosticEngine &diagnostics) {
  std::optional<Signature> first =
      readSignature(module.imports(), kernel, ConstantTable(kernel.enclosing, constants, captures),
                    /*capturesComeLater=*/false, diagnostics);
  if (!first || !constantsMatch(kernel, first->info, constants, diagnostics)) {
    return nullptr;
  }
  auto typed = std::make_unique<TypedKernel>();
  typed->constants = withDefaults(first->info, constants);
  convertParameters(first->info, typed->constants);
  ConstantTable known(kernel.enclosing, typed->constants, captures);
  std::optional<Signature> signature =
      readSignature(module.imports(), kernel, known, /*capturesComeLater=*/false, diagnostics); // now with every extent
  if (!signature) {
    return nullptr;
  }
  typed->info = signature->info;
  typed->range = kernel.nameRange;
  typed->wholeRange = kernel.range;
  if (!kernel.decorators.empty()) {
    typed->wholeRange = SourceRange::join(kernel.decorators.front().range, kernel.range);
  }
  typed->multiples.resize(typed->info.dims.size());
  typed->stores.resize(typed->info.parameters.size());
  bool good = true;
  for (const ParameterInfo &parameter : typed->info.parameters) {
    for (const DimInfo &dim : parameter.dims) {
      if (dim.name.empty() && dim.extent == kUnknownExtent) {
        diagnostics.error(kernel.nameRange, "a dim of `" + parameter.name + "` depends on a constant without a value");
        good = false;
      }
    }
  }
  good &= readOptions(kernel, *signature, known, typed->options, typed->promised, diagnostics);
  if (!good || !Checker(module, kernel, known, *typed, diagnostics).run()) {
    return nullptr;
  }
  if (std::string problem = whyBroken(*typed); !problem.empty()) {
    diagnostics.error(kernel.nameRange, "internal error: the typed tree has " + problem);
    return nullptr;
  }
  for (const std::string &name : typed->info.captures) {
    if (std::optional<ConstantValue> value = known.find(name)) {
      typed->constants.emplace_back(name, *value);
    }
  }
  return typed;
}

// --- The kernel
void Checker::bindKernelNames() {
  const KernelInfo &info = out.info;
  for (unsigned i = 0; i < info.parameters.size(); ++i) {
    const ParameterInfo &parameter = info.parameters[i];
    const syntax::Param &param = kernel.params[i];
    Operand operand{Operand::Kind::Tensor, param.nameRange};
    operand.tensor = i;
    if (parameter.kind == ParameterInfo::Kind::Scalar) {
      operand = Operand::of(build.make<Parameter>(param.nameRange, types.scalar(parameter.dtype), i));
    } else if (parameter.kind == ParameterInfo::Kind::Constant) {
      operand = Operand::of(param.nameRange, *constants.find(parameter.name));
    }
    frame->fixed[parameter.name] = std::move(operand);
  }
  for (unsigned i = 0; i < info.dims.size(); ++i) {
    frame->fixed[info.dims[i]] = Operand::of(build.make<Extent>(kernel.nameRange, types.index(), i));
  }
  for (const TunedConstant &tuned : info.space) {
    frame->fixed[tuned.name] = Operand::of(kernel.nameRange, *constants.find(tuned.name));
  }
}

/// Under @ph.swizzle(GROUP) blocks run in groups of GROUP rows, column by column within a group. Of clusters each goes
/// as a whole, and its blocks keep their places in it.
void Checker::swizzle() {
  SourceRange range = kernel.nameRange;
  auto index = [&](int64_t value) { return build.indexConstant(range, value); };
  auto grid = [&](unsigned axis) { return build.make<GridSize>(range, types.index(), axis); };
  auto keep = [&](llvm::StringRef name, Expr *value) {
    Variable *variable = build.variable(name, value->type, range);
    emitAssign(range, variable, value);
    return variable;
  };
  auto operate = [&](BinaryOp op, Expr *a, Expr *b) { return build.binary(range, op, a, b); };
  auto read = [&](Variable *variable) { return build.read(range, variable); };

  unsigned cluster[] = {out.options.clusterX, out.options.clusterY};
  auto blockId = [&](unsigned axis) { return build.make<BlockId>(range, types.index(), axis); };
  auto whole = [&](Expr *blocks, unsigned axis) { // in clusters
    return cluster[axis] > 1 ? operate(BinaryOp::FloorDiv, blocks, index(cluster[axis])) : blocks;
  };
  auto within = [&](Expr *clusters, unsigned axis) { // of that cluster the block at this one's place
    return cluster[axis] > 1 ? operate(BinaryOp::Add, operate(BinaryOp::Mul, clusters, index(cluster[axis])),
                                       operate(BinaryOp::Mod, blockId(axis), index(cluster[axis])))
                             : clusters;
  };

  unsigned group = out.options.swizzleGroup / cluster[0];
  Expr *row = whole(blockId(0), 0), *column = whole(blockId(1), 1);
  Variable *block = keep("<block>", operate(BinaryOp::Add, row, operate(BinaryOp::Mul, column, whole(grid(0), 0))));
  Variable *inGroup = keep("<in group>", operate(BinaryOp::Mul, index(group), whole(grid(1), 1)));
  Variable *first = keep("<first row>",
                         operate(BinaryOp::Mul, operate(BinaryOp::FloorDiv, read(block), read(inGroup)), index(group)));
  Variable *rows =
      keep("<rows>", operate(BinaryOp::Min, operate(BinaryOp::Sub, whole(grid(0), 0), read(first)), index(group)));
  Variable *place = keep("<place>", operate(BinaryOp::Mod, read(block), read(inGroup)));
  // No block's number is negative, which this arithmetic does not show to those who have to know.
  auto number = [&](Expr *block, unsigned axis) {
    return cluster[axis] > 1 ? within(block, axis) : operate(BinaryOp::Max, block, index(0));
  };
  Expr *x = operate(BinaryOp::Add, read(first), operate(BinaryOp::Mod, read(place), read(rows)));
  swizzled[0] = keep("<block.x>", number(x, 0));
  swizzled[1] = keep("<block.y>", number(operate(BinaryOp::FloorDiv, read(place), read(rows)), 1));
}

void Checker::chooseThreads() {
  if (out.options.threads) {
    return;
  }
  out.options.threadsChosen = true;
  int64_t threads = kDefaultThreads;
  if (hasDot) {
    threads = largestTile > kLargeDotElements ? kLargestDefaultThreads : kDefaultThreads;
  } else {
    while (threads > 32 && threads * kElementsPerThread > largestTile) {
      threads /= 2;
    }
    while (threads < kLargestDefaultThreads && threads * 2 * kElementsPerThread <= largestTile) {
      threads *= 2;
    }
  }
  out.options.threads = static_cast<unsigned>(threads);
}

bool Checker::checkThreads() {
  int64_t threads = out.options.threads, each = llvm::divideCeil(largestTile, threads);
  if (each <= kMaxThreadElements) {
    return true;
  }
  diagnostics
      .error(largestTileRange, "a tile of " + llvm::Twine(largestTile) + " elements is " + llvm::Twine(each) +
                                   " registers in each of " + llvm::Twine(threads) + " threads; expected at most " +
                                   llvm::Twine(kMaxThreadElements))
      .hint("take tiles of at most " + llvm::Twine(threads * kMaxThreadElements) +
            " elements, or more threads: @ph.launch(" +
            llvm::Twine(llvm::alignTo(llvm::divideCeil(largestTile, kMaxThreadElements), 32)) + ")");
  return false;
}

bool Checker::run() {
  unsigned errors = diagnostics.errorCount();
  Frame own(kernel, nullptr, SourceRange());
  frame = &own;
  bindKernelNames();
  Statements body = collect([&] {
    if (out.options.swizzleGroup) {
      swizzle();
    }
    block(kernel.body);
  });
  out.body = build.copy(llvm::ArrayRef<Stmt *>(body));
  frame = nullptr;
  chooseThreads();
  return diagnostics.errorCount() == errors && checkThreads();
}

} // namespace phobos::sema
