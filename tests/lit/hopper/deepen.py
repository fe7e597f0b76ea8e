# RUN: phobosc %s --kernel deepened --arch sm_90a --emit layout --remarks 2>&1 | FileCheck %s --check-prefix=DEEPENED
# RUN: phobosc %s --kernel partly --arch sm_90a --emit layout | FileCheck %s --check-prefix=PARTLY
# RUN: phobosc %s --kernel given --arch sm_90a --emit layout | FileCheck %s --check-prefix=GIVEN
# RUN: phobosc %s --kernel enough --arch sm_90a --emit layout | FileCheck %s --check-prefix=ENOUGH
# RUN: phobosc %s --kernel deepened --arch sm_80 --emit layout | FileCheck %s --check-prefix=ELSEWHERE
# Short rows of shared memory become long ones by deeper turns, where what a last turn takes more is zeros.
from __future__ import annotations

import phobos.lang as ph


# DEEPENED: deepen.py:[[@LINE+13]]:5: remark: turns of 64 along k in place of 16: rows of shared memory are then 128 bytes long
# DEEPENED: scf.for {{.*}} step %c64
# DEEPENED: tile.load %{{.*}} -> tensor<64x64xf16
# DEEPENED: tile.load %{{.*}} -> tensor<64x128xf16
# ELSEWHERE: scf.for {{.*}} step %c16
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.aligned(N=128, K=16)
def deepened(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 64
    column: ph.let = ph.ctx.block.y * 128
    acc: ph.var[ph.tile[ph.f32][64, 128]] = 0
    for k in range(0, K, 16):
        acc += ph.dot(A[row:+64, k:+16], B[k:+16, column:+128])
    C[row:+64, column:+128] = acc


# A loop that does not go to the end.
# PARTLY: scf.for {{.*}} step %c32
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def partly(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f16][64, 64]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 224, 32):
        acc += ph.dot(A[0:+64, k:+32], B[k:+32, 0:+64])
    C[:, :] = acc


# Stages are counted in the kernel's turns.
# GIVEN: scf.for {{.*}} step %c32
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=4)
def given(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f16][64, 64]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 256, 32):
        acc += ph.dot(A[0:+64, k:+32], B[k:+32, 0:+64])
    C[:, :] = acc


# Rows that are long enough.
# ENOUGH: scf.for {{.*}} step %c64
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def enough(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f16][64, 64]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 256, 64):
        acc += ph.dot(A[0:+64, k:+64], B[k:+64, 0:+64])
    C[:, :] = acc
