// Shifts to the right of sums.
#pragma once

namespace llvm {
class Module;
}

namespace phobos::target {

/// `(x + 3) >> 2`, where x is known to be a multiple of four, becomes `x >> 2`, as instcombine would have it of `(x |
/// 3) >> 2` only: what neighbours have in common is then computed once.
void simplifyShiftedSums(llvm::Module &module);

} // namespace phobos::target
