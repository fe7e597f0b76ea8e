// The table of phases and look-ups in it.
#include "phobos/Driver/Phases.h"

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

std::string unknownPhaseMessage(std::string_view name) {
  llvm::SmallVector<llvm::StringRef> names;
  std::string list;
  for (const PhaseInfo &info : phases()) {
    names.push_back(info.name);
    list += (list.empty() ? "" : ", ") + std::string(info.name);
  }
  std::string text = "unknown phase '" + std::string(name) + "'";
  if (llvm::StringRef nearest = nearestName(name, names); !nearest.empty()) {
    return text + "; did you mean '" + nearest.str() + "'? Phases: " + list;
  }
  return text + "; phases: " + list;
}

} // namespace phobos
