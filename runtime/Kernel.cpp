// The kernel object: sets of captured values, plans, tuning results. The cold path reads top to bottom in plan().
#include "phobos/runtime/Kernel.h"

#include "phobos/runtime/Autotune.h"
#include "phobos/runtime/Launch.h"
#include "phobos/runtime/Specialise.h"
#include "phobos/runtime/TuningResults.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace phobos::runtime {
namespace {

/// Parsed files, shared by the kernels of one file while any of them lives.
Result<std::shared_ptr<const SourceUnit>> parseOnce(const std::string &path, const std::string &text,
                                                    const Imports &imports) {
  struct Cache {
    std::mutex mutex;
    std::unordered_map<std::string, std::weak_ptr<const SourceUnit>> units;
  };
  static Cache &cache = *new Cache;
  std::string key = path + '\0' + text + '\0' + imports.key();
  {
    std::lock_guard lock(cache.mutex);
    if (auto unit = cache.units[key].lock()) {
      return unit;
    }
    std::erase_if(cache.units, [](const auto &entry) { return entry.second.expired(); });
  }
  auto parsed = parseSource(path, text, /*standsAlone=*/false, imports);
  if (!parsed) {
    return toError(parsed.failure());
  }
  std::lock_guard lock(cache.mutex);
  cache.units[key] = *parsed;
  return *parsed;
}

/// Are the extents those that these constants ask for? A kernel that is wrong with them says so when it is compiled.
bool fitsExtents(const Signature &signature, const Binding &binding, Constants constants, const Constants &captures,
                 VariantCache &variants) {
  constants.insert(constants.end(), binding.constants.begin(), binding.constants.end());
  auto prepared = variants.prepare(constants, captures);
  return !prepared || checkExtents(signature, binding, (*prepared)->info());
}

/// What the simulator's checks need of the code; nothing for CUDA.
Result<std::optional<HostOptions>> instrumentationFor(Target target) {
  if (target == Target::Cuda) {
    return std::optional<HostOptions>();
  }
  auto settings = simulatorSettings();
  if (!settings) {
    return settings.error();
  }
  HostOptions options;
  options.checkGlobal = settings->bounds || settings->race;
  options.checkShared = settings->bounds || settings->race || settings->init;
  options.profile = settings->profile;
  return std::optional(options);
}

} // namespace

struct Kernel::State {
  State(Signature read, KernelSource source, DeviceSource devices)
      : asRead(std::make_shared<const Signature>(std::move(read))), signature(*asRead), layout(signature.info()),
        devices(std::move(devices)), variants(signature, std::move(source)) {}

  const std::shared_ptr<const Signature> asRead;
  const Signature &signature; // *asRead
  const KeyLayout layout;
  const DeviceSource devices;
  VariantCache variants;

  mutable std::mutex mutex; // of what follows; held for look-ups only
  LaunchTable plans;
  std::vector<Constants> captureSets{{}};
  std::unordered_map<uint32_t, std::shared_ptr<const Signature>> signatures; // by capture set, if it is open
  std::vector<Constants> overrideSets{{}};
  std::unordered_map<std::string, Constants> tuned;
  std::unordered_map<uint32_t, std::shared_ptr<const std::vector<Constants>>> candidates; // by override set
  uint64_t generation = 0; // of clear(): what was begun before is not kept after

  std::mutex tuning;                  // one kernel tunes one thing at a time: timings must not overlap
  std::atomic<std::thread::id> tuner; // who does; no one: the default

  struct Choice {
    Constants captures, overrides;
    std::shared_ptr<const std::vector<Constants>> candidates;
  };

  Result<std::shared_ptr<const Signature>> signatureFor(uint32_t captureSet) {
    if (!signature.info().open) {
      return asRead;
    }
    Constants captures;
    {
      std::lock_guard lock(mutex);
      if (auto known = signatures.find(captureSet); known != signatures.end()) {
        return known->second;
      }
      captures = captureSets[captureSet];
    }
    const KernelSource &source = variants.source();
    auto info = analyseKernel(*source.unit, source.name, source.line, captures);
    if (!info) {
      return toError(info.failure());
    }
    auto made = std::make_shared<const Signature>(std::move(*info), signature.path(), source.text);
    std::lock_guard lock(mutex);
    return signatures.try_emplace(captureSet, std::move(made)).first->second;
  }

  Result<Choice> choiceFor(const Call &call) {
    Choice choice;
    {
      std::lock_guard lock(mutex);
      choice.captures = captureSets[call.captures];
      choice.overrides = overrideSets[call.overrides];
      choice.candidates = candidates[call.overrides];
    }
    if (!choice.candidates) {
      auto found = candidatesOf(signature, variants.source(), choice.overrides);
      if (!found) {
        return found.error();
      }
      choice.candidates = std::make_shared<const std::vector<Constants>>(std::move(*found));
      std::lock_guard lock(mutex);
      candidates[call.overrides] = choice.candidates;
    }
    return choice;
  }

  std::optional<Constants> knownBest(const std::string &key) {
    std::lock_guard lock(mutex);
    auto found = tuned.find(key);
    return found == tuned.end() ? std::nullopt : std::optional(found->second);
  }

  /// The tuned constants for this launch: the only ones there are, those found before, or the winner of a new search.
  Result<Constants> chooseConstants(const Signature &signature, const Call &call, const Host &host,
                                    const Binding &binding, const Choice &choice, Device &device,
                                    const BuildTarget &build) {
    if (choice.candidates->size() == 1) {
      return choice.candidates->front();
    }
    std::string key = tuningKey(signature, call, binding, build, choice.captures, choice.overrides);
    if (auto best = knownBest(key)) {
      return *best;
    }
    if (tuner == std::this_thread::get_id()) {
      return signature.launchError(nullptr,
                                   "kernel `" + signature.info().name +
                                       "` is launched by its own grid rule or reference while it is tuned for it",
                                   "launch another kernel there, or give this one its constants");
    }
    std::lock_guard lock(tuning);
    if (auto best = knownBest(key)) { // another thread was first
      return *best;
    }
    tuner = std::this_thread::get_id();
    llvm::scope_exit done([&] { tuner = std::thread::id(); });
    TuningResult onDisk(variants.source(), device, key, *choice.candidates);
    // A reference is asked for to be looked at, and clear() to tune again.
    if (device.timesVariants() && !host.reference && !isCleared()) {
      if (auto best = onDisk.load()) {
        return remember(key, *best);
      }
    }
    TuneRequest request{signature, variants, device, binding, call, host, choice.captures, build};
    auto best = tune(request, *choice.candidates);
    if (!best) {
      return best.error();
    }
    if (device.timesVariants()) {
      onDisk.store(*best);
    }
    return remember(key, *best);
  }

  Constants remember(const std::string &key, const Constants &best) {
    std::lock_guard lock(mutex);
    return tuned[key] = best;
  }

  bool isCleared() const {
    std::lock_guard lock(mutex);
    return generation != 0;
  }

  Result<Target> target() const { return devices ? Target::Cuda : currentTarget(); }

  /// The device of a kernel without tensors: the thread's current one. With tensors they say it themselves, so 0.
  int deviceOfNoTensor() const {
    if (signature.tensorCount()) {
      return 0;
    }
    auto where = target();
    return where && *where == Target::Host ? 0 : cudaCurrentDevice();
  }

  static uint32_t number(std::vector<Constants> &sets, const Constants &set) {
    auto found = llvm::find(sets, set);
    if (found != sets.end()) {
      return static_cast<uint32_t>(found - sets.begin());
    }
    sets.push_back(set);
    return static_cast<uint32_t>(sets.size() - 1);
  }
};

Kernel::Kernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
Kernel::~Kernel() = default;

Result<std::shared_ptr<Kernel>> Kernel::create(std::string path, std::string text, const std::string &name,
                                               int firstLine, DeviceSource devices, const Imports &imports) {
  auto unit = parseOnce(path, text, imports);
  if (!unit) {
    return unit.error();
  }
  const KernelInfo *found = nullptr;
  for (const KernelInfo &info : (*unit)->kernels()) {
    if (info.name == name && info.line >= firstLine && (!found || info.line < found->line)) {
      found = &info;
    }
  }
  if (!found) {
    return Error::compile(path + ":" + std::to_string(firstLine) + ": error: no kernel `" + name +
                          "` in the source at this line\nhint: the file may have changed since it was imported\n");
  }
  if (found->parameters.size() > kMaxParameters) {
    Signature signature(*found, path, text);
    return signature.compileError("kernel `" + name + "` has " + std::to_string(found->parameters.size()) +
                                  " parameters; expected at most " + std::to_string(kMaxParameters));
  }
  KernelSource source{*unit, text, name, found->line, imports.key()};
  auto state = std::make_unique<State>(Signature(*found, std::move(path), std::move(text)), std::move(source),
                                       std::move(devices));
  return std::shared_ptr<Kernel>(new Kernel(std::move(state)));
}

const Signature &Kernel::signature() const { return state_->signature; }

uint32_t Kernel::captureSet(const Constants &captures) {
  std::lock_guard lock(state_->mutex);
  return State::number(state_->captureSets, captures);
}

Result<std::shared_ptr<const Signature>> Kernel::signature(uint32_t captureSet) {
  return state_->signatureFor(captureSet);
}

Result<uint32_t> Kernel::overrideSet(const Constants &overrides) {
  for (const auto &[name, value] : overrides) {
    auto sameName = [&name = name](const TunedConstant &tuned) { return tuned.name == name; };
    if (!llvm::any_of(info().space, sameName)) {
      return signature().launchError(nullptr, "kernel `" + info().name + "` has no tuned constant `" + name + "`");
    }
  }
  std::lock_guard lock(state_->mutex);
  return State::number(state_->overrideSets, overrides);
}

std::shared_ptr<const Plan> Kernel::find(const Call &call) const {
  LaunchKey key(state_->layout, call, configuration(), state_->deviceOfNoTensor());
  if (!key.valid()) {
    return nullptr;
  }
  std::lock_guard lock(state_->mutex);
  return state_->plans.find(key);
}

Result<std::shared_ptr<const Plan>> Kernel::plan(const Call &call, const Host &host) {
  State &state = *state_;
  uint64_t generation;
  {
    std::lock_guard lock(state.mutex);
    generation = state.generation;
  }
  uint32_t epoch = configuration();
  auto target = state.target();
  if (!target) {
    return target.error();
  }
  auto signature = state.signatureFor(call.captures);
  if (!signature) {
    return signature.error();
  }
  auto binding = bindArguments(**signature, call.arguments, *target == Target::Host ? ArraysOn::Host : ArraysOn::Cuda);
  if (!binding) {
    return binding.error();
  }
  auto plan = std::make_shared<Plan>();
  int ordinal = binding->device >= 0 ? binding->device : state.deviceOfNoTensor();
  if (binding->allEmpty) {
    plan->empty = true;
    plan->dims = binding->dims;
  } else {
    auto device = state.devices ? state.devices(ordinal) : targetDevice(ordinal);
    if (!device) {
      return device.error();
    }
    auto choice = state.choiceFor(call);
    if (!choice) {
      return choice.error();
    }
    std::string forced = chipOverride();
    std::string chip = forced.empty() ? (*device)->chip() : forced;
    bool assemble = chip == (*device)->chip();
    if (Status status = checkChip(chip); !status) {
      return status.error();
    }
    auto instrumentation = instrumentationFor(*target);
    if (!instrumentation) {
      return instrumentation.error();
    }
    auto assertions = checksAssertions(*target);
    if (!assertions) {
      return assertions.error();
    }
    BuildTarget build{chip, assemble, *instrumentation, *assertions};
    auto constants = state.chooseConstants(**signature, call, host, *binding, *choice, **device, build);
    if (!constants) {
      return constants.error();
    }
    constants->insert(constants->end(), binding->constants.begin(), binding->constants.end());
    if (Status status = checkPromises(**signature, *binding, *constants); !status) {
      return status.error();
    }
    auto prepared = state.variants.prepare(*constants, choice->captures);
    if (!prepared) {
      return prepared.error();
    }
    if (Status status = checkPrepared(**signature, *binding, **prepared); !status) {
      return status.error();
    }
    VariantRequest request{*constants, choice->captures, specialise(**signature, *binding, (*prepared)->multiples()),
                           build};
    auto variant = state.variants.compile(request);
    if (!variant) {
      return variant.error();
    }
    auto function = state.variants.load(**device, *variant);
    if (!function) {
      return function.error();
    }
    auto made = makePlan(**signature, *binding, **variant, **device, *function);
    if (!made) {
      return made.error();
    }
    plan = std::move(*made);
  }
  plan->signature = *signature;
  LaunchKey key(state.layout, call, epoch, state.deviceOfNoTensor());
  std::lock_guard lock(state.mutex);
  if (key.valid() && generation == state.generation) {
    state.plans.insert(key, plan);
  }
  return std::shared_ptr<const Plan>(std::move(plan));
}

Status Kernel::launch(const Plan &plan, const Call &call, const Grid &grid, void *stream) const {
  return launchPlan(*plan.signature, plan, call.arguments, grid, stream);
}

Result<CompileRequest> Kernel::request(const Call &call, const Constants &constParameters, const std::string &chip) {
  State &state = *state_;
  if (Status status = checkChip(chip); !status) {
    status.error().kind = Error::Kind::Compile;
    return status.error();
  }
  auto assertions = checksAssertions(Target::Cuda);
  if (!assertions) {
    return assertions.error();
  }
  auto choice = state.choiceFor(call);
  if (!choice) {
    return choice.error();
  }
  Constants constants = choice->candidates->front();
  std::optional<Binding> binding;
  auto signature = state.signatureFor(call.captures);
  if (!signature) {
    return signature.error();
  }
  if (call.arguments) {
    auto bound = bindArguments(**signature, call.arguments, ArraysOn::Anywhere);
    if (!bound) {
      return bound.error();
    }
    binding = std::move(*bound);
    std::string key =
        tuningKey(**signature, call, *binding, {chip, true, {}, *assertions}, choice->captures, choice->overrides);
    if (auto best = state.knownBest(key)) {
      constants = *best;
    } else {
      // The first that the extents fit; if there is none, the first, to say what does not.
      auto holds = [&](const Constants &c) {
        return static_cast<bool>(checkPromises(**signature, *binding, c)) &&
               fitsExtents(**signature, *binding, c, choice->captures, state.variants);
      };
      auto found = llvm::find_if(*choice->candidates, holds);
      constants = found == choice->candidates->end() ? choice->candidates->front() : *found;
    }
    constants.insert(constants.end(), binding->constants.begin(), binding->constants.end());
    if (Status status = checkPromises(**signature, *binding, constants); !status) {
      return status.error();
    }
  } else {
    constants.insert(constants.end(), constParameters.begin(), constParameters.end());
  }
  auto prepared = state.variants.prepare(constants, choice->captures);
  if (!prepared) {
    return prepared.error();
  }
  if (binding) {
    if (Status status = checkExtents(**signature, *binding, (*prepared)->info()); !status) {
      return status.error();
    }
  }
  Specialisation facts =
      binding ? specialise(**signature, *binding, (*prepared)->multiples()) : genericSpecialisation(**prepared);
  return CompileRequest{std::move(constants), std::move(choice->captures), std::move(facts), chip, *assertions};
}

Result<Artifact> Kernel::compile(const CompileRequest &request, const CompileOptions &options) {
  auto prepared = state_->variants.prepare(request.constants, request.captures);
  if (!prepared) {
    return prepared.error();
  }
  CompileOptions itsOptions = options;
  itsOptions.chip = request.chip;
  itsOptions.assertions = request.assertions;
  auto artifact = compileKernel(**prepared, request.specialisation, itsOptions);
  if (!artifact) {
    return toError(artifact.failure());
  }
  if (!artifact->cubin.empty()) {
    state_->variants.keep(
        {request.constants, request.captures, request.specialisation, {request.chip, true, {}, request.assertions}},
        *artifact);
  }
  return std::move(*artifact);
}

std::vector<VariantInfo> Kernel::variants() const {
  std::vector<VariantInfo> infos;
  for (const auto &variant : state_->variants.all()) {
    const Resources &resources = variant->resources;
    infos.push_back({variant->constants, variant->chip, resources.registers,
                     resources.staticSharedBytes + resources.dynamicSharedBytes,
                     resources.spillStoreBytes + resources.spillLoadBytes, variant->fromDisk});
  }
  return infos;
}

void Kernel::clear() {
  {
    std::lock_guard lock(state_->mutex);
    ++state_->generation;
    state_->plans.clear();
    state_->tuned.clear();
  }
  state_->variants.clear();
}

} // namespace phobos::runtime
