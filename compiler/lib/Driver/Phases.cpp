// The table of phases and look-ups in it.
#include "phobos/Driver/Phases.h"

#include "phobos/Driver/Tools.h"
#include "phobos/Support/Diagnostic.h"

namespace phobos {

const std::vector<PhaseInfo> &phases() {
  static const std::vector<PhaseInfo> table = {
#define PHOBOS_PHASE(name, suffix, sentence) {Phase::name, #name, suffix, sentence},
#include "phobos/Driver/Phases.def"
  };
  return table;
}

const PhaseInfo &phaseInfo(Phase phase) { return phases()[static_cast<size_t>(phase)]; }

std::optional<Phase> findPhase(std::string_view name) {
  for (const PhaseInfo &info : phases()) {
    if (name == info.name) {
      return info.phase;
    }
  }
  return std::nullopt;
}

std::string didYouMean(std::string_view name, const std::vector<std::string> &candidates) {
  llvm::SmallVector<llvm::StringRef> names(candidates.begin(), candidates.end());
  llvm::StringRef nearest = nearestName(name, names);
  return nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?";
}

std::string unknownPhaseMessage(std::string_view name) {
  std::vector<std::string> names;
  for (const PhaseInfo &info : phases()) {
    names.emplace_back(info.name);
  }
  std::string near = didYouMean(name, names);
  return "unknown phase '" + std::string(name) + "'" + near + (near.empty() ? "; phases: " : " Phases: ") +
         llvm::join(names, ", ");
}

} // namespace phobos
