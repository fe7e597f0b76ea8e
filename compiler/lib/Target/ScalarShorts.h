// Integer arithmetic on pairs of 16 bits, one by one.
#pragma once

namespace llvm {
class Module;
}

namespace phobos::target {

/// Takes apart integer arithmetic on <2 x i16>: what the code generator makes of it on sm_90 (`add.s16x2`) ptxas gets
/// wrong.
void splitShortPairs(llvm::Module &module);

} // namespace phobos::target
