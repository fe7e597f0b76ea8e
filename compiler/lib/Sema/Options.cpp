// The decorators' numbers, once every constant is known.
#include "Signature.h"
#include "phobos/Support/SourceFile.h"
#include "phobos/Syntax/Parser.h"

namespace phobos::sema {
namespace {

using syntax::Expr;

constexpr int64_t kWarpThreads = 32, kMaxThreads = 1024, kMaxRegisters = 255, kMaxStages = 16, kMaxBlocks = 32;
constexpr unsigned kMaxClusterBlocks = 8; // what every chip with clusters has

class OptionReader {
public:
  OptionReader(const syntax::FunctionDef &kernel, const Signature &signature, const ConstantTable &known,
               KernelOptions &options, DiagnosticEngine &diagnostics)
      : signature(signature), known(known), names(kernel.enclosing), options(options), diagnostics(diagnostics) {}

  bool read();
  bool promises(std::vector<int64_t> &promised);

private:
  /// An int in the range, from an expression or from a string that holds one.
  std::optional<int64_t> integer(const Expr &expr, llvm::StringRef what, int64_t low, int64_t high);
  bool threads(int64_t count, SourceRange range);
  bool cluster();

  const Signature &signature;
  const ConstantTable &known;
  LangNames names;
  KernelOptions &options;
  DiagnosticEngine &diagnostics;
};

std::optional<int64_t> OptionReader::integer(const Expr &expr, llvm::StringRef what, int64_t low, int64_t high) {
  auto lookup = [&](llvm::StringRef name) { return known.find(name); };
  const auto *string = llvm::dyn_cast<syntax::StringLiteral>(&expr);
  std::optional<ConstantValue> value = string
                                           ? evaluateText(*string, names, lookup, what.str(), diagnostics)
                                           : ConstantEvaluator(names, lookup, diagnostics, what.str()).evaluate(expr);
  if (!value) {
    return std::nullopt;
  }
  if (value->kind != ConstantValue::Kind::Int || value->integer < low || value->integer > high) {
    diagnostics.error(expr.range, "expected " + what + " to be an int from " + llvm::Twine(low) + " to " +
                                      llvm::Twine(high) + ", got " + toText(*value));
    return std::nullopt;
  }
  return value->integer;
}

std::string notWholeWarps(int64_t threads) {
  return threads % kWarpThreads == 0
             ? ""
             : "expected whole warps of 32 threads, got " + std::to_string(threads) + " threads";
}

bool OptionReader::threads(int64_t count, SourceRange range) {
  if (std::string problem = notWholeWarps(count); !problem.empty()) {
    diagnostics.error(range, problem);
    return false;
  }
  options.threads = static_cast<unsigned>(count);
  return true;
}

bool OptionReader::cluster() {
  const DecoratorSet &set = signature.decorators;
  for (auto [expr, what, into] :
       {std::tuple(set.clusterX, "`x`", &options.clusterX), std::tuple(set.clusterY, "`y`", &options.clusterY)}) {
    if (expr) {
      std::optional<int64_t> value = integer(*expr, what, 1, kMaxClusterBlocks);
      if (!value) {
        return false;
      }
      *into = static_cast<unsigned>(*value);
    }
  }
  unsigned blocks = options.clusterX * options.clusterY;
  if (blocks > kMaxClusterBlocks) {
    diagnostics.error(set.clusterRange, "expected at most " + llvm::Twine(kMaxClusterBlocks) +
                                            " blocks in a cluster, got " + llvm::Twine(blocks));
    return false;
  }
  if (blocks > 1 && set.persistent != PersistentOrder::None) {
    diagnostics.error(set.clusterRange, "`@ph.cluster` beside `@ph.persistent` is not supported yet");
    return false;
  }
  if (options.swizzleGroup % options.clusterX != 0) {
    diagnostics.error(set.swizzle->range, "expected groups of whole clusters, which have " +
                                              llvm::Twine(options.clusterX) + " rows, got a group of " +
                                              llvm::Twine(options.swizzleGroup));
    return false;
  }
  return true;
}

bool OptionReader::read() {
  const DecoratorSet &set = signature.decorators;
  bool good = true;
  auto take = [&](const Expr *expr, llvm::StringRef what, int64_t low, int64_t high, unsigned &into) {
    if (expr && !llvm::isa<syntax::NoneLiteral>(expr)) {
      std::optional<int64_t> value = integer(*expr, what, low, high);
      good &= value.has_value();
      into = static_cast<unsigned>(value.value_or(0));
    }
  };
  unsigned count = 0;
  take(set.threads, "the number of threads", kWarpThreads, kMaxThreads, count);
  if (count) {
    good &= threads(count, set.threads->range);
  }
  take(set.minBlocks, "`min_blocks`", 1, kMaxBlocks, options.minBlocks);
  take(set.maxRegisters, "`max_regs`", 16, kMaxRegisters, options.maxRegisters);
  take(set.swizzle, "the group", 1, INT32_MAX, options.swizzleGroup);
  options.persistent = set.persistent;
  options.dependent = set.dependent;
  good &= cluster();
  options.tensorCore = set.tensorCore;
  options.pipeline.kind = set.pipeline;
  options.pipeline.range = set.pipelineRange;
  options.pipeline.asserted = set.pipeline == PipelineRequest::Kind::Depth;
  take(set.stages, "`stages`", 1, kMaxStages, options.pipeline.stages);

  // `threads` and `stages` in the tuned space steer without a decorator.
  for (const syntax::KeywordArg *tuned : set.space) {
    bool isThreads = tuned->name == "threads" && !set.threads;
    bool isStages = tuned->name == "stages" && set.pipeline == PipelineRequest::Kind::Default;
    std::optional<ConstantValue> value = isThreads || isStages ? known.find(tuned->name) : std::nullopt;
    if (!value) {
      continue;
    }
    if (std::string problem = whyNotTuned(tuned->name, *value); !problem.empty()) {
      diagnostics.error(tuned->nameRange, problem);
      good = false;
    } else if (isThreads) {
      options.threads = static_cast<unsigned>(value->integer);
    } else {
      options.pipeline.kind = PipelineRequest::Kind::Depth;
      options.pipeline.stages = static_cast<unsigned>(value->integer);
    }
  }
  return good;
}

bool OptionReader::promises(std::vector<int64_t> &promised) {
  const KernelInfo &info = signature.info;
  promised.assign(info.dims.size(), 1);
  bool good = true;
  for (size_t i = 0; i < info.promises.size(); ++i) {
    const PromiseInfo &promise = info.promises[i];
    int64_t multiple = promise.multiple;
    if (!promise.constant.empty()) {
      std::optional<ConstantValue> value = known.find(promise.constant);
      if (!value || value->kind != ConstantValue::Kind::Int || value->integer < 1) {
        diagnostics.error(signature.decorators.aligned[i]->value->range, "expected `" + llvm::Twine(promise.constant) +
                                                                             "` to be a positive int" +
                                                                             (value ? ", got " + toText(*value) : ""));
        good = false;
        continue;
      }
      multiple = value->integer;
    }
    size_t dim = llvm::find(info.dims, promise.dim) - info.dims.begin();
    promised[dim] = multiple;
  }
  return good;
}

} // namespace

bool readOptions(const syntax::FunctionDef &kernel, const Signature &signature, const ConstantTable &known,
                 KernelOptions &options, std::vector<int64_t> &promised, DiagnosticEngine &diagnostics) {
  OptionReader reader(kernel, signature, known, options, diagnostics);
  bool good = reader.read();
  return reader.promises(promised) && good;
}

std::string whyNotTuned(llvm::StringRef name, const ConstantValue &value) {
  bool isThreads = name == "threads";
  if (!isThreads && name != "stages") {
    return "";
  }
  int64_t low = isThreads ? kWarpThreads : 1, high = isThreads ? kMaxThreads : kMaxStages;
  if (value.kind != ConstantValue::Kind::Int || value.integer < low || value.integer > high) {
    return ("expected `" + name + "` to be an int from " + llvm::Twine(low) + " to " + llvm::Twine(high) + ", got " +
            toText(value))
        .str();
  }
  return isThreads ? notWholeWarps(value.integer) : "";
}

std::optional<ConstantValue> evaluateText(const syntax::StringLiteral &literal, const LangNames &names,
                                          ConstantEvaluator::Lookup lookup, const std::string &context,
                                          DiagnosticEngine &diagnostics, llvm::ArrayRef<std::string> candidates) {
  SourceFile file(literal.range.file->path().str(), literal.value.str());
  syntax::ASTContext tree;
  DiagnosticEngine inner;
  std::optional<ConstantValue> value;
  if (const syntax::Expr *expr = syntax::parseExpression(file, tree, inner)) {
    ConstantEvaluator evaluator(names, lookup, inner, context);
    evaluator.candidates = candidates;
    value = evaluator.evaluate(*expr);
  }
  // A plain literal shows its value character for character, so places in it are places in the file.
  uint32_t begin = literal.range.begin + 1;
  SourceRange body(literal.range.file, begin, std::max(begin, literal.range.end - 1));
  bool plain = literal.range.file->text(body) == literal.value;
  for (const Diagnostic &diagnostic : inner.diagnostics()) {
    SourceRange range = literal.range;
    if (plain && diagnostic.range.isValid()) {
      range = {range.file, begin + diagnostic.range.begin, begin + diagnostic.range.end};
    }
    Diagnostic &copy = diagnostics.report(diagnostic.severity, range, diagnostic.message);
    if (!diagnostic.hintText.empty()) {
      copy.hint(diagnostic.hintText);
    }
  }
  return value;
}

} // namespace phobos::sema
