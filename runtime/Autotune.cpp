// Candidates, their compilation in parallel, their timing; see Autotune.h.
#include "phobos/runtime/Autotune.h"

#include "phobos/runtime/Specialise.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <thread>

namespace phobos::runtime {
namespace {

// Who runs in the final, and how often.
constexpr double kCloseFactor = 1.15;
constexpr size_t kFinalists = 6;
constexpr int kFinalRounds = 6;

/// One combination on its way: compiled, loaded, timed, or out with a reason.
struct Candidate {
  Constants constants; // tuned and const
  std::shared_ptr<const Variant> variant;
  std::shared_ptr<Plan> plan;
  Grid grid;
  double milliseconds = std::numeric_limits<double>::infinity(); // the median of `times`
  std::vector<double> times;
  std::optional<Error> out;
};

size_t elementsOf(const BoundTensor &tensor) {
  size_t last = 0;
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    if (tensor.extents[axis] == 0) {
      return 0;
    }
    last += static_cast<size_t>(tensor.extents[axis] - 1) * static_cast<size_t>(tensor.strides[axis]);
  }
  return last + 1;
}

std::string constantsText(const Constants &constants) {
  std::string text;
  for (const auto &[name, value] : constants) {
    text += (text.empty() ? "" : ", ") + name + " = " + toText(value);
  }
  return text;
}

class Tuner {
public:
  explicit Tuner(const TuneRequest &request) : r(request) {
    for (const ParameterInfo &parameter : r.signature.info().parameters) {
      if (parameter.kind == ParameterInfo::Kind::Tensor) {
        types.push_back(parameter.dtype);
      }
    }
    for (size_t i = 0; i < r.binding.tensors.size(); ++i) {
      const BoundTensor &tensor = r.binding.tensors[i];
      ranges.push_back({tensor.data, elementsOf(tensor) * byteWidth(types[i])});
    }
  }

  Result<Constants> run(const std::vector<Constants> &combinations) {
    for (const Constants &constants : combinations) {
      Candidate candidate;
      candidate.constants = constants;
      candidate.constants.insert(candidate.constants.end(), r.binding.constants.begin(), r.binding.constants.end());
      if (Status status = checkPromises(r.signature, r.binding, candidate.constants); !status) {
        candidate.out = std::move(status.error());
      }
      candidates.push_back(std::move(candidate));
    }
    if (!r.device.timesVariants()) {
      return firstThatCompiles(combinations);
    }
    if (r.device.isCapturing(r.host.stream)) {
      return r.signature.launchError(nullptr,
                                     "kernel `" + r.signature.info().name +
                                         "` is not tuned for these arguments, and its stream is recording a graph",
                                     "launch it once, or call its best(), before recording");
    }
    compileAll();
    for (Candidate &candidate : candidates) {
      if (candidate.out) {
        continue;
      }
      Status status = load(candidate);
      if (!status) {
        return status.error(); // the grid rule or the device failed: not this combination's fault
      }
    }
    if (Status status = timeAll(); !status) {
      return status.error();
    }
    auto best = std::min_element(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
      return a.milliseconds < b.milliseconds;
    });
    if (best->out || std::isinf(best->milliseconds)) {
      return *candidates.front().out;
    }
    return combinations[best - candidates.begin()];
  }

private:
  Result<Constants> firstThatCompiles(const std::vector<Constants> &combinations) {
    for (size_t i = 0; i < combinations.size(); ++i) {
      if (!candidates[i].out) {
        compile(candidates[i]);
      }
      if (!candidates[i].out) {
        return combinations[i];
      }
    }
    return *candidates.front().out;
  }

  void compileAll() {
    std::vector<Candidate *> waiting;
    for (Candidate &candidate : candidates) {
      if (!candidate.out) {
        waiting.push_back(&candidate);
      }
    }
    std::atomic<size_t> next{0};
    auto work = [&] {
      for (size_t at = next++; at < waiting.size(); at = next++) {
        compile(*waiting[at]);
      }
    };
    size_t count = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), waiting.size());
    std::vector<std::thread> threads; // joined below: none outlives a fork or the interpreter
    for (size_t i = 1; i < count; ++i) {
      threads.emplace_back(work);
    }
    work();
    for (std::thread &thread : threads) {
      thread.join();
    }
  }

  void compile(Candidate &candidate) {
    auto prepared = r.variants.prepare(candidate.constants, r.captures);
    if (!prepared) {
      candidate.out = std::move(prepared.error());
      return;
    }
    if (Status status = checkPrepared(r.signature, r.binding, **prepared); !status) {
      candidate.out = std::move(status.error());
      return;
    }
    VariantRequest request{candidate.constants, r.captures,
                           specialise(r.signature, r.binding, (*prepared)->multiples()), r.build};
    auto variant = r.variants.compile(request);
    if (variant) {
      candidate.variant = *variant;
    } else {
      candidate.out = std::move(variant.error());
    }
  }

  Status load(Candidate &candidate) {
    auto function = r.variants.load(r.device, candidate.variant);
    if (!function) {
      candidate.out = std::move(function.error());
      return {};
    }
    auto plan = makePlan(r.signature, r.binding, *candidate.variant, r.device, *function);
    if (!plan) {
      candidate.out = std::move(plan.error());
      return {};
    }
    candidate.plan = *plan;
    auto grid = r.host.grid(r.binding.dims, candidate.constants);
    if (!grid) {
      return grid.error();
    }
    candidate.grid = *grid;
    if (Status status = checkGrid(r.signature, candidate.grid); !status) {
      candidate.out = std::move(status.error());
    }
    return {};
  }

  Status timeAll() {
    if (llvm::all_of(candidates, [](const Candidate &c) { return c.out.has_value(); })) {
      return {};
    }
    if (Status status = r.device.synchronize(); !status) { // what fills the arrays may still be running
      return status;
    }
    auto copies = r.device.save(ranges);
    if (!copies) {
      return r.signature.launchError(
          nullptr,
          "no room to tune kernel `" + r.signature.info().name +
              "`: its arrays are copied first, to be put back after timing: " + copies.error().text,
          "free memory, tune with smaller arrays, or fix the constants");
    }
    Status status = timeOn(*copies);
    Status restored = r.device.restore(ranges, *copies);
    r.device.release(*copies);
    return status ? restored : status;
  }

  Status timeOn(const std::vector<void *> &copies) {
    std::vector<std::vector<char>> expected;
    if (r.host.reference) {
      if (Status status = r.host.reference(); !status) {
        return status;
      }
      if (Status status = readAll(expected); !status) {
        return status;
      }
    }
    for (Candidate &candidate : candidates) {
      if (candidate.out) {
        continue;
      }
      if (r.host.reference) {
        if (Status status = check(candidate, copies, expected); !status) {
          return status;
        }
        if (candidate.out) {
          continue;
        }
      }
      if (candidate.grid.empty()) {
        candidate.milliseconds = 0;
        continue;
      }
      if (Status status = time(candidate); !status) {
        return status;
      }
    }
    return final();
  }

  /// Adds one measurement. An illegal access leaves the context unusable: nothing more can be tried after an error.
  Status time(Candidate &candidate) {
    auto time = r.device.time([&](void *stream) { return launch(candidate, stream); });
    if (!time) {
      return time.error();
    }
    candidate.times.push_back(*time);
    std::vector<double> sorted = candidate.times;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    candidate.milliseconds = sorted[sorted.size() / 2];
    return {};
  }

  /// The fastest again, in turn and turn about: what ran just before decides several percent on a chip at its power
  /// limit, so that one look at each does not rank those close together.
  Status final() {
    std::vector<Candidate *> close;
    double best = std::numeric_limits<double>::infinity();
    for (Candidate &candidate : candidates) {
      best = std::min(best, candidate.milliseconds);
    }
    for (Candidate &candidate : candidates) {
      if (!candidate.times.empty() && candidate.milliseconds <= best * kCloseFactor) {
        close.push_back(&candidate);
      }
    }
    std::sort(close.begin(), close.end(), [](auto *a, auto *b) { return a->milliseconds < b->milliseconds; });
    close.resize(std::min(close.size(), kFinalists));
    for (int round = 0; round < kFinalRounds && close.size() > 1; ++round) {
      for (size_t i = 0; i < close.size(); ++i) {
        if (Status status = time(*close[round % 2 ? close.size() - 1 - i : i]); !status) {
          return status;
        }
      }
    }
    return {};
  }

  Status launch(const Candidate &candidate, void *stream) {
    return launchPlan(r.signature, *candidate.plan, r.call.arguments, candidate.grid, stream);
  }

  Status readAll(std::vector<std::vector<char>> &out) {
    out.clear();
    for (const MemoryRange &range : ranges) {
      out.emplace_back(range.bytes);
      if (Status status = r.device.read(out.back().data(), range.address, range.bytes); !status) {
        return status;
      }
    }
    return {};
  }

  /// Runs the candidate once on the original contents and compares every array with what the reference left there.
  Status check(Candidate &candidate, const std::vector<void *> &copies,
               const std::vector<std::vector<char>> &expected) {
    if (Status status = r.device.restore(ranges, copies); !status) {
      return status;
    }
    if (Status status = launch(candidate, r.host.stream); !status) {
      return status;
    }
    std::vector<std::vector<char>> got;
    if (Status status = readAll(got); !status) {
      return status;
    }
    size_t tensor = 0;
    for (const ParameterInfo &parameter : r.signature.info().parameters) {
      if (parameter.kind != ParameterInfo::Kind::Tensor) {
        continue;
      }
      size_t elements = ranges[tensor].bytes / byteWidth(parameter.dtype);
      if (!candidate.out && !matches(parameter.dtype, got[tensor].data(), expected[tensor].data(), elements)) {
        candidate.out = r.signature.launchError(
            &parameter, "kernel `" + r.signature.info().name + "` with " + constantsText(candidate.constants) +
                            " leaves argument `" + parameter.name + "` different from the reference");
      }
      ++tensor;
    }
    return {};
  }

  const TuneRequest &r;
  std::vector<DType> types;        // by tensor
  std::vector<MemoryRange> ranges; // by tensor
  std::vector<Candidate> candidates;
};

} // namespace

Result<std::vector<Constants>> candidatesOf(const Signature &signature, const KernelSource &source,
                                            const Constants &overrides) {
  std::vector<Constants> all{{}};
  for (const TunedConstant &tuned : signature.info().space) {
    const ConstantValue *fixed = findConstant(overrides, tuned.name);
    std::vector<Constants> longer;
    for (const Constants &prefix : all) {
      for (const ConstantValue &value : fixed ? std::vector{*fixed} : tuned.candidates) {
        longer.push_back(prefix);
        longer.back().emplace_back(tuned.name, value);
      }
    }
    all = std::move(longer);
  }
  if (signature.info().when.empty()) {
    return all;
  }
  std::vector<Constants> allowed;
  for (Constants &constants : all) {
    auto allows = satisfiesWhen(*source.unit, source.name, source.line, constants);
    if (!allows) {
      return toError(allows.failure());
    }
    if (*allows) {
      allowed.push_back(std::move(constants));
    }
  }
  if (allowed.empty()) {
    return signature.compileError("no combination of the tuned constants of kernel `" + source.name +
                                  "` satisfies its `when`: " + signature.info().when +
                                  (overrides.empty() ? "" : ", where " + constantsText(overrides)));
  }
  return allowed;
}

std::string tuningKey(const Signature &signature, const Call &call, const Binding &binding, const BuildTarget &build,
                      const Constants &captures, const Constants &overrides) {
  std::string key = build.chip + (build.host ? " host" : "") + '\0' + keyBytes(captures) + keyBytes(overrides) +
                    keyBytes(binding.constants);
  auto put = [&](int64_t value) { key.append(reinterpret_cast<const char *>(&value), sizeof value); };
  const KernelInfo &info = signature.info();
  size_t tensor = 0;
  for (const ParameterInfo &parameter : info.parameters) { // extents that select among the constants themselves
    for (size_t axis = 0; axis < parameter.dims.size(); ++axis) {
      if (parameter.dims[axis].name.empty() && parameter.dims[axis].extent == kUnknownExtent) {
        put(binding.tensors[tensor].extents[axis]);
      }
    }
    tensor += parameter.kind == ParameterInfo::Kind::Tensor;
  }
  if (info.key.empty()) {
    llvm::for_each(binding.dims, put);
    return key;
  }
  for (const std::string &name : info.key) {
    if (int dim = signature.dimIndex(name); dim >= 0) {
      put(binding.dims[dim]);
    }
    for (size_t i = 0; i < info.parameters.size(); ++i) {
      if (info.parameters[i].name == name && info.parameters[i].kind == ParameterInfo::Kind::Scalar) {
        put(call.arguments[i].scalar.integer);
      }
    }
  }
  return key;
}

Result<Constants> tune(const TuneRequest &request, const std::vector<Constants> &candidates) {
  return Tuner(request).run(candidates);
}

} // namespace phobos::runtime
