// The two tools that turn PTX into a cubin, behind one shape.
#pragma once

#include "phobos/Target/Chip.h"

#include <string>

namespace phobos::target {

struct AssembleResult {
  enum class Status {
    Done,
    Absent,  // the tool is not on this machine
    TooOld,  // the tool does not know this chip or PTX version; a newer one may
    Refused, // it looked at the PTX and said no
  };
  Status status = Status::Absent;
  std::string cubin;
  std::string log; // all that it printed
  std::string tool;
  std::string command; // what to type to see the same
};

AssembleResult assembleWithNvJitLink(llvm::StringRef ptx, const Chip &chip);
AssembleResult assembleWithPtxas(llvm::StringRef ptx, const Chip &chip);

/// Does the log speak of a chip or PTX version that the tool is too old for?
bool saysTooOld(llvm::StringRef log);

} // namespace phobos::target
