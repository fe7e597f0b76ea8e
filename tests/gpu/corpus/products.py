"""Products of matrices and vectors, and what is fused with them."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

TILE = 32


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def matmul_leaky(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    """A product with a leaky ReLU, its blocks numbered by groups of rows. After Triton's tutorial 03-matrix-multiplication."""
    i, j = ph.std.grouped(ph.ctx.block.x, ph.cdiv(M, TILE), ph.cdiv(N, TILE), 2)
    acc: ph.var[ph.tile[ph.f32][TILE, TILE]] = 0.0
    for k in range(0, K, TILE):
        acc += ph.dot(A[i * TILE : +TILE, k:+TILE], B[k:+TILE, j * TILE : +TILE])
    C[i * TILE : +TILE, j * TILE : +TILE] = ph.std.leaky_relu(acc)


@case(matmul_leaky, (96, 64, 64), (100, 40, 75))
def check_matmul_leaky(given, m, n, k):
    a, b, c = given.normal(m, k, dtype="f16"), given.normal(k, n, dtype="f16"), given.out(m, n, dtype="f16")
    matmul_leaky[cdiv(m, TILE) * cdiv(n, TILE)](a, b, c)
    return [(c, given.torch.nn.functional.leaky_relu(exact(a) @ exact(b)), 1e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def batched_matmul(A: ph.tensor[ph.bf16][B, M, K], W: ph.tensor[ph.bf16][B, K, N], C: ph.tensor[ph.f32][B, M, N]):
    """A product for each of a batch. After Helion's bmm.py."""
    b: ph.let = ph.ctx.block.z
    i: ph.let = ph.ctx.block.x * TILE
    j: ph.let = ph.ctx.block.y * TILE
    acc: ph.var[ph.tile[ph.f32][TILE, TILE]] = 0.0
    for k in range(0, K, TILE):
        acc += ph.dot(A[b, i:+TILE, k:+TILE], W[b, k:+TILE, j:+TILE])
    C[b, i:+TILE, j:+TILE] = acc


@case(batched_matmul, (2, 32, 64, 32), (3, 20, 33, 50))
def check_batched_matmul(given, b, m, n, k):
    x, w, c = given.normal(b, m, k, dtype="bf16"), given.normal(b, k, n, dtype="bf16"), given.out(b, m, n)
    batched_matmul[cdiv(m, TILE), cdiv(n, TILE), b](x, w, c)
    return [(c, exact(x) @ exact(w), 1e-5)]


@ph.kernel
@ph.launch(64)
def split_k(A: ph.tensor[ph.f32][M, K], B: ph.tensor[ph.f32][K, N], C: ph.tensor[ph.f32][M, N], part: ph.i32):
    """A product whose k is divided among blocks that add by atomics. After Helion's matmul_split_k and tilelang's gemm_splitk."""
    i: ph.let = ph.ctx.block.x * 16
    j: ph.let = ph.ctx.block.y * 16
    begin: ph.let = ph.ctx.block.z * part
    acc: ph.var[ph.tile[ph.f32][16, 16]] = 0.0
    for k in range(begin, ph.min(begin + part, K), 16):
        acc += ph.dot(A[i:+16, k:+16], B[k:+16, j:+16])
    ph.atomic_add(C[i:+16, j:+16], acc)


@case(split_k, (16, 32, 128, 64), (17, 20, 150, 32))
def check_split_k(given, m, n, k, part):
    a, b, c = given.normal(m, k), given.normal(k, n), given.zeros(m, n)
    split_k[cdiv(m, 16), cdiv(n, 16), cdiv(k, part)](a, b, c, part)
    return [(c, exact(a) @ exact(b), 1e-5)]


@ph.kernel
@ph.launch(64)
def stream_k(A: ph.tensor[ph.f32][M, K], B: ph.tensor[ph.f32][K, N], C: ph.tensor[ph.f32][M, N]):
    """The turns of all tiles' loops dealt out evenly; a block begins and ends in the middle of tiles. After tilelang's gemm_streamk."""
    turns: ph.let = ph.cdiv(K, 16)
    columns: ph.let = ph.cdiv(N, 16)
    all_turns: ph.let = ph.cdiv(M, 16) * columns * turns
    share: ph.let = ph.cdiv(all_turns, ph.ctx.grid.x)
    turn: ph.var = ph.ctx.block.x * share
    end: ph.let = ph.min(turn + share, all_turns)
    while turn < end:
        tile = turn // turns
        last = ph.min((tile + 1) * turns, end)
        i = tile // columns * 16
        j = tile % columns * 16
        acc: ph.var[ph.tile[ph.f32][16, 16]] = 0.0
        for t in range(turn, last):
            k = (t - tile * turns) * 16
            acc += ph.dot(A[i:+16, k:+16], B[k:+16, j:+16])
        ph.atomic_add(C[i:+16, j:+16], acc)
        turn = last


@case(stream_k, (32, 32, 64, 3), (33, 30, 70, 5))
def check_stream_k(given, m, n, k, blocks):
    a, b, c = given.normal(m, k), given.normal(k, n), given.zeros(m, n)
    stream_k[blocks](a, b, c)
    return [(c, exact(a) @ exact(b), 1e-5)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def linear_gelu(
    x: ph.tensor[ph.f16][M, K],
    w: ph.tensor[ph.f16][N, K],
    bias: ph.tensor[ph.f16][N],
    residual: ph.tensor[ph.f16][M, N],
    y: ph.tensor[ph.f16][M, N],
):
    """gelu(x w.T + bias) + residual. After xFormers' fused linear layer and FlagGems' addmm."""
    i: ph.let = ph.ctx.block.x * TILE
    j: ph.let = ph.ctx.block.y * TILE
    acc: ph.var[ph.tile[ph.f32][TILE, TILE]] = 0.0
    for k in range(0, K, TILE):
        acc += ph.dot_t(x[i:+TILE, k:+TILE], w[j:+TILE, k:+TILE])
    y[i:+TILE, j:+TILE] = ph.std.gelu(acc + bias[j:+TILE]) + residual[i:+TILE, j:+TILE]


@case(linear_gelu, (32, 64, 64), (45, 35, 50))
def check_linear_gelu(given, m, n, k):
    x, w, bias, residual = (given.normal(*s, dtype="f16") for s in ((m, k), (n, k), (n,), (m, n)))
    y = given.out(m, n, dtype="f16")
    linear_gelu[cdiv(m, TILE), cdiv(n, TILE)](x, w, bias, residual, y)
    want = given.torch.nn.functional.gelu(exact(x) @ exact(w).t() + exact(bias)) + exact(residual)
    return [(y, want, 1e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def swiglu_matmul(
    x: ph.tensor[ph.f16][M, K], gate: ph.tensor[ph.f16][K, N], up: ph.tensor[ph.f16][K, N], y: ph.tensor[ph.f16][M, N]
):
    """silu(x gate) (x up), two products in one loop. After Helion's fused_swiglu_gemm.py."""
    i: ph.let = ph.ctx.block.x * TILE
    j: ph.let = ph.ctx.block.y * TILE
    g: ph.var[ph.tile[ph.f32][TILE, TILE]] = 0.0
    u: ph.var[ph.tile[ph.f32][TILE, TILE]] = 0.0
    for k in range(0, K, TILE):
        a = x[i:+TILE, k:+TILE]
        g += ph.dot(a, gate[k:+TILE, j:+TILE])
        u += ph.dot(a, up[k:+TILE, j:+TILE])
    y[i:+TILE, j:+TILE] = ph.std.swiglu(u, g)


@case(swiglu_matmul, (32, 64, 32), (33, 50, 40))
def check_swiglu_matmul(given, m, n, k):
    x, gate, up = (given.normal(*s, dtype="f16") for s in ((m, k), (k, n), (k, n)))
    y = given.out(m, n, dtype="f16")
    swiglu_matmul[cdiv(m, TILE), cdiv(n, TILE)](x, gate, up, y)
    a = exact(x)
    return [(y, given.torch.nn.functional.silu(a @ exact(gate)) * (a @ exact(up)), 1e-3)]


@ph.kernel
@ph.launch(128)
def matvec(A: ph.tensor[ph.f16][M, K], x: ph.tensor[ph.f16][K], y: ph.tensor[ph.f32][M]):
    """A matrix times a vector. After tilelang's gemv example."""
    i: ph.let = ph.ctx.block.x * 16
    acc: ph.var[ph.tile[ph.f32][16, 64]] = 0.0
    for k in range(0, K, 64):
        acc += ph.f32(A[i:+16, k:+64]) * ph.f32(x[k:+64])
    y[i:+16] = ph.sum(acc, axis=1)


@case(matvec, (32, 128), (21, 150))
def check_matvec(given, m, k):
    a, x, y = given.normal(m, k, dtype="f16"), given.normal(k, dtype="f16"), given.out(m)
    matvec[cdiv(m, 16)](a, x, y)
    return [(y, exact(a) @ exact(x), 1e-5)]


@ph.kernel
@ph.launch(128)
def addr(C: ph.tensor[ph.f64][M, N], x: ph.tensor[ph.f64][M], y: ph.tensor[ph.f64][N], beta: ph.f64, alpha: ph.f64):
    """beta C + alpha x y.T in place, in f64. After FlagGems' addr."""
    i: ph.let = ph.ctx.block.x * 16
    j: ph.let = ph.ctx.block.y * 32
    C[i:+16, j:+32] = beta * C[i:+16, j:+32] + alpha * x[i:+16][:, None] * y[j:+32][None, :]


@case(addr, (32, 32), (21, 40))
def check_addr(given, m, n):
    c, x, y = given.normal(m, n, dtype="f64"), given.normal(m, dtype="f64"), given.normal(n, dtype="f64")
    want = given.torch.addr(exact(c), exact(x), exact(y), beta=0.3, alpha=1.7)
    addr[cdiv(m, 16), cdiv(n, 32)](c, x, y, 0.3, 1.7)
    return [(c, want, 1e-14)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
def grouped_matmul(
    A: ph.tensor[ph.f16][T, K],
    W: ph.tensor[ph.f16][G, K, N],
    offsets: ph.tensor[ph.i32][G1],
    C: ph.tensor[ph.f16][T, N],
):
    """Groups of rows, each times a matrix of its own; rows beyond a group are masked. After Triton's tutorial 08-grouped-gemm and Helion's jagged one."""
    g: ph.let = ph.ctx.block.z
    begin: ph.let = offsets[g]
    end: ph.let = offsets[g + 1]
    j: ph.let = ph.ctx.block.y * TILE
    for i in range(begin + ph.ctx.block.x * TILE, end, ph.ctx.grid.x * TILE):
        acc: ph.var[ph.tile[ph.f32][TILE, TILE]] = 0.0
        for k in range(0, K, TILE):
            acc += ph.dot(A[i:+TILE, k:+TILE], W[g, k:+TILE, j:+TILE])
        if i + TILE <= end:
            C[i:+TILE, j:+TILE] = acc
        else:
            # The rows that follow are the next group's.
            for r in range(i, end):
                C[r, j:+TILE] = ph.sum(ph.where((i + ph.iota(TILE))[:, None] == r, acc, 0.0), axis=0)


@case(grouped_matmul, (32, 64, (32, 0, 64)), (40, 50, (7, 33, 1, 45)))
def check_grouped_matmul(given, n, k, rows):
    torch, t = given.torch, sum(rows)
    a, w, c = given.normal(t, k, dtype="f16"), given.normal(len(rows), k, n, dtype="f16"), given.out(t, n, dtype="f16")
    offsets = [sum(rows[:g]) for g in range(len(rows) + 1)]
    grouped_matmul[2, cdiv(n, TILE), len(rows)](a, w, given.array(offsets), c)
    parts = [part @ exact(w)[g] for g, part in enumerate(exact(a).split(rows))]
    return [(c, torch.cat(parts), 1e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def mixture_of_experts(
    x: ph.tensor[ph.f16][T, K],
    W: ph.tensor[ph.f16][E, K, N],
    experts: ph.tensor[ph.i32][T],
    weight: ph.tensor[ph.f32][T],
    y: ph.tensor[ph.f32][T, N],
):
    """Each token times its expert's matrix: a block finds its expert's tokens in a tile, and masks the rest. After vLLM's and tilelang's fused MoE."""
    e: ph.let = ph.ctx.block.z
    i: ph.let = ph.ctx.block.x * TILE
    j: ph.let = ph.ctx.block.y * TILE
    mine = (experts[i:+TILE] == e) & (i + ph.iota(TILE) < T)
    if ph.any(mine):
        acc: ph.var[ph.tile[ph.f32][TILE, TILE]] = 0.0
        for k in range(0, K, TILE):
            acc += ph.dot(x[i:+TILE, k:+TILE], W[e, k:+TILE, j:+TILE])
        ph.atomic_add(y[i:+TILE, j:+TILE], ph.where(mine[:, None], acc * weight[i:+TILE][:, None], 0.0))


@case(mixture_of_experts, (32, 32, 64, 2), (45, 40, 33, 3))
def check_mixture_of_experts(given, t, n, k, e):
    x, w, y = given.normal(t, k, dtype="f16"), given.normal(e, k, n, dtype="f16"), given.zeros(t, n)
    experts, weight = given.integers(0, e, t), given.uniform(t)
    mixture_of_experts[cdiv(t, TILE), cdiv(n, TILE), e](x, w, experts, weight, y)
    want = given.torch.einsum("tk,tkn->tn", exact(x), exact(w)[experts.cpu().long()])
    return [(y, want * exact(weight)[:, None], 1e-5)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def lora(
    x: ph.tensor[ph.f16][M, K],
    w: ph.tensor[ph.f16][K, N],
    a: ph.tensor[ph.f16][K, 16],
    b: ph.tensor[ph.f16][16, N],
    y: ph.tensor[ph.f16][M, N],
    scale: ph.f32,
):
    """x w + scale (x a) b, with the narrow product in registers. After Unsloth's fast_lora."""
    i: ph.let = ph.ctx.block.x * TILE
    j: ph.let = ph.ctx.block.y * TILE
    acc: ph.var[ph.tile[ph.f32][TILE, TILE]] = 0.0
    narrow: ph.var[ph.tile[ph.f32][TILE, 16]] = 0.0
    for k in range(0, K, TILE):
        t = x[i:+TILE, k:+TILE]
        acc += ph.dot(t, w[k:+TILE, j:+TILE])
        narrow += ph.dot(t, a[k:+TILE, 0:+16])
    y[i:+TILE, j:+TILE] = acc + ph.dot(ph.f16(scale * narrow), b[0:+16, j:+TILE])


@case(lora, (32, 32, 64), (33, 50, 70))
def check_lora(given, m, n, k):
    x, w, a, b = (given.normal(*s, dtype="f16") for s in ((m, k), (k, n), (k, 16), (16, n)))
    y = given.out(m, n, dtype="f16")
    lora[cdiv(m, TILE), cdiv(n, TILE)](x, w, a, b, y, 0.5)
    narrow = (0.5 * exact(x) @ exact(a)).half()  # as the kernel rounds it
    return [(y, exact(x) @ exact(w) + exact(narrow) @ exact(b), 4e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def mlp(
    x: ph.tensor[ph.f16][M, 32],
    w1: ph.tensor[ph.f16][32, 64],
    w2: ph.tensor[ph.f16][64, 32],
    w3: ph.tensor[ph.f16][32, 8],
    y: ph.tensor[ph.f32][M, 8],
):
    """A network of three layers, rows of which never leave their block. After Warp's example_tile_mlp.py."""
    i: ph.let = ph.ctx.block.x * 16
    first = ph.max(ph.dot(x[i:+16, :], w1[:, :]), 0)
    second = ph.max(ph.dot(ph.f16(first), w2[:, :]), 0)
    y[i:+16, :] = ph.tanh(ph.dot(ph.f16(second), w3[:, :]))


@case(mlp, (32,), (21,))
def check_mlp(given, m):
    x, w1, w2, w3 = (given.normal(*s, dtype="f16") * 0.25 for s in ((m, 32), (32, 64), (64, 32), (32, 8)))
    y = given.out(m, 8)
    mlp[cdiv(m, 16)](x, w1, w2, w3, y)
    half = lambda t: t.half().double()  # noqa: E731 - as the kernel rounds between its layers
    return [(y, (half((half((exact(x) @ exact(w1)).relu()) @ exact(w2)).relu()) @ exact(w3)).tanh(), 2e-3)]


@ph.kernel
@ph.launch(128)
def pairwise_distance(x: ph.tensor[ph.f32][M, D], y: ph.tensor[ph.f32][N, D], d: ph.tensor[ph.f32][M, N]):
    """Euclidean distances of all pairs of rows, by a product and norms. After KeOps' squared distances and torch's cdist."""
    i: ph.let = ph.ctx.block.x * 32
    j: ph.let = ph.ctx.block.y * 32
    acc: ph.var[ph.tile[ph.f32][32, 32]] = 0.0
    left: ph.var[ph.tile[ph.f32][32]] = 0.0
    right: ph.var[ph.tile[ph.f32][32]] = 0.0
    for k in range(0, D, 16):
        a = x[i:+32, k:+16]
        b = y[j:+32, k:+16]
        acc += ph.dot_t(a, b)
        left += ph.sum(a * a, axis=1)
        right += ph.sum(b * b, axis=1)
    d[i:+32, j:+32] = ph.sqrt(ph.max(left[:, None] + right[None, :] - 2 * acc, 0))


@case(pairwise_distance, (32, 64, 16), (35, 20, 27))
def check_pairwise_distance(given, m, n, d):
    x, y, out = given.normal(m, d), given.normal(n, d), given.out(m, n)
    pairwise_distance[cdiv(m, 32), cdiv(n, 32)](x, y, out)
    return [(out, given.torch.cdist(exact(x), exact(y)), 1e-5)]


@ph.kernel
@ph.launch(128)
def kmeans(
    x: ph.tensor[ph.f32][N, D],
    centres: ph.tensor[ph.f32][K, D],
    label: ph.tensor[ph.i32][N],
    sums: ph.tensor[ph.f32][K, D],
    counts: ph.tensor[ph.i32][K],
):
    """A step of k-means: the nearest centre of each point, and the sums for new centres as a product with one-hot rows. After flash-kmeans."""
    i: ph.let = ph.ctx.block.x * 32
    points = x[i:+32, 0:+16]
    best: ph.var[ph.tile[ph.f32][32]] = float("inf")
    at: ph.var[ph.tile[ph.i32][32]] = 0
    for j in range(0, K, 16):
        c = centres[j:+16, 0:+16]
        distance = ph.sum(c * c, axis=1)[None, :] - 2 * ph.dot_t(points, c)
        distance = ph.where((j + ph.iota(16))[None, :] < K, distance, float("inf"))
        least = ph.min(distance, axis=1)
        at = ph.where(least < best, j + ph.i32(ph.argmin(distance, axis=1)), at)
        best = ph.min(best, least)
    label[i:+32] = at
    for j in range(0, K, 16):
        chosen = ((j + ph.iota(16))[:, None] == at[None, :]) & (i + ph.iota(32) < N)[None, :]
        ph.atomic_add(sums[j:+16, 0:+16], ph.dot(ph.f32(chosen), points))
        ph.atomic_add(counts[j:+16], ph.sum(chosen, axis=1))


@case(kmeans, (64, 16, 16), (75, 9, 21))
def check_kmeans(given, n, d, k):
    x, centres, label = given.normal(n, d), given.normal(k, d), given.out(n, dtype="i32")
    sums, counts = given.zeros(k, d), given.zeros(k, dtype="i32")
    kmeans[cdiv(n, 32)](x, centres, label, sums, counts)
    want = given.torch.cdist(exact(x), exact(centres)).argmin(1)
    hot = given.torch.nn.functional.one_hot(want, k)
    return [(label, want, 0), (sums, hot.double().t() @ exact(x), 1e-5), (counts, hot.sum(0), 0)]
