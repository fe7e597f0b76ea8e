# RUN: phobosc %s --kernel below --arch sm_90a --emit layout --remarks 2>&1 | FileCheck %s --check-prefix=BELOW
# RUN: phobosc %s --kernel window --arch sm_90a --emit layout | FileCheck %s --check-prefix=WINDOW
# RUN: phobosc %s --kernel unknown --arch sm_90a --emit layout | FileCheck %s --check-prefix=UNKNOWN
# RUN: phobosc %s --kernel below --arch sm_90a --emit dot | FileCheck %s --check-prefix=DOT
# A mask over a product's sums is applied in the turns in which it takes something: by the least and greatest index on either side.
from __future__ import annotations

import phobos.lang as ph

# BELOW: remark: masked only in turns in which the mask takes something
# BELOW: %[[ROW:.*]] = arith.muli
# BELOW: scf.for %[[J:[a-z0-9]+]] =
# BELOW: %[[S:.*]] = dot.contract
# The last column is not behind the first row, and inside.
# BELOW: %[[LAST:.*]] = arith.addi %[[J]], %{{.*}} : index
# BELOW: arith.cmpi sle, %[[LAST]], %[[ROW]] : index
# BELOW: arith.cmpi slt, %[[LAST]], %{{.*}} : index
# BELOW: %[[WHOLE:.*]] = arith.andi
# BELOW: scf.if %[[WHOLE]]
# BELOW-NEXT: scf.yield %[[S]]
# BELOW: else
# BELOW: tile.iota
# BELOW: arith.select
# BELOW-NOT: arith.select

# Around it the product is still wgmma's, and what it masks stays where it lies.
# DOT: dot.wgmma
# DOT: scf.if
# DOT-NOT: tile.relayout
# DOT: } else {
# DOT-NOT: tile.relayout
# DOT: arith.select


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def below(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], O: ph.tensor[ph.f32][M, 64]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    rows: ph.let = (row + ph.iota(64))[:, None]
    most: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for j in range(0, N, 64):
        columns: ph.let = (j + ph.iota(64))[None, :]
        most = ph.max(most, ph.where((columns <= rows) & (columns < N), ph.dot_t(q, K[j:+64, :]), -1.0))
    O[row:+64, :] = most


# WINDOW: scf.for
# WINDOW: %[[DISTANCE:.*]] = arith.subi
# WINDOW: arith.cmpi sgt, %{{.*}}, %[[DISTANCE]] : index
# WINDOW: scf.if
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def window(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], O: ph.tensor[ph.f32][M, 64], width: ph.i32):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    rows: ph.let = (row + ph.iota(64))[:, None]
    most: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for j in range(0, N, 64):
        columns: ph.let = (j + ph.iota(64))[None, :]
        most = ph.max(most, ph.where(columns > rows - N, ph.dot_t(q, K[j:+64, :]), -1.0))
    O[row:+64, :] = most


# What a tensor holds says nothing beforehand.
# UNKNOWN-NOT: scf.if
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def unknown(Q: ph.tensor[ph.f16][M, 64], K: ph.tensor[ph.f16][N, 64], E: ph.tensor[ph.i32][N], O: ph.tensor[ph.f32][M, 64]):
    row: ph.let = ph.ctx.block.x * 64
    q: ph.let = Q[row:+64, :]
    most: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for j in range(0, N, 64):
        most = ph.max(most, ph.where(E[j:+64] > 0, ph.dot_t(q, K[j:+64, :]), -1.0))
    O[row:+64, :] = most
