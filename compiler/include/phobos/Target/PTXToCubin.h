// From PTX text to a cubin: libnvJitLink in this process where it is found, else ptxas as a process. Resources are read
// back from the cubin. When assembling fails, PTX, command and log are kept in a folder that the error names.
#pragma once

#include "phobos/Driver/Contract.h"
#include "phobos/Target/Chip.h"
#include "phobos/Target/TargetError.h"

#include <future>
#include <string>

namespace phobos::target {

struct CubinOptions {
  const Chip *chip = nullptr;
  std::string entry; // whose resources are wanted
};

struct Cubin {
  std::string bytes;
  Resources resources;
  std::string log;  // warnings and performance advisories, one a line; empty if none
  std::string tool; // "nvJitLink 13.0" or the path of ptxas
};

/// A TargetError of kind Tool where neither tool is there, or where the PTX is refused.
/// PHOBOS_ASSEMBLER=nvjitlink or =ptxas keeps to one of them.
llvm::Expected<Cubin> assemble(llvm::StringRef ptx, const CubinOptions &options);

/// The first assembly of a process pays for loading the library and its tables, 15 to 30 ms. Called before the front
/// end starts, this pays on a thread of its own meanwhile; assemble() waits for it as far as it must. Nothing after the
/// first call, or with PHOBOS_ASSEMBLER=ptxas.
std::future<void> warmAssembler(const Chip &chip);

/// Registers, stack and shared memory of `entry` as the cubin's ELF says. Spills are not in it: 0.
llvm::Expected<Resources> readResources(llvm::StringRef cubin, llvm::StringRef entry, const Chip &chip);

} // namespace phobos::target
