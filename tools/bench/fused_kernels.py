"""Persistent products of f16 with what often follows one, and a batch of them: each with a space to tune."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel(key=["L", "M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128, 256], TILE_N=[64, 128, 256], TILE_K=[64], stages=[3, 4], threads=[128, 256],
    when="64 * threads <= TILE_M * TILE_N and TILE_M * TILE_N <= 128 * threads",
)  # fmt: skip
@ph.tensorcore
@ph.persistent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(16)
def matmul_f16_batched(A: ph.tensor[ph.f16][L, M, K], B: ph.tensor[ph.f16][L, K, N], C: ph.tensor[ph.f16][L, M, N]):
    i: ph.let = ph.ctx.block.z
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[i, row:+TILE_M, k:+TILE_K], B[i, k:+TILE_K, column:+TILE_N])
    C[i, row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128, 256], TILE_N=[64, 128, 256], TILE_K=[64], stages=[3, 4], threads=[128, 256],
    when="64 * threads <= TILE_M * TILE_N and TILE_M * TILE_N <= 128 * threads",
)  # fmt: skip
@ph.tensorcore
@ph.persistent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(16)
def matmul_f16_bias_gelu(
    A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], bias: ph.tensor[ph.f16][N], C: ph.tensor[ph.f16][M, N]
):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    x: ph.let = acc + bias[column:+TILE_N]
    C[row:+TILE_M, column:+TILE_N] = 0.5 * x * (1.0 + ph.erf(x * 0.7071067811865476))


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128, 256], TILE_N=[64, 128, 256], TILE_K=[64], stages=[3, 4], threads=[128, 256],
    when="64 * threads <= TILE_M * TILE_N and TILE_M * TILE_N <= 128 * threads",
)  # fmt: skip
@ph.tensorcore
@ph.persistent
@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")
@ph.swizzle(16)
def matmul_f16_residual(
    A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], R: ph.tensor[ph.f16][M, N], C: ph.tensor[ph.f16][M, N]
):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc + R[row:+TILE_M, column:+TILE_N]


def blocks(meta) -> tuple[int, int, int]:
    """The grid of each: one block a tile of C, in each product of the batch."""
    return meta["M"] // meta["TILE_M"], meta["N"] // meta["TILE_N"], meta.get("L", 1)
