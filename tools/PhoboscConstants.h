// Values for a kernel's constants: those of -D, and the first candidates that its `when` allows.
#pragma once

#include "PhoboscArguments.h"

namespace phobosc {

struct ChosenConstants {
  phobos::Constants constants; // tuned, const parameters
  phobos::Constants captures;
};

/// The constants, or the status to exit with after a message.
struct Choice {
  std::optional<ChosenConstants> chosen;
  int status = kSuccess;
};
Choice chooseConstants(const phobos::SourceUnit &unit, const phobos::KernelInfo &kernel, const Arguments &arguments);

} // namespace phobosc
