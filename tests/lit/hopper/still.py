# RUN: phobosc %s --kernel plain --arch sm_90a --emit pipelined --remarks 2>&1 | FileCheck %s --check-prefix=PLAIN
# RUN: phobosc %s --kernel roles --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=ROLES
# RUN: phobosc %s --kernel four --arch sm_90a --emit ptx -o %t.ptx && FileCheck %s --check-prefix=FOUR < %t.ptx
# RUN: ptxas -arch=sm_90a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
# REQUIRES: ptxas
# What is the first operand in every turn has a slot of its own where registers are too few for it: with roles the producer brings it, when the block before has read its own.
from __future__ import annotations

import phobos.lang as ph

# PLAIN: remark: {{.*}}the first operand from shared memory, where it stays
# PLAIN: %[[Q:.*]] = dot.alloc {{.*}} : !dot.stage<1 x 64x256xf16
# PLAIN: %[[BAR:.*]] = dot.alloc_barriers {{.*}}count 1 : !dot.barriers<1>
# PLAIN: dot.tma_load %{{.*}} into %[[Q]][%[[ZERO:.*]]] signals %[[BAR]]
# PLAIN: dot.await %[[BAR]][%[[ZERO]]] parity %[[ZERO]]
# PLAIN: scf.for
# PLAIN: dot.wgmma %[[Q]][%[[ZERO]]], %{{.*}}[%{{.*}}], %{{.*}} trans_b


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=2)
def plain(Q: ph.tensor[ph.f16][M, 256], K: ph.tensor[ph.f16][N, 256], O: ph.tensor[ph.f32][M, 256]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 256]] = 0.0
    for k in range(0, N, 32):
        b = K[k:+32, :]
        acc += ph.dot(ph.f16(ph.dot_t(q, b)), b)
    O[row:+64, :] = acc


# Where there is room it has two, and the next block's comes while this one's is read.
# ROLES: %[[Q:.*]] = dot.alloc {{.*}} : !dot.stage<2 x 64x256xf16
# ROLES: dot.specialize producer {
# ROLES: scf.for {{.*}} iter_args({{.*}}, %[[SLOT:[a-z0-9]+]] = %{{.*}}, %[[PHASE:[a-z0-9]+]] = %{{.*}}) -> (index, index, index, index)
# ROLES: %[[OTHER:.*]] = arith.subi %{{.*}}, %[[PHASE]]
# ROLES: dot.await %[[FREE:.*]][%[[SLOT]]] parity %[[OTHER]]
# ROLES: dot.tma_load %{{.*}} into %[[Q]][%[[SLOT]]] signals %[[FULL:.*]] :
# ROLES: scf.for
# ROLES: } consumer {
# ROLES: dot.await %[[FULL]][%[[OWN:.*]]] parity
# ROLES: scf.for
# ROLES: dot.wgmma %[[Q]][%[[OWN]]]
# ROLES: scf.yield
# ROLES: dot.release %[[FREE]][%[[OWN]]]
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=2)
def roles(Q: ph.tensor[ph.f16][M, 256], K: ph.tensor[ph.f16][N, 256], O: ph.tensor[ph.f32][M, 256]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 256]] = 0.0
    for k in range(0, N, 32):
        b = K[k:+32, :]
        acc += ph.dot(ph.f16(ph.dot_t(q, b)), b)
    O[row:+64, :] = acc


# Four warpgroups of consumers beside the producer's: 96 registers a thread at entry, of which they take 112.
# FOUR: .maxntid 640
# FOUR: setmaxnreg.dec.sync.aligned.u32 24
# FOUR: setmaxnreg.inc.sync.aligned.u32 112
# PTXAS-NOT: (C7
@ph.kernel
@ph.launch(512)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=3)
def four(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], V: ph.tensor[ph.f16][N, 64], O: ph.tensor[ph.f16][M, 64]):
    row: ph.let = ph.ctx.block.x * 256
    q: ph.let = Q[row:+256, :]
    acc: ph.var[ph.tile[ph.f32][256, 64]] = 0.0
    for k in range(0, N, 64):
        acc += ph.dot(ph.f16(ph.exp2(ph.dot_t(q, K[k:+64, :]))), V[k:+64, :])
    O[row:+256, :] = acc
