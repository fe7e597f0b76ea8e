"""Kernels whose point is how they are scheduled: pipelines, persistent blocks, clusters, launches that overlap, tuned constants."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

TILE = 32


@ph.fn
def product(A, B, row, column, depth, M_TILE, N_TILE):
    acc: ph.var[ph.tile[ph.f32][M_TILE, N_TILE]] = 0.0
    for k in range(0, depth, TILE):
        acc += ph.dot(A[row:+M_TILE, k:+TILE], B[k:+TILE, column:+N_TILE])
    return acc


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.swizzle(2)
@ph.pipeline(stages=3)
def persistent_matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    """A product by blocks that stay and take tile after tile in grouped order. After Triton's tutorial 09-persistent-matmul."""
    i: ph.let = ph.ctx.block.x * TILE
    j: ph.let = ph.ctx.block.y * TILE
    C[i:+TILE, j:+TILE] = product(A, B, i, j, K, TILE, TILE)


@case(persistent_matmul, (128, 64, 96), (99, 70, 129))
def check_persistent_matmul(given, m, n, k):
    a, b, c = given.normal(m, k, dtype="f16"), given.normal(k, n, dtype="f16"), given.out(m, n, dtype="f16")
    persistent_matmul[cdiv(m, TILE), cdiv(n, TILE)](a, b, c)
    return [(c, exact(a) @ exact(b), 1e-3)]


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(TILE_M=[16, 32], TILE_N=[32, 64], stages=[2, 3], threads=[64, 128], when="TILE_M * TILE_N <= 16 * threads")
@ph.tensorcore
def tuned_matmul(A: ph.tensor[ph.bf16][M, K], B: ph.tensor[ph.bf16][K, N], C: ph.tensor[ph.f32][M, N]):
    """A product whose tiles are tuned. After the autotuned kernel of Triton's tutorial 03 and tilelang's example_gemm_autotune.py."""
    i: ph.let = ph.ctx.block.x * TILE_M
    j: ph.let = ph.ctx.block.y * TILE_N
    C[i:+TILE_M, j:+TILE_N] = product(A, B, i, j, K, TILE_M, TILE_N)


@case(tuned_matmul, (64, 64, 64, {}), (45, 70, 50, {"TILE_M": 32}), (33, 40, 35, {"TILE_N": 64, "threads": 128}))
def check_tuned_matmul(given, m, n, k, fixed):
    a, b, c = given.normal(m, k, dtype="bf16"), given.normal(k, n, dtype="bf16"), given.out(m, n)
    grid = lambda meta: (cdiv(meta["M"], meta["TILE_M"]), cdiv(meta["N"], meta["TILE_N"]))  # noqa: E731
    tuned_matmul[grid](a, b, c, **fixed)
    return [(c, exact(a) @ exact(b), 1e-5)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore(f32="tf32x3")
def matmul_f32(A: ph.tensor[ph.f32][M, K], B: ph.tensor[ph.f32][K, N], C: ph.tensor[ph.f32][M, N]):
    """An f32 product as three of tf32, operands in any order of their axes. After Triton's test_dot with input_precision tf32x3."""
    i: ph.let = ph.ctx.block.x * TILE
    j: ph.let = ph.ctx.block.y * TILE
    C[i:+TILE, j:+TILE] = product(A, B, i, j, K, TILE, TILE)


@case(matmul_f32, (64, 32, 64, False, False), (45, 50, 70, True, False), (33, 31, 65, True, True))
def check_matmul_f32(given, m, n, k, turn_a, turn_b):
    a, b, c = given.normal(m, k), given.normal(k, n), given.out(m, n)
    a, b = (x.t().contiguous().t() if turn else x for x, turn in ((a, turn_a), (b, turn_b)))
    matmul_f32[cdiv(m, TILE), cdiv(n, TILE)](a, b, c)
    return [(c, exact(a) @ exact(b), 2e-5)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.cluster(2)
def cluster_matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][N, K], C: ph.tensor[ph.f32][M, N]):
    """Neighbouring blocks that share what they read, a ReLU at the end. After Triton's gluon tutorial 14-multicta."""
    i: ph.let = ph.ctx.block.x * 64
    j: ph.let = ph.ctx.block.y * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot_t(A[i:+64, k:+64], B[j:+64, k:+64])
    C[i:+64, j:+64] = ph.std.relu(acc)


@case(cluster_matmul, (128, 64, 128), (150, 100, 72))
def check_cluster_matmul(given, m, n, k):
    a, b, c = given.normal(m, k, dtype="f16"), given.normal(n, k, dtype="f16"), given.out(m, n)
    cluster_matmul[2 * cdiv(m, 128), cdiv(n, 64)](a, b, c)
    return [(c, (exact(a) @ exact(b).t()).relu(), 1e-5)]


@ph.kernel
@ph.launch(64)
@ph.dependent
def dependent_step(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    """A short kernel of a chain: each starts while the one before it ends. After Triton's tutorial 11-programmatic-dependent-launch."""
    at: ph.let = ph.ctx.block.x * 128
    y[at:+128] = 2 * x[at:+128] + 1


@case(dependent_step, (256,), (300,))
def check_dependent_step(given, n):
    x, y = given.normal(n), given.out(n)
    want = x.clone()
    for _ in range(4):
        dependent_step[cdiv(n, 128)](x, y)
        x, y, want = y, x, 2 * want + 1
    return [(x, want, 1e-6)]


@ph.kernel
@ph.launch(64)
@ph.persistent(order="queue")
def row_sums_by_queue(
    x: ph.tensor[ph.f32][T], starts: ph.tensor[ph.i32][R1], sums: ph.tensor[ph.f32][R], squares: ph.tensor[ph.f32][R]
):
    """Rows of very different lengths, taken one by one by whoever is free. After Helion's jagged_mean.py, with the work queue of persistent Triton kernels."""
    r: ph.let = ph.ctx.block.x
    total: ph.var[ph.tile[ph.f32][64]] = 0.0
    both: ph.var[ph.tile[ph.f32][64]] = 0.0
    end: ph.let = starts[r + 1]
    for t in range(starts[r], end, 64):
        part = ph.where(t + ph.iota(64) < end, x[t:+64], 0.0)
        total += part
        both += part * part
    sums[r] = ph.sum(total)
    squares[r] = ph.sum(both)


@case(row_sums_by_queue, ((64, 128, 64),), ((7, 0, 300, 1, 65, 2),))
def check_row_sums_by_queue(given, lengths):
    r, x = len(lengths), given.normal(sum(lengths))
    starts, sums, squares = given.array([sum(lengths[:i]) for i in range(r + 1)]), given.out(r), given.out(r)
    row_sums_by_queue[r](x, starts, sums, squares)
    parts = exact(x).split(lengths)
    return [
        (got, given.torch.stack([f(p).sum() for p in parts]), 1e-5)
        for got, f in ((sums, lambda p: p), (squares, lambda p: p * p))
    ]


@ph.kernel
@ph.launch(128)
@ph.aligned(N=128)
@ph.persistent
def persistent_layer_norm(
    x: ph.tensor[ph.f16][M, N], w: ph.tensor[ph.f16][N], b: ph.tensor[ph.f16][N], y: ph.tensor[ph.f16][M, N]
):
    """Layer norm by blocks that keep the weights in registers and go from rows to rows. After tritonbench's layer_norm."""
    row: ph.let = ph.ctx.block.x * 4
    y[row:+4, 0:+128] = ph.std.layer_norm(x[row:+4, 0:+128], w[0:+128], b[0:+128])


@case(persistent_layer_norm, (16, 128), (21, 128))
def check_persistent_layer_norm(given, m, n):
    x, w, b, y = (
        given.normal(m, n, dtype="f16"),
        given.normal(n, dtype="f16"),
        given.normal(n, dtype="f16"),
        given.out(m, n, dtype="f16"),
    )
    persistent_layer_norm[cdiv(m, 4)](x, w, b, y)
    return [(y, given.torch.nn.functional.layer_norm(exact(x), (n,), exact(w), exact(b)), 2e-3)]
