// Where shared memory begins, for what each thread computes of it for itself.
#pragma once

namespace llvm {
class Module;
}

namespace phobos::target {

/// In kernels with wgmma, addresses in shared memory that differ from thread to thread begin with a base that is made
/// in their own block, and all addresses in a nest of loops with one that is made in its outermost turn. The code
/// generator would make it once for all. ptxas may then keep it in one of each thread's own registers, and nothing that
/// is computed of it counts as the same in a warp any more: descriptors of products are brought to the uniform
/// registers word by word, three an instruction, and waits at barriers may as well leave a warp apart.
void localiseAddresses(llvm::Module &module);

} // namespace phobos::target
