// Finds or makes compiled variants; see Variants.h.
#include "phobos/runtime/Variants.h"

#include "phobos/host/Simulator.h"
#include "phobos/runtime/Specialise.h"

#include <algorithm>

namespace phobos::runtime {
namespace {

/// Part of every disk key: what this file writes.
constexpr uint64_t kEntryFormat = 1;

DiskCache::Key diskKey(const KernelSource &source, const VariantRequest &request) {
  ContentKey key;
  key.add(kEntryFormat);
  addKernel(key, source);
  key.add(keyBytes(request.constants));
  key.add(keyBytes(request.captures));
  key.add(keyBytes(request.specialisation));
  key.add(request.target.chip);
  key.add(static_cast<uint64_t>(request.target.assemble));
  key.add(static_cast<uint64_t>(request.target.assertions));
  return key.digest();
}

DiskCache::Sections sectionsOf(const Artifact &artifact) {
  return {toJson(artifact.contract, artifact.resources), artifact.cubin, artifact.ptx};
}

std::shared_ptr<Variant> fromDisk(const DiskCache::Sections &sections, const VariantRequest &request) {
  if (sections.size() != 3) {
    return nullptr;
  }
  auto contract = contractFromJson(sections[0]);
  if (!contract || contract->first.chip != request.target.chip || contract->first.entry.empty()) {
    return nullptr;
  }
  auto variant = std::make_shared<Variant>();
  variant->constants = request.constants;
  variant->chip = request.target.chip;
  variant->contract = std::move(contract->first);
  variant->resources = contract->second;
  variant->cubin = sections[1];
  variant->ptx = sections[2];
  variant->fromDisk = true;
  return variant;
}

} // namespace

Error toError(const Failure &failure) {
  Error error = Error::compile(failure.text);
  error.reproducer = failure.reproducer;
  return error;
}

void addKernel(ContentKey &key, const KernelSource &source) {
  key.add(buildId());
  key.add(source.text); // the whole file: functions that the kernel calls are in it, or in these
  key.add(source.imports);
  key.add(source.name);
  key.add(static_cast<uint64_t>(source.line));
}

std::string keyBytes(const BuildTarget &target) {
  std::string bytes = target.chip + (target.assemble ? "" : " ptx") + (target.assertions ? " assertions" : "");
  if (target.host) {
    const HostOptions &host = *target.host;
    bytes += " host";
    bytes += static_cast<char>('0' + host.checkGlobal + 2 * host.checkShared + 4 * host.profile);
  }
  return bytes;
}

Image Variant::image() const {
  Image image{contract.entry, cubin, ptx, host, contract.threads, contract.sharedBytes};
  image.persistent = contract.persistent;
  image.counts = std::ranges::any_of(contract.parameters, [](const EntryParameter &parameter) {
    return parameter.kind == EntryParameter::Kind::Counters;
  });
  image.cooperative = contract.cooperative;
  image.dependent = contract.dependent;
  return image;
}

template <typename T>
std::shared_ptr<VariantCache::Slot<T>> VariantCache::slot(Slots<T> &slots, const std::string &key) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Slot<T>> &slot = slots[key];
  if (!slot) {
    slot = std::make_shared<Slot<T>>();
  }
  return slot;
}

Result<std::shared_ptr<const PreparedKernel>> VariantCache::prepare(const Constants &constants,
                                                                    const Constants &captures) {
  auto entry = slot(prepared_, keyBytes(constants) + keyBytes(captures));
  std::lock_guard lock(entry->mutex);
  if (!entry->value) {
    auto prepared = prepareKernel(source_.unit, source_.name, source_.line, constants, captures);
    if (!prepared) {
      return toError(prepared.failure());
    }
    entry->value = *prepared;
  }
  return entry->value;
}

Result<std::shared_ptr<const Variant>> VariantCache::compile(const VariantRequest &request) {
  auto entry = slot(variants_, keyBytes(request.constants) + keyBytes(request.captures) +
                                   keyBytes(request.specialisation) + keyBytes(request.target));
  std::lock_guard lock(entry->mutex);
  if (!entry->value) {
    auto variant = request.target.host ? buildForHost(request) : build(request);
    if (!variant) {
      return variant.error();
    }
    entry->value = *variant;
  }
  return entry->value;
}

Result<std::shared_ptr<const Variant>> VariantCache::build(const VariantRequest &request) {
  DiskCache disk(DiskCache::settingsFromEnvironment());
  DiskCache::Key key = disk.usable() ? diskKey(source_, request) : DiskCache::Key{};
  if (auto sections = disk.load(key)) {
    if (auto variant = fromDisk(*sections, request)) {
      return std::shared_ptr<const Variant>(std::move(variant));
    }
  }
  auto prepared = prepare(request.constants, request.captures);
  if (!prepared) {
    return prepared.error();
  }
  CompileOptions options;
  options.chip = request.target.chip;
  options.assertions = request.target.assertions;
  options.stopAfter = request.target.assemble ? "cubin" : "ptx";
  auto artifact = compileKernel(**prepared, request.specialisation, options);
  if (!artifact && artifact.failure().kind == Failure::Kind::Tool && request.target.assemble) {
    // No assembler at hand: the driver has one of its own. If the text itself is at fault, it will say so when loading.
    options.stopAfter = "ptx";
    if (auto text = compileKernel(**prepared, request.specialisation, options)) {
      artifact = std::move(text);
    }
  }
  if (!artifact) {
    return toError(artifact.failure());
  }
  disk.store(key, sectionsOf(*artifact));
  auto variant = std::make_shared<Variant>();
  variant->constants = request.constants;
  variant->chip = request.target.chip;
  variant->contract = std::move(artifact->contract);
  variant->resources = artifact->resources;
  variant->cubin = std::move(artifact->cubin);
  variant->ptx = std::move(artifact->ptx);
  return std::shared_ptr<const Variant>(std::move(variant));
}

void VariantCache::keep(const VariantRequest &request, const Artifact &artifact) const {
  DiskCache disk(DiskCache::settingsFromEnvironment());
  if (disk.usable()) {
    disk.store(diskKey(source_, request), sectionsOf(artifact));
  }
}

/// For the simulator: compiled in memory, at tens of milliseconds, and never kept on disk.
Result<std::shared_ptr<const Variant>> VariantCache::buildForHost(const VariantRequest &request) {
  auto prepared = prepare(request.constants, request.captures);
  if (!prepared) {
    return prepared.error();
  }
  CompileOptions options;
  options.chip = request.target.chip;
  options.assertions = request.target.assertions;
  auto calls = host::callSymbols();
  auto kernel =
      compileForHost(**prepared, request.specialisation, options, *request.target.host, {calls.begin(), calls.end()});
  if (!kernel) {
    return toError(kernel.failure());
  }
  auto variant = std::make_shared<Variant>();
  variant->constants = request.constants;
  variant->chip = request.target.chip;
  variant->contract = (*kernel)->contract;
  variant->host = std::move(*kernel);
  return std::shared_ptr<const Variant>(std::move(variant));
}

Result<Function> VariantCache::load(Device &device, const std::shared_ptr<const Variant> &variant) {
  std::pair<const Variant *, int> key{variant.get(), device.ordinal()};
  std::lock_guard lock(mutex_);
  if (auto found = functions_.find(key); found != functions_.end()) {
    return found->second;
  }
  Image image = variant->image();
  if (variant->contract.asserts) {
    image.asserting =
        "kernel `" + source_.name + "` (" + source_.unit->path() + ":" + std::to_string(source_.line) + ")";
  }
  auto function = device.load(image);
  if (!function) {
    return signature_.launchError(nullptr,
                                  "kernel `" + source_.name + "` could not be loaded: " + function.error().text);
  }
  functions_.emplace(key, *function);
  loaded_.push_back(variant);
  return function;
}

std::vector<std::shared_ptr<const Variant>> VariantCache::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Variant>> variants;
  for (const auto &[key, entry] : variants_) {
    // A slot whose value is being made is passed over rather than waited for.
    if (entry->mutex.try_lock()) {
      if (entry->value) {
        variants.push_back(entry->value);
      }
      entry->mutex.unlock();
    }
  }
  return variants;
}

void VariantCache::clear() {
  std::lock_guard lock(mutex_);
  prepared_.clear();
  variants_.clear();
  functions_.clear();
  loaded_.clear();
}

} // namespace phobos::runtime
