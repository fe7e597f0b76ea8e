# RUN: phobosc %s --kernel scalars --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=SCALARS
# RUN: phobosc %s --kernel sums --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=SUMS
# RUN: phobosc %s --kernel scalars --arch sm_90a --emit ptx | ptxas -arch=sm_90a -o %t.cubin -
# REQUIRES: ptxas
# A loop whose products are in flight may print what is its own; one that looks at the sums of the turn before waits for them.
from __future__ import annotations

import phobos.lang as ph

# SCALARS: scf.for
# SCALARS: tile.print "k"
# SCALARS: dot.wgmma
# SCALARS: tile.print "done"

# SUMS: scf.for
# SUMS: tile.print "sums"
# SUMS: dot.wgmma
# SUMS: dot.wgmma_wait {{.*}} pending 0 tied
# SUMS: scf.yield


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def scalars(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    for k in range(0, 256, 64):
        ph.print("k", k)
        acc = ph.dot(A[0:+64, k:+64], B[k:+64, 0:+64], acc)
    ph.print("done", acc)
    C[:, :] = acc


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def sums(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    for k in range(0, 256, 64):
        ph.print("sums", acc)
        acc = ph.dot(A[0:+64, k:+64], B[k:+64, 0:+64], acc)
    C[:, :] = acc
