"""The kernels of the benchmarks: a matrix product in grouped order with a space to tune, on tensor cores (also persistent) and without."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128, 256],
    TILE_N=[64, 128, 256],
    TILE_K=[32, 64, 128],
    stages=[3, 4],
    threads=[128, 256],
    when="64 * threads <= TILE_M * TILE_N and TILE_M * TILE_N <= 128 * threads and (TILE_M + TILE_N) * TILE_K * stages <= 112 * 1024",
)
@ph.tensorcore
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(8)
def matmul_f16(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(TILE_M=[128, 256], TILE_N=[128, 256], TILE_K=[64], stages=[3, 4], threads=[256], when="TILE_M * TILE_N <= 32768")
@ph.tensorcore
@ph.persistent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(16)
def matmul_f16_persistent(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(TILE_M=[128, 256], TILE_N=[128, 256], TILE_K=[64], stages=[3, 4], threads=[256], when="TILE_M * TILE_N <= 32768")
@ph.tensorcore
@ph.persistent
@ph.dependent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(16)
def matmul_f16_dependent(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(TILE_M=[64, 128], TILE_N=[64, 128, 256], TILE_K=[64, 128], stages=[3, 4], threads=[128, 256],
    when="64 * threads <= TILE_M * TILE_N and TILE_M * TILE_N <= 128 * threads and (TILE_M + TILE_N) * TILE_K * stages <= 112 * 1024",
)  # fmt: skip
@ph.tensorcore
@ph.dependent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(8)
def matmul_f16_small_dependent(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[128, 256], TILE_N=[128, 256], TILE_K=[32, 64], stages=[2, 3, 4], threads=[256],
    when="TILE_M * TILE_N <= 32768 and 96 <= TILE_K * stages <= 128",
)  # fmt: skip
@ph.tensorcore(f32="tf32")
@ph.persistent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(16)
def matmul_tf32(A: ph.tensor[ph.f32][M, K], B: ph.tensor[ph.f32][N, K], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0
    for k in range(0, K, TILE_K):
        acc += ph.dot_t(A[row:+TILE_M, k:+TILE_K], B[column:+TILE_N, k:+TILE_K])
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(TILE_M=[128, 256], TILE_N=[128, 256], TILE_K=[128], stages=[3, 4], threads=[256], when="TILE_M * TILE_N <= 32768")
@ph.tensorcore
@ph.persistent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(16)
def matmul_i8(A: ph.tensor[ph.i8][M, K], B: ph.tensor[ph.i8][N, K], C: ph.tensor[ph.i32][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.i32][TILE_M, TILE_N]] = 0
    for k in range(0, K, TILE_K):
        acc += ph.dot_t(A[row:+TILE_M, k:+TILE_K], B[column:+TILE_N, k:+TILE_K])
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(TILE_M=[128, 256], TILE_N=[128, 256], TILE_K=[128], stages=[3, 4], threads=[256], when="TILE_M * TILE_N <= 32768")
@ph.tensorcore
@ph.persistent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(16)
def matmul_f8(A: ph.tensor[ph.f8e4m3][M, K], B: ph.tensor[ph.f8e4m3][N, K], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot_t(A[row:+TILE_M, k:+TILE_K], B[column:+TILE_N, k:+TILE_K])
    C[row:+TILE_M, column:+TILE_N] = acc


# Tensor cores keep few bits of the sums of 8-bit products: every few steps they are added to sums of whole f32.
@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128], TILE_N=[128, 256], TILE_K=[128], STEPS=[4], stages=[3, 4, 6], threads=[128, 256], when="TILE_M * TILE_N == 64 * threads"
)
@ph.tensorcore
@ph.persistent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(16)
def matmul_f8_promoted(A: ph.tensor[ph.f8e4m3][M, K], B: ph.tensor[ph.f8e4m3][N, K], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for start in range(0, K, TILE_K * STEPS):
        part: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
        for k in range(start, start + TILE_K * STEPS, TILE_K):
            part += ph.dot_t(A[row:+TILE_M, k:+TILE_K], B[column:+TILE_N, k:+TILE_K])
        acc += part
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128], TILE_N=[64, 128, 256], TILE_K=[16, 32], stages=[2, 3, 4], threads=[128, 256],
    when="64 * threads <= TILE_M * TILE_N <= 128 * threads and (TILE_M + TILE_N) * TILE_K * stages <= 56 * 1024",
)  # fmt: skip
@ph.tensorcore(f32="tf32x3")
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(8)
def matmul_tf32x3(A: ph.tensor[ph.f32][M, K], B: ph.tensor[ph.f32][K, N], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128], TILE_N=[64, 128, 256], TILE_K=[16, 32], stages=[2, 3, 4], threads=[128, 256],
    when="64 * threads <= TILE_M * TILE_N <= 128 * threads and (TILE_M + TILE_N) * TILE_K * stages <= 56 * 1024",
)  # fmt: skip
@ph.tensorcore(f32="bf16x3")
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(8)
def matmul_bf16x3(A: ph.tensor[ph.f32][M, K], B: ph.tensor[ph.f32][K, N], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128, 256],
    TILE_N=[64, 128, 256],
    TILE_K=[8, 16],
    stages=[2, 3],
    threads=[128, 256],
    when="64 * threads <= TILE_M * TILE_N and TILE_M * TILE_N <= 128 * threads",
)
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(8)
def matmul_f32(A: ph.tensor[ph.f32][M, K], B: ph.tensor[ph.f32][K, N], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


def blocks(meta) -> tuple[int, int]:
    """The grid of either kernel: one block a tile of C."""
    return meta["M"] // meta["TILE_M"], meta["N"] // meta["TILE_N"]
