// Casts of floats to integers that truncate, saturate and make NaN 0, by the chip's own instruction.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace phobos::target {

/// Replaces every scalar llvm.fptosi.sat and llvm.fptoui.sat to 8, 16, 32 or 64 bits. Runs last: the generic
/// intrinsic is what LLVM's passes fold and what the host executes.
void useSaturatingInstructions(llvm::Module &module);

} // namespace phobos::target
