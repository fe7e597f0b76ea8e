"""Products of two 16-bit matrices of any shape: whole, persistent, batched, and split along k for matrices too flat to fill a GPU.

ELEMENT is the operands' type; `of("bf16")` is this file with another. (A kernel is compiled from its text, which names its types.)
"""

from __future__ import annotations

import sys

import phobos.lang as ph
import torch
from common import with_element

ELEMENT = ph.f16


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
@ph.swizzle(8)
def matmul(A: ph.tensor[ELEMENT][M, K], B: ph.tensor[ELEMENT][K, N], C: ph.tensor[ELEMENT][M, N]):
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
@ph.swizzle(16)
def matmul_persistent(A: ph.tensor[ELEMENT][M, K], B: ph.tensor[ELEMENT][K, N], C: ph.tensor[ELEMENT][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


@ph.kernel(key=["L", "M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128, 256],
    TILE_N=[64, 128, 256],
    TILE_K=[64],
    stages=[3, 4],
    threads=[128, 256],
    when="64 * threads <= TILE_M * TILE_N and TILE_M * TILE_N <= 128 * threads",
)
@ph.tensorcore
@ph.persistent
def matmul_batched(A: ph.tensor[ELEMENT][L, M, K], B: ph.tensor[ELEMENT][L, K, N], C: ph.tensor[ELEMENT][L, M, N]):
    batch: ph.let = ph.ctx.block.z
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[batch, row:+TILE_M, k:+TILE_K], B[batch, k:+TILE_K, column:+TILE_N])
    C[batch, row:+TILE_M, column:+TILE_N] = acc


# How many parts a product is split into; see examples/tutorials/t09_persistent_matmul.py. Both kernels are dependent: each starts under the
# end of the one before, in a chain of such products also under that of the product before.
SPLITS = (1, 2, 4, 8, 16)
MOST_SPLITS = 16


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 16],
    TILE_N=[64, 128, 256],
    TILE_K=[64, 128],
    SPLITS=[4, 1, 2, 8, 16],
    stages=[4, 6],
    threads=[128, 256],
    when="TILE_M * TILE_N <= 128 * threads and (TILE_M + TILE_N) * TILE_K * stages <= 112 * 1024",
)
@ph.tensorcore
@ph.dependent
def matmul_parts(
    A: ph.tensor[ELEMENT][M, K], B: ph.tensor[ELEMENT][K, N], parts: ph.tensor[ph.f32][MOST_SPLITS, M, N], C: ph.tensor[ELEMENT][M, N]
):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    part: ph.let = ph.ctx.block.z
    depth: ph.let = ph.cdiv(K, TILE_K * SPLITS) * TILE_K
    begin: ph.let = part * depth
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(begin, ph.min(begin + depth, K), TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    if SPLITS == 1:
        C[row:+TILE_M, column:+TILE_N] = acc
    else:
        parts[part, row:+TILE_M, column:+TILE_N] = acc


# One row at a time without tensor cores: for vectors, whose products are a matter of reading B.
@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[1],
    TILE_N=[64, 128, 256, 512],
    TILE_K=[16, 32, 64],
    SPLITS=[4, 1, 2, 8, 16],
    threads=[128, 256],
    when="TILE_K * TILE_N <= 64 * threads and 16 * threads <= TILE_K * TILE_N",
)
@ph.dependent
def vector_parts(
    A: ph.tensor[ELEMENT][M, K], B: ph.tensor[ELEMENT][K, N], parts: ph.tensor[ph.f32][MOST_SPLITS, M, N], C: ph.tensor[ELEMENT][M, N]
):
    row: ph.let = ph.ctx.block.x
    column: ph.let = ph.ctx.block.y * TILE_N
    part: ph.let = ph.ctx.block.z
    depth: ph.let = ph.cdiv(K, TILE_K * SPLITS) * TILE_K
    begin: ph.let = part * depth
    sums: ph.var[ph.tile[ph.f32][TILE_K, TILE_N]] = 0.0
    for k in range(begin, ph.min(begin + depth, K), TILE_K):
        sums += ph.expand(ph.f32(A[row, k:+TILE_K]), 1) * B[k:+TILE_K, column:+TILE_N]
    if SPLITS == 1:
        C[row, column:+TILE_N] = ph.sum(sums, axis=0)
    else:
        parts[part, row, column:+TILE_N] = ph.sum(sums, axis=0)


COLUMNS = 512


@ph.kernel
@ph.launch(128)
@ph.dependent
def add_up(parts: ph.tensor[ph.f32][S, M, N], C: ph.tensor[ELEMENT][M, N]):
    row: ph.let = ph.ctx.block.y
    column: ph.let = ph.ctx.block.x * COLUMNS
    total: ph.var[ph.tile[ph.f32][COLUMNS]] = 0.0
    for part in range(S):
        total += parts[part, row, column:+COLUMNS]
    C[row, column:+COLUMNS] = total


# Matrices whose rows are no multiple of 16 bytes are beyond the copy engine: copies of them, with longer rows, are not.
@ph.kernel(key=["M", "N"])
@ph.autotune(TILE_M=[1, 2, 4, 8], TILE_N=[512, 1024, 2048], threads=[128, 256], when="TILE_M * TILE_N <= 32 * threads")
@ph.dependent
def copy(X: ph.tensor[ELEMENT][M, N], Y: ph.tensor[ELEMENT][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    Y[row:+TILE_M, column:+TILE_N] = X[row:+TILE_M, column:+TILE_N]


def tiles(meta) -> tuple[int, int, int]:
    """The grid of every kernel but `add_up`: a block a tile, in each product of a batch, or in each part."""
    return -(-meta["M"] // meta["TILE_M"]), -(-meta["N"] // meta["TILE_N"]), meta.get("L", meta.get("SPLITS", 1))


def padded(kernel, a, b, c):
    """A function that computes C = A B from copies of A and B whose rows are whole 16 bytes, and the kernel's best constants."""
    copies = [torch.empty((x.shape[0], -(-x.shape[1] // 8) * 8), device=x.device, dtype=x.dtype)[:, : x.shape[1]] for x in (a, b)]

    def compute() -> None:
        copy[tiles](a, copies[0])
        copy[tiles](b, copies[1])
        kernel[tiles](*copies, c)

    compute()
    return compute, kernel.best(*copies, c)


def split(kernel, splits: int, a, b, c):
    """A function that computes C = A B in so many parts by `matmul_parts` or `vector_parts`, and its best constants."""
    parts = torch.empty((MOST_SPLITS, *c.shape), device=c.device, dtype=torch.float32)
    used = parts[:splits]

    def compute() -> None:
        kernel[tiles](a, b, parts, c, SPLITS=splits)
        if splits > 1:
            add_up[lambda meta: (-(-meta["N"] // COLUMNS), meta["M"])](used, c)

    compute()
    return compute, kernel.best(a, b, parts, c, SPLITS=splits)


def of(element: str):
    """This module for operands of another 16-bit type."""
    return sys.modules[__name__] if element == "f16" else with_element("half_kernels", element)
