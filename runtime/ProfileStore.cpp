// Counts of places and blocks, gathered by line.
#include "phobos/runtime/ProfileStore.h"

#include <map>
#include <mutex>
#include <tuple>

namespace phobos::runtime {
namespace {

using Key = std::tuple<std::string, std::string, unsigned>;

struct Store {
  std::mutex mutex;
  std::map<Key, ProfileLine> lines;
};

Store &store() {
  static Store &value = *new Store;
  return value;
}

} // namespace

void addProfile(const std::string &kernel, const std::vector<HostSite> &sites, const std::vector<HostBlock> &blocks,
                const host::Profile &profile) {
  Store &s = store();
  std::lock_guard lock(s.mutex);
  auto lineOf = [&](size_t site) -> ProfileLine & {
    const HostSite unknown, &place = site < sites.size() ? sites[site] : unknown;
    ProfileLine &line = s.lines[Key(kernel, place.file, place.line)];
    line.kernel = kernel;
    line.file = place.file;
    line.line = place.line;
    return line;
  };
  for (size_t i = 0; i < profile.sites.size(); ++i) {
    ProfileLine &line = lineOf(i);
    line.counts += profile.sites[i];
    for (size_t kind = 0; kind < kInstructionClasses; ++kind) {
      line.instructions[kind] += profile.sites[i].instructions[kind];
    }
  }
  for (size_t i = 0; i < profile.blocks.size() && i < blocks.size(); ++i) {
    for (const HostBlock::Entry &entry : blocks[i].entries) {
      lineOf(entry.site).instructions[static_cast<size_t>(entry.kind)] += profile.blocks[i] * entry.count;
    }
  }
}

std::vector<ProfileLine> takeProfile() {
  Store &s = store();
  std::lock_guard lock(s.mutex);
  std::vector<ProfileLine> lines;
  for (auto &[key, line] : s.lines) {
    bool any = line.counts.globalAccesses || line.counts.sharedAccesses || line.counts.barriers;
    for (uint64_t count : line.instructions) {
      any |= count != 0;
    }
    if (any) {
      lines.push_back(std::move(line));
    }
  }
  s.lines.clear();
  return lines;
}

const std::array<const char *, kInstructionClasses> &instructionClassNames() {
  // In the order of InstructionClass.
  static const std::array<const char *, kInstructionClasses> kNames = {
      "integer", "float", "convert", "memory", "shared", "warp", "mma", "copy", "barrier", "control"};
  return kNames;
}

} // namespace phobos::runtime
