// A kernel in the llvm and nvvm dialects, as text, on the simulator: one that this compiler did not write, or wrote and
// somebody changed. For tests and for looking into lowered code; launches of Python kernels do not come here.
#pragma once

#include "phobos/host/Simulator.h"
#include "phobos/runtime/Result.h"
#include "phobos/runtime/Target.h"

#include <string>
#include <vector>

namespace phobos::runtime {

struct ModuleLaunch {
  std::string mlir;
  std::string entry; // empty: the only kernel
  host::Extent3 grid, block;
  unsigned dynamicSharedBytes = 0;
  std::vector<std::vector<unsigned char>> parameters; // bytes of each; fewer are extended by zeros
  std::vector<host::TensorRange> tensors;             // what pointers among them point to
  SimulatorSettings settings;
};

/// Compiles and runs. A report is an error whose text has the places of the module's locations.
Status simulateModule(const ModuleLaunch &launch);

} // namespace phobos::runtime
