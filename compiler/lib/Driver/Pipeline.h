// The passes between the tile phase and the nvvm phase, by the phase that they lead to.
#pragma once

#include "phobos/Driver/Phases.h"

#include "mlir/Pass/PassManager.h"

namespace phobos::driver {

/// The phases made by passes on MLIR, in order: tile (clean-up of what IRGen made) to nvvm.
llvm::ArrayRef<Phase> loweringPhases();
/// Adds the passes that lead from the phase before to `phase`.
void addPasses(mlir::OpPassManager &passes, Phase phase);
/// What --print-after takes: the passes' command-line names, in order, each once.
std::vector<std::string> passNames();

} // namespace phobos::driver
