# RUN: phobosc %s --arch sm_80 --debug --emit pipelined --remarks 2>&1 | FileCheck %s
# RUN: phobosc %s --arch sm_75 --debug --emit pipelined --remarks 2>&1 | FileCheck %s
# A loop that speaks is pipelined all the same, and says each line once a turn: the prologue copies and says nothing.
from __future__ import annotations

import phobos.lang as ph

# CHECK: remark: pipelined: 2 stages
# CHECK: tile.kernel @matmul
# CHECK-NOT: tile.print
# CHECK: scf.for %[[K:[a-z0-9]+]] = {{.*}} iter_args(
# CHECK: tile.print "k" at %{{.*}} with %[[K]] : index
# CHECK: dot.mma
# CHECK: tile.print "sums" at %{{.*}} with %{{.*}} : tensor<32x32xf32
# CHECK: tile.assert %{{.*}}, "acc < 1000.0"
# CHECK: scf.yield
# CHECK: tile.print "done"
# CHECK-NOT: tile.print


@ph.kernel
@ph.launch(64)
@ph.tensorcore
def matmul(A: ph.tensor[ph.f16][32, K], B: ph.tensor[ph.f16][K, 32], C: ph.tensor[ph.f32][32, 32]):
    acc: ph.var = ph.zeros((32, 32))
    for k in range(0, K, 32):
        ph.print("k", k)
        acc = ph.dot(A[0:+32, k:+32], B[k:+32, 0:+32], acc)
        ph.print("sums", acc)
        ph.assert_(acc < 1000.0)
    ph.print("done")
    C[:, :] = acc
