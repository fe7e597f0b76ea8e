// Kernels compiled for the host simulator: the same nvvm phase that becomes PTX, through NVVMToHost and LLVM's JIT, as functions to
// call. runtime/host runs them; phobos/host/Abi.h says what they expect. Standard types only; thread-safe.
#pragma once

#include "phobos/Driver/Compiler.h"
#include "phobos/host/Abi.h"

namespace phobos {

/// A place that a call's `site` names.
struct HostSite {
  std::string file; // empty: unknown
  unsigned line = 0, column = 0; // both from 1, the column in characters
  std::string what; // the instruction: "nvvm.ldmatrix", "llvm.load"
};

/// Classes of instructions that a profile tells apart.
enum class InstructionClass : uint8_t { Integer, Float, Convert, Memory, Shared, Warp, Mma, Copy, Barrier, Control };
inline constexpr unsigned kInstructionClasses = 10;

/// What a basic block executes, for a profile: so many of a class at a place.
struct HostBlock {
  struct Entry {
    uint32_t site;
    InstructionClass kind;
    uint32_t count;
  };
  std::vector<Entry> entries;
};

struct HostOptions {
  bool checkGlobal = false; // calls checkGlobal… before each access
  bool checkShared = false; // calls checkShared… likewise
  bool profile = false;     // calls profile…
  int optimise = -1;        // 0: compile fast; 1: a slim pipeline; 2: LLVM's O2. -1: PHOBOS_SIM_OPT, else 1
  // To measure and to test the pass; a simulation has no reason to turn them off.
  bool batch = true;      // gather warp ops into programs
  bool pull = true;       // and the arithmetic between them
  bool threadLoop = true; // loop over threads where none waits
  bool operator==(const HostOptions &) const = default;
};

/// A loaded kernel. Its code is freed with the last owner.
class HostKernel {
public:
  virtual ~HostKernel();

  std::string name;
  host::FiberEntry fiber = nullptr;
  host::LoopEntry loop = nullptr; // null: threads wait for one another, so each needs a fiber
  unsigned staticSharedBytes = 0; // of the module's own arrays; dynamic shared memory begins at dynamicSharedOffset
  unsigned dynamicSharedOffset = 0;
  unsigned threads = 0;           // of a CTA, as the kernel promises (maxntid); 0: unknown
  unsigned cluster[3] = {1, 1, 1};
  uint64_t stackBytes = 0;        // of one thread's deepest frame, without the runtime's own calls
  bool spins = false;             // waits on memory in a loop (grid barriers, locks): all its CTAs must be resident
  bool usesWarps = false, usesWgmma = false, usesBulkCopies = false;
  std::vector<unsigned> parameterBytes; // of each entry parameter; 128 for a tensor map
  std::vector<HostSite> sites;    // [0] is the unknown place
  std::vector<HostBlock> blocks;  // profile: by the number that profileBlock is called with
  KernelContract contract;        // compileForHost only
  std::vector<PhaseTiming> timings;
  unsigned warpPrograms = 0, warpOps = 0;
};

/// Compiles a prepared kernel for options.chip's instructions, to run here. `symbols` has the address of every call of HostCalls.def.
Expected<std::shared_ptr<const HostKernel>> compileForHost(const PreparedKernel &kernel, const Specialisation &specialisation,
                                                           const CompileOptions &options, const HostOptions &host,
                                                           const std::vector<host::Symbol> &symbols);

/// The same for a module in the llvm and nvvm dialects, as text (MLIR): kernels that this compiler did not write. Its only function with
/// nvvm.kernel, or the one named `entry`.
Expected<std::shared_ptr<const HostKernel>> compileModuleForHost(const std::string &mlir, const std::string &entry,
                                                                 const HostOptions &host, const std::vector<host::Symbol> &symbols);

} // namespace phobos
