# RUN: phobosc %s --emit host | FileCheck %s
# RUN: phobosc %s --emit ptx,host -o %t && FileCheck %s < %t.host.mlir && FileCheck %s --check-prefix=PTX < %t.ptx
# If this fails, --emit host shows no program, or asking for it changes what else is made.

import phobos.lang as ph


# CHECK: llvm.func @scale.loop(
# CHECK-NOT: nvvm
# CHECK-NOT: ptr<
# PTX: .visible .entry scale(
@ph.kernel
@ph.launch(64)
def scale(X: ph.tensor[ph.f32][N], s: ph.f32):
    i: ph.let = ph.ctx.block.x
    x: ph.var = X[i * 64:+64]
    X[i * 64:+64] = x * s
