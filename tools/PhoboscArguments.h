// phobosc's command line, read by the table in Options.def.
#pragma once

#include "phobos/Driver/Compiler.h"
#include "phobos/Driver/Phases.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace phobosc {

// Exit statuses; build systems tell by them.
inline constexpr int kSuccess = 0;
inline constexpr int kUserError = 1;     // the kernel, or a file that cannot be read or written
inline constexpr int kUsageError = 2;    // the command line
inline constexpr int kInternalError = 3; // the compiler, or a tool that it needs

struct Arguments {
  std::string file;
  std::string kernel;
  std::string chip = "sm_80";
  std::vector<std::pair<std::string, std::string>> definitions; // -D, as written
  std::vector<phobos::Phase> emit;                              // in order, as written
  std::string output;
  std::vector<std::string> printAfter;
  bool debug = false, noStd = false, list = false, verify = false, timePasses = false, remarks = false,
       resources = false;
};

/// The arguments, or the status to exit with: after --help and --version, or after a message on standard error.
struct Parsed {
  std::optional<Arguments> arguments;
  int status = kSuccess;
};
Parsed parseArguments(int argc, char **argv);

/// "error: …" and where to look it up; kUsageError.
int usageError(const std::string &message);
/// Prints why a compile failed; the status to exit with.
int report(const phobos::Failure &failure);
std::string join(const std::vector<std::string> &items, const char *separator);

} // namespace phobosc
