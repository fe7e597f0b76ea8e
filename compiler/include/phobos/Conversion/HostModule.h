// What NVVMToHost is asked for and what it tells of a kernel, in standard types: the driver and the simulator's runtime
// read it too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phobos {

/// A place that a call's `site` names.
struct HostSite {
  std::string file;              // empty: unknown
  unsigned line = 0, column = 0; // both from 1, the column in characters
  std::string what;              // the instruction: "nvvm.ldmatrix", "llvm.load"
  bool operator==(const HostSite &) const = default;
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

/// A place of a thread loop that accesses global memory; its number is that of its AccessSlot.
struct HostAccess {
  enum class Kind : uint8_t { Load, Store, AtomicLoad, Atomic };
  uint32_t site, bytes;
  Kind kind;
  bool local; // atomic for threads of the block only
};

struct HostOptions {
  bool checkGlobal = false; // calls checkGlobal… before each access, or in a thread loop fills access slots
  bool checkShared = false; // calls checkShared… likewise
  bool profile = false;     // calls profile…
  int optimise = -1;        // 0: compile fast; 1: run fast; 2: LLVM's O2. -1: PHOBOS_SIM_OPT, else 1
  // To measure and to test the pass; a simulation has no reason to turn them off.
  bool batch = true;      // gather warp ops into programs
  bool pull = true;       // and the arithmetic between them
  bool threadLoop = true; // loop over threads where none waits
  bool operator==(const HostOptions &) const = default;
};

/// One kernel of a lowered module.
struct HostKernelInfo {
  std::string name;                 // the kernel's own
  std::string symbol;               // of the function to call
  bool loop = false;                // its entry runs all threads of a CTA: a LoopEntry; else a FiberEntry
  unsigned staticSharedBytes = 0;   // of the module's own arrays
  unsigned dynamicSharedOffset = 0; // where dynamic shared memory begins
  unsigned threads = 0;             // of a CTA, as the kernel promises; 0: unknown
  unsigned cluster[3] = {1, 1, 1};
  bool spins = false; // waits on memory in a loop: all its CTAs must be resident
  bool usesWarps = false, usesWgmma = false, usesBulkCopies = false;
  std::vector<unsigned> parameterBytes; // 128 for a tensor map
  unsigned warpPrograms = 0, warpOps = 0;
  bool dependent = false;           // has griddepcontrol: what it does first may run beside the kernel before it
  bool ordersBlocks = false;        // has fences, or atomics or cluster barriers that order memory
  std::vector<HostAccess> accesses; // of a thread loop with checkGlobal
};

struct HostModuleInfo {
  std::vector<HostKernelInfo> kernels;
  std::vector<HostSite> sites; // [0] is the unknown place
  std::vector<HostBlock> blocks;
};

} // namespace phobos
