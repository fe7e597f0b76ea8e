// The phases by name. Plain data; Phases.def is the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phobos {

enum class Phase : uint8_t {
#define PHOBOS_PHASE(name, suffix, sentence) name,
#include "phobos/Driver/Phases.def"
};

struct PhaseInfo {
  Phase phase;
  const char *name;
  const char *suffix;   // of files, without the dot
  const char *sentence; // for --help
};

/// In order.
const std::vector<PhaseInfo> &phases();
const PhaseInfo &phaseInfo(Phase phase);
std::optional<Phase> findPhase(std::string_view name);
/// "unknown phase 'ptxx'; did you mean 'ptx'? …" with the list.
std::string unknownPhaseMessage(std::string_view name);

} // namespace phobos
