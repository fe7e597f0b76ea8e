// Entry points of the command-line programs that need more than Compiler.h: their main() is one call.
#pragma once

namespace phobos {

/// phobos-opt: runs passes on IR, or with --ptx=CHIP turns the nvvm phase into PTX. Returns the exit status.
int optMain(int argc, char **argv);

} // namespace phobos
