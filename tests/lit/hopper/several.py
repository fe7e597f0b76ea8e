# RUN: phobosc %s --kernel chain --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=CHAIN
# RUN: phobosc %s --kernel roles --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=ROLES
# RUN: phobosc %s --kernel loaded --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=LOADED
# RUN: phobosc %s --kernel chain --arch sm_90a --emit cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS --allow-empty
# RUN: phobosc %s --kernel roles --arch sm_90a --emit cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS --allow-empty
# RUN: phobosc %s --kernel converted --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=CONVERTED
# RUN: phobosc %s --kernel converted --arch sm_90a --emit cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS --allow-empty
# RUN: phobosc %s --kernel rides --arch sm_90a --emit pipelined | FileCheck %s --check-prefix=RIDES
# RUN: phobosc %s --kernel rides --arch sm_90a --emit cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS --allow-empty
# Several products in a loop: all slices of a turn come on one barrier, a product's sums are the next one's operand as they lie, and a
# turn waits for its own products: with two stages all of them (stagger.py has three).
from __future__ import annotations

import phobos.lang as ph

# PTXAS-NOT: C75


# CHAIN: dot.alloc_barriers {{.*}}count 2 : !dot.barriers<2>
# An operand that no turn changes is in its registers from the beginning.
# CHAIN: %[[Q:.*]] = tile.load
# CHAIN-NOT: dot.barrier{{$}}
# CHAIN: scf.for
# The slots of the turn before are free: copies run ahead from the beginning of a turn.
# CHAIN: dot.barrier{{$}}
# CHAIN: dot.tma_load
# CHAIN: dot.tma_load
# CHAIN-NOT: tile.relayout
# CHAIN: dot.await
# CHAIN-NOT: dot.await
# CHAIN: dot.wgmma %[[Q]], %[[K:.*]][%[[SLOT:.*]]], %{{.*}} trans_b
# CHAIN: dot.wgmma_wait {{.*}} pending 0 tied
# CHAIN: %[[P:.*]] = arith.truncf
# CHAIN-NOT: tile.relayout
# CHAIN: dot.wgmma %[[P]], %{{.*}}[%[[SLOT]]], %{{.*}}
# CHAIN: dot.wgmma_wait {{.*}} pending 0 tied
# CHAIN-NEXT: dot.keep %[[Q]]
# CHAIN-NEXT: scf.yield
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=2)
def chain(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], V: ph.tensor[ph.f16][N, 64], O: ph.tensor[ph.f32][M, 64]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, N, 64):
        s = ph.dot_t(q, K[k:+64, :])
        acc += ph.dot(ph.f16(s * 0.125), V[k:+64, :])
    O[row:+64, :] = acc


# A turn of the consumers frees its own slot.
# ROLES: dot.specialize producer {
# ROLES: } consumer {
# ROLES: scf.for
# ROLES: scf.for
# ROLES: dot.await %[[FULL:.*]][%[[SLOT:.*]]] parity
# ROLES: dot.wgmma_wait {{.*}} pending 0 tied
# ROLES: dot.wgmma_wait {{.*}} pending 0 tied
# ROLES: dot.release %{{.*}}[%[[SLOT]]] if %true
# ROLES: scf.yield
# ROLES-NOT: dot.release
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=2)
def roles(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], V: ph.tensor[ph.f16][N, 64], O: ph.tensor[ph.f32][M, 64]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, N, 64):
        s = ph.dot_t(q, K[k:+64, :])
        acc += ph.dot(ph.f16(s * 0.125), V[k:+64, :])
    O[row:+64, :] = acc


# An operand that each turn loads itself would wait for memory: mma.sync's copies run ahead.
# LOADED-NOT: dot.wgmma
# LOADED: dot.mma
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def loaded(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, 256, 64):
        acc += ph.dot(A[0:+64, k:+64] + A[0:+64, 0:+64], B[k:+64, 0:+64])
    C[:, :] = acc


# One that is made of a single slice, by arithmetic on numbers, comes in a slot and is made on its way into registers.
# CONVERTED: %[[BYTES:.*]] = dot.alloc {{.*}} : !dot.stage<3 x 64x64xi8
# CONVERTED: scf.for
# CONVERTED: dot.await
# CONVERTED: %[[SLICE:.*]] = dot.fragment %[[BYTES]][%[[SLOT:.*]]] origin [0, 0] : {{.*}} -> tensor<64x64xi8
# CONVERTED: %[[HALF:.*]] = arith.sitofp %[[SLICE]]
# CONVERTED: %[[SCALED:.*]] = arith.mulf %[[HALF]]
# CONVERTED-NOT: tile.relayout
# CONVERTED: dot.wgmma %[[SCALED]], %{{.*}}[%[[SLOT]]]
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def converted(A: ph.tensor[ph.i8][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][64, 64], scale: ph.f32):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, 256, 64):
        acc += ph.dot(ph.f16(A[0:+64, k:+64]) * ph.f16(scale), B[k:+64, 0:+64])
    C[:, :] = acc


# Sums that nobody in the turn needs are waited for with the next product's.
# RIDES: scf.for
# RIDES: %[[S:.*]] = dot.wgmma
# RIDES-NEXT: dot.wgmma_wait %[[S]] pending 0 tied
# RIDES: %[[SUM:.*]] = dot.wgmma {{.*}} with_next
# RIDES-NOT: dot.wgmma_wait
# RIDES: %[[T:.*]] = dot.wgmma
# RIDES-NEXT: dot.wgmma_wait %[[T]] pending 0 tied
# RIDES: scf.yield %[[SUM]]
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=2)
def rides(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], O: ph.tensor[ph.f32][M, 64], P: ph.tensor[ph.f32][M, 64]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    one: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    two: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, N, 64):
        b = K[k:+64, :]
        s: ph.let = ph.dot_t(q, b)
        one += ph.dot(ph.f16(s), b)
        two += ph.dot(ph.f16(s * s), b)
    O[row:+64, :] = one
    P[row:+64, :] = two
