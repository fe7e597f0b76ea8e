// Kernels compiled for the host simulator: the same nvvm phase that becomes PTX, through NVVMToHost and LLVM's JIT, as
// functions to call. runtime/host runs them; phobos/host/Abi.h says what they expect. Standard types only; thread-safe.
#pragma once

#include "phobos/Conversion/HostModule.h"
#include "phobos/Driver/Compiler.h"
#include "phobos/host/Abi.h"

namespace phobos {

/// A loaded kernel. Its code is freed with the last owner.
class HostKernel {
public:
  virtual ~HostKernel();

  /// Exactly one of the two is set. `loop` where no thread waits for another or asks the runtime who it is.
  host::FiberEntry fiber = nullptr;
  host::LoopEntry loop = nullptr;
  HostKernelInfo info;
  uint64_t stackBytes = 0;       // of one thread's deepest frame, without the runtime's own calls
  std::vector<HostSite> sites;   // [0] is the unknown place
  std::vector<HostBlock> blocks; // profile: by the number that profileBlock is called with
  KernelContract contract;       // compileForHost only
  std::vector<PhaseTiming> timings;
};

/// Compiles a prepared kernel for options.chip's instructions, to run here. `symbols` has the address of every call of
/// HostCalls.def.
Expected<std::shared_ptr<const HostKernel>> compileForHost(const PreparedKernel &kernel,
                                                           const Specialisation &specialisation,
                                                           const CompileOptions &options, const HostOptions &host,
                                                           const std::vector<host::Symbol> &symbols);

/// The same for a module in the llvm and nvvm dialects, as text (MLIR): kernels that this compiler did not write. Its
/// only function with nvvm.kernel, or the one named `entry`.
Expected<std::shared_ptr<const HostKernel>> compileModuleForHost(const std::string &mlir, const std::string &entry,
                                                                 const HostOptions &host,
                                                                 const std::vector<host::Symbol> &symbols);

} // namespace phobos
