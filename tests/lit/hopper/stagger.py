# RUN: phobosc %s --kernel chain --arch sm_90a --emit pipelined --remarks 2>&1 | FileCheck %s --check-prefix=CHAIN
# RUN: phobosc %s --kernel roles --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=ROLES
# RUN: phobosc %s --kernel chain --arch sm_90a --emit nvvm | FileCheck %s --check-prefix=NVVM
# RUN: phobosc %s --kernel chain --arch sm_90a --emit cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS --allow-empty
# RUN: phobosc %s --kernel roles --arch sm_90a --emit cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS --allow-empty
# RUN: phobosc %s --kernel seen --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=SEEN
# A product of what was computed on the sums of another runs in the next turn, beside that turn's first product and under its computations. The
# first turn has none to run; the last one's is made up for behind the loop.
from __future__ import annotations

import phobos.lang as ph

# PTXAS-NOT: C75

# CHAIN: remark: runs in the turn after its own
# CHAIN: scf.if
# CHAIN: dot.wgmma %[[Q:[a-z0-9]+]], %[[K:[a-z0-9]+]][%{{.*}}], %{{.*}} trans_b
# CHAIN: dot.wgmma_wait {{.*}} pending 0 tied
# CHAIN-NOT: dot.wgmma
# CHAIN: arith.truncf
# CHAIN: scf.for
# CHAIN: dot.await %{{.*}}[%[[SLOT:[a-z0-9]+]]]
# CHAIN: %[[S:[a-z0-9]+]] = dot.wgmma %[[Q]], %[[K]][%[[SLOT]]], %{{.*}} trans_b
# CHAIN-NOT: [%[[SLOT]]]
# CHAIN: %[[O:[a-z0-9]+]] = dot.wgmma %[[P:[a-z0-9]+]], %{{.*}}[%{{.*}}], %{{.*}}
# CHAIN: dot.wgmma_wait %[[S]] pending 1 tied
# CHAIN: %[[E:[a-z0-9]+]] = math.exp2 %{{.*}} : tensor<64x64xf32
# CHAIN: %[[NEXT:[a-z0-9]+]], %[[AFTER:[a-z0-9_]+]] = dot.wgmma_join %[[O]] times %{{.*}} computed %[[E]] read %[[P]]
# CHAIN: arith.truncf %[[AFTER]]
# The slot of the turn before is free now.
# CHAIN: dot.barrier
# CHAIN: dot.tma_load
# CHAIN: scf.yield
# CHAIN: dot.wgmma
# CHAIN: dot.wgmma_wait {{.*}} pending 0 tied

# Where a warp has ones alone nothing is multiplied; the wait comes behind the branch.
# NVVM: nvvm.vote.sync
# NVVM-NEXT: llvm.cond_br
# NVVM: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;"
# NVVM: llvm.fmul
# NVVM: llvm.br
# NVVM: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;"


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3)
def chain(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], V: ph.tensor[ph.f16][N, 64], O: ph.tensor[ph.f32][M, 64]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    top: ph.var = ph.full((64, 1), -1e30, ph.f32)
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, N, 64):
        s: ph.let = ph.dot_t(q, K[k:+64, :])
        new: ph.let = ph.max(top, ph.rowmax(s))
        acc = acc * ph.exp2(top - new) + ph.dot(ph.f16(ph.exp2(s - new)), V[k:+64, :])
        top = new
    O[row:+64, :] = acc


# The consumers free a slot a turn after they read it, the last behind the loop. Nothing scales the sums: a branch that is never taken keeps the wait in its place.
# ROLES: } consumer {
# ROLES: scf.for
# ROLES: dot.wgmma_wait {{.*}} pending 0 tied
# ROLES-NOT: dot.release
# ROLES: scf.for
# ROLES: dot.wgmma_wait {{.*}} pending 1 tied
# ROLES: dot.wgmma_join %{{.*}} computed
# ROLES: dot.release
# ROLES: scf.yield
# ROLES: dot.wgmma_wait {{.*}} pending 0 tied
# ROLES: dot.release
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=3)
def roles(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], V: ph.tensor[ph.f16][N, 64], O: ph.tensor[ph.f32][M, 64]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, N, 64):
        s = ph.dot_t(q, K[k:+64, :])
        acc += ph.dot(ph.f16(s * 0.125), V[k:+64, :])
    O[row:+64, :] = acc


# What else in the turn needs the product cannot wait for the next.
# SEEN-NOT: dot.wgmma_join
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3)
def seen(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], V: ph.tensor[ph.f16][N, 64], O: ph.tensor[ph.f32][M, 64]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    most: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, N, 64):
        s = ph.dot_t(q, K[k:+64, :])
        acc += ph.dot(ph.f16(s * 0.125), V[k:+64, :])
        most = ph.max(most, acc)
    O[row:+64, :] = most
