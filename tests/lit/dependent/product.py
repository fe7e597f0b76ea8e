# RUN: phobosc %s --kernel plain --arch sm_90a --emit ptx | FileCheck %s --check-prefixes=BOTH,PLAIN
# RUN: phobosc %s --kernel persistent --arch sm_90a --emit ptx | FileCheck %s --check-prefixes=BOTH,ROLES
# RUN: phobosc %s --kernel persistent --arch sm_80 --emit ptx --remarks 2>&1 | FileCheck %s --check-prefix=OLD
# RUN: phobosc %s --kernel masked --arch sm_90a --emit ptx | FileCheck %s --check-prefix=MASKED
# The next kernel may begin at once; this one sets up its barriers and fetches its tensor maps, and then waits before its first access of
# global memory, the producer and the consumers alike. LLVM, to which the wait touches no memory, has moved nothing across it.
from __future__ import annotations

import phobos.lang as ph

# BOTH: .entry
# BOTH: griddepcontrol.launch_dependents;
# BOTH-NOT: griddepcontrol
# BOTH-NOT: .global
# BOTH: prefetch.tensormap
# BOTH: mbarrier.init
# BOTH-NOT: .global
# BOTH: griddepcontrol.wait;
# PLAIN: cp.async.bulk.tensor.2d.shared::cluster.global
# PLAIN: wgmma
# ROLES: cp.async.bulk.tensor.2d.shared::cluster.global
# ROLES: cp.async.bulk.tensor.2d.global.shared::cta
# BOTH-NOT: griddepcontrol

# OLD: remark: `@ph.dependent` does nothing on sm_80
# OLD: .entry
# OLD-NOT: griddepcontrol

# MASKED: griddepcontrol.launch_dependents;
# MASKED-NOT: {{(ld|st).*global}}
# MASKED: griddepcontrol.wait;
# MASKED: ld.global
# MASKED: st.global


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.dependent
@ph.pipeline(stages=3)
@ph.aligned(M=128, N=128, K=64)
def plain(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 128
    column: ph.let = ph.ctx.block.y * 128
    acc: ph.var[ph.tile[ph.f32][128, 128]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+128, k:+64], B[k:+64, column:+128])
    C[row:+128, column:+128] = acc


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.persistent
@ph.dependent
@ph.pipeline(stages=3)
@ph.aligned(M=128, N=128, K=64)
def persistent(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 128
    column: ph.let = ph.ctx.block.y * 128
    acc: ph.var[ph.tile[ph.f32][128, 128]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+128, k:+64], B[k:+64, column:+128])
    C[row:+128, column:+128] = acc


@ph.kernel
@ph.dependent
def masked(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * 1000
    y[start:+1000] = ph.exp(x[start:+1000])
