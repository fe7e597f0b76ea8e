// Machine code as text, through NVIDIA's nvdisasm or cuobjdump where one is found.
#pragma once

#include "phobos/Target/TargetError.h"

#include <string>

namespace phobos::target {

llvm::Expected<std::string> disassemble(llvm::StringRef cubin);

} // namespace phobos::target
