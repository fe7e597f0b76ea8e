// What the command-line programs need beyond Compiler.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace phobos {

/// "; did you mean 'x'?" for the candidate that is near `name`, or nothing.
std::string didYouMean(std::string_view name, const std::vector<std::string> &candidates);

/// phobos-opt: runs passes on IR, or with --ptx=CHIP turns the nvvm phase into PTX. Returns the exit status.
int optMain(int argc, char **argv);

} // namespace phobos
