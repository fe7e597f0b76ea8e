// An entry is the winner's constants, as bytes; it counts if one of the candidates has the same.
#include "phobos/runtime/TuningResults.h"

#include "phobos/runtime/Specialise.h"

namespace phobos::runtime {
namespace {

constexpr std::string_view kEntryKind = "tuned 1"; // no key of a compiled kernel begins so

} // namespace

TuningResult::TuningResult(const KernelSource &source, const Device &device, const std::string &tuningKey,
                           const std::vector<Constants> &candidates)
    : source_(source), device_(device), tuningKey_(tuningKey), candidates_(candidates) {}

DiskCache::Key TuningResult::key() const {
  ContentKey key;
  key.add(kEntryKind);
  addKernel(key, source_);
  key.add(device_.model());
  key.add(tuningKey_);
  for (const Constants &candidate : candidates_) {
    key.add(keyBytes(candidate));
  }
  return key.digest();
}

std::optional<Constants> TuningResult::load() const {
  DiskCache disk(DiskCache::settingsFromEnvironment());
  if (!disk.usable()) {
    return std::nullopt;
  }
  auto sections = disk.load(key());
  if (!sections || sections->size() != 1) {
    return std::nullopt;
  }
  for (const Constants &candidate : candidates_) {
    if (keyBytes(candidate) == sections->front()) {
      return candidate;
    }
  }
  return std::nullopt;
}

void TuningResult::store(const Constants &best) const {
  DiskCache disk(DiskCache::settingsFromEnvironment());
  if (disk.usable()) {
    disk.store(key(), {keyBytes(best)});
  }
}

} // namespace phobos::runtime
