// One reader for each decorator. What stands in a decorator is read, never run.
#include "Decorators.h"
#include "Arguments.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace phobos::sema {
namespace {

using syntax::CallExpr;
using syntax::Expr;

class Reader {
public:
  Reader(DecoratorSet &set, DiagnosticEngine &diagnostics) : set(set), diagnostics(diagnostics) {}

  bool read(const Builtin &builtin, const Expr &decorator);

private:
  bool kernel(const BoundArguments &args);
  bool tensorcore(const BoundArguments &args);
  bool autotune(const BoundArguments &args, const Expr &decorator);
  bool pipeline(const BoundArguments &args, const Expr &decorator);
  bool persistent(const BoundArguments &args);
  bool fail(SourceRange range, const llvm::Twine &message, const llvm::Twine &hint = "");

  DecoratorSet &set;
  DiagnosticEngine &diagnostics;
};

bool Reader::fail(SourceRange range, const llvm::Twine &message, const llvm::Twine &hint) {
  Diagnostic &error = diagnostics.error(range, message);
  if (!hint.isTriviallyEmpty()) {
    error.hint(hint);
  }
  return false;
}

bool Reader::kernel(const BoundArguments &args) {
  if (const Expr *key = args[0]) {
    const auto *list = llvm::dyn_cast<syntax::ListExpr>(key);
    const auto *tuple = llvm::dyn_cast<syntax::TupleExpr>(key);
    if (!list && !tuple) {
      return fail(key->range, "expected a list of names as `key`", "write key=[\"M\", \"N\"]");
    }
    for (const Expr *item : list ? list->elements : tuple->elements) {
      if (!llvm::isa<syntax::StringLiteral>(item)) {
        return fail(item->range, "expected the name of a dim or a scalar parameter, as a string");
      }
      set.key.push_back(item);
    }
  }
  if (const Expr *reference = args[1]) {
    set.reference = llvm::dyn_cast<syntax::NameExpr>(reference);
    if (!set.reference) {
      return fail(reference->range, "expected the name of a function as `reference`");
    }
  }
  return true;
}

bool Reader::tensorcore(const BoundArguments &args) {
  set.tensorCore = F32Mode::Tf32x3;
  if (!args[0]) {
    return true;
  }
  const auto *text = llvm::dyn_cast<syntax::StringLiteral>(args[0]);
  auto mode = llvm::StringSwitch<std::optional<F32Mode>>(text ? text->value : "")
                  .Case("tf32x3", F32Mode::Tf32x3)
                  .Case("tf32", F32Mode::Tf32)
                  .Case("bf16x3", F32Mode::Bf16x3)
                  .Default(std::nullopt);
  if (!mode) {
    return fail(args[0]->range, "expected \"tf32x3\", \"tf32\" or \"bf16x3\" as `f32`");
  }
  set.tensorCore = mode;
  return true;
}

bool Reader::autotune(const BoundArguments &args, const Expr &decorator) {
  if (args[0]) {
    set.when = llvm::dyn_cast<syntax::StringLiteral>(args[0]);
    if (!set.when) {
      return fail(args[0]->range, "expected a condition on the tuned constants as `when`, as a string",
                  "write when=\"TILE_M * TILE_N <= 32768\"");
    }
  }
  set.space = args.keywords;
  if (set.space.empty()) {
    return fail(decorator.range, "expected at least one constant to tune", "write @ph.autotune(TILE_M=[64, 128])");
  }
  return true;
}

bool Reader::pipeline(const BoundArguments &args, const Expr &decorator) {
  set.pipelineRange = decorator.range;
  const auto *enabled = args[0] ? llvm::dyn_cast<syntax::BoolLiteral>(args[0]) : nullptr;
  if ((args[0] && (!enabled || enabled->value)) || (args[0] == nullptr) == (args[1] == nullptr)) {
    return fail(args[0] ? args[0]->range : decorator.range, "expected `stages=n` or `False`",
                "write @ph.pipeline(stages=3) or @ph.pipeline(False)");
  }
  set.pipeline = enabled ? PipelineRequest::Kind::Off : PipelineRequest::Kind::Depth;
  set.stages = args[1];
  return true;
}

bool Reader::persistent(const BoundArguments &args) {
  const auto *text = args[0] ? llvm::dyn_cast<syntax::StringLiteral>(args[0]) : nullptr;
  if (args[0] && (!text || (text->value != "grid" && text->value != "queue"))) {
    return fail(args[0]->range, "expected \"grid\" or \"queue\" as `order`");
  }
  set.persistent = text && text->value == "queue" ? PersistentOrder::Queue : PersistentOrder::Grid;
  return true;
}

bool Reader::read(const Builtin &builtin, const Expr &decorator) {
  const auto *call = llvm::dyn_cast<CallExpr>(&decorator);
  if (!builtin.supported) {
    return fail(decorator.range, "`@ph." + builtin.name + "` is not supported yet");
  }
  if (!call) {
    bool needsCall = llvm::StringSwitch<bool>(builtin.name)
                         .Cases({"launch", "aligned", "autotune", "pipeline", "swizzle", "cluster"}, true)
                         .Default(false);
    if (needsCall) {
      return fail(decorator.range, "`@ph." + builtin.name + "` needs arguments",
                  "`ph." + builtin.name + "` takes (" + builtin.signature + ")");
    }
    if (builtin.name == "tensorcore") {
      set.tensorCore = F32Mode::Tf32x3;
    } else if (builtin.name == "persistent") {
      set.persistent = PersistentOrder::Grid;
    } else if (builtin.name == "dependent") {
      set.dependent = true;
    }
    return true;
  }
  auto report = [&](SourceRange range, const llvm::Twine &message) -> Diagnostic & {
    return diagnostics.error(range, message);
  };
  std::optional<BoundArguments> args = bindArguments(builtin, *call, report);
  if (!args) {
    return false;
  }
  if (builtin.name == "kernel") {
    return kernel(*args);
  }
  if (builtin.name == "launch") {
    set.threads = (*args)[0];
    set.minBlocks = (*args)[1];
    set.maxRegisters = (*args)[2];
    return true;
  }
  if (builtin.name == "tensorcore") {
    return tensorcore(*args);
  }
  if (builtin.name == "aligned") {
    set.aligned = args->keywords;
    return !set.aligned.empty() ||
           fail(decorator.range, "expected at least one promise", "write @ph.aligned(M=\"TILE_M\")");
  }
  if (builtin.name == "autotune") {
    return autotune(*args, decorator);
  }
  if (builtin.name == "pipeline") {
    return pipeline(*args, decorator);
  }
  if (builtin.name == "persistent") {
    return persistent(*args);
  }
  if (builtin.name == "dependent") {
    return set.dependent = true;
  }
  if (builtin.name == "cluster") {
    set.clusterX = (*args)[0];
    set.clusterY = (*args)[1];
    set.clusterRange = decorator.range;
    return true;
  }
  set.swizzle = (*args)[0];
  return true;
}

} // namespace

bool readDecorators(const syntax::FunctionDef &function, const LangNames &names, DecoratorSet &set,
                    DiagnosticEngine &diagnostics) {
  bool device = function.role == syntax::FunctionRole::Device;
  llvm::StringSet<> seen;
  bool good = true;
  for (size_t i = 0; i < function.decorators.size(); ++i) {
    const syntax::Decorator &decorator = function.decorators[i];
    std::optional<std::string> path = names.resolve(decorator.name);
    const Builtin *builtin = path ? findBuiltin(*path) : nullptr;
    if (!builtin || builtin->category != Category::Decorator) {
      Diagnostic &error =
          diagnostics.error(decorator.range, decorator.name.empty() ? llvm::Twine("expected a decorator of phobos.lang")
                                                                    : "unknown decorator `" + decorator.name + "`");
      llvm::SmallVector<llvm::StringRef, 16> known;
      for (const Builtin &candidate : builtins()) {
        if (candidate.category == Category::Decorator) {
          known.push_back(candidate.name);
        }
      }
      llvm::StringRef near = nearestName(decorator.name.rsplit('.').second, known);
      if (!near.empty()) {
        error.hint("did you mean `@ph." + near + "`?");
      } else {
        error.hint("a kernel is read, not run: other decorators have no effect on it");
      }
      good = false;
      continue;
    }
    if (!seen.insert(builtin->name).second) {
      diagnostics.error(decorator.range, "`@ph." + builtin->name + "` is given twice");
      good = false;
      continue;
    }
    if (device && builtin->name != "fn") {
      diagnostics.error(decorator.range, builtin->name == "kernel"
                                             ? llvm::Twine("a function is a kernel or a device function, not both")
                                             : "`@ph." + builtin->name + "` is for kernels, `" + function.name +
                                                   "` is a device function");
      good = false;
      continue;
    }
    if (builtin->name == "fn" && !device) {
      diagnostics.error(decorator.range, "a function is a kernel or a device function, not both");
      good = false;
      continue;
    }
    if (builtin->name == "kernel" && i != 0) {
      diagnostics.error(decorator.range, "`@ph.kernel` must be the outermost decorator")
          .hint("move it above `@" + function.decorators[0].name + "`");
      good = false;
    }
    good &= Reader(set, diagnostics).read(*builtin, *decorator.expr);
  }
  return good;
}

} // namespace phobos::sema
