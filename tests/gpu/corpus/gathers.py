"""Kernels that read and write at places that tiles of integers name."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

BLOCK = 64


@ph.kernel
@ph.launch(128)
def embedding_bag(
    index: ph.tensor[ph.i64][T],
    starts: ph.tensor[ph.i32][B1],
    table: ph.tensor[ph.f16][V, D],
    y: ph.tensor[ph.f16][B, D],
):
    """Means of the rows that a bag names. After FBGEMM's table-batched embeddings in Triton."""
    b: ph.let = ph.ctx.block.x
    d: ph.let = ph.ctx.block.y * BLOCK
    end: ph.let = starts[b + 1]
    total: ph.var[ph.tile[ph.f32][BLOCK]] = 0.0
    for t in range(starts[b], end, 8):
        rows = ph.where(t + ph.iota(8) < end, index[t:+8], -1)
        total += ph.sum(ph.f32(table[rows, d:+BLOCK]), axis=0)
    y[b, d:+BLOCK] = total / ph.max(ph.f32(end - starts[b]), 1.0)


@case(embedding_bag, (10, 64, (8, 16)), (30, 75, (3, 0, 11, 1)))
def check_embedding_bag(given, v, d, sizes):
    index, table = given.integers(0, v, sum(sizes), dtype="i64"), given.normal(v, d, dtype="f16")
    starts, y = given.array([sum(sizes[:b]) for b in range(len(sizes) + 1)]), given.out(len(sizes), d, dtype="f16")
    embedding_bag[len(sizes), cdiv(d, BLOCK)](index, starts, table, y)
    want = [part.sum(0) / max(len(part), 1) for part in exact(table)[index.cpu()].split(sizes)]
    return [(y, given.torch.stack(want), 1e-3)]


@ph.kernel
@ph.launch(64)
def take_along(x: ph.tensor[ph.f32][M, N], index: ph.tensor[ph.i32][M, K], y: ph.tensor[ph.f32][M, K]):
    """The elements of each row that indices name. After FlagGems' gather and Triton's test_gather."""
    i: ph.let = ph.ctx.block.x * 8
    j: ph.let = ph.ctx.block.y * 16
    y[i:+8, j:+16] = x[(i + ph.iota(8))[:, None], index[i:+8, j:+16]]


@case(take_along, (16, 32, 16), (11, 7, 21))
def check_take_along(given, m, n, k):
    x, index, y = given.normal(m, n), given.integers(0, n, m, k), given.out(m, k)
    take_along[cdiv(m, 8), cdiv(k, 16)](x, index, y)
    return [(y, x.cpu().gather(1, index.cpu().long()), 0)]


@ph.kernel
@ph.launch(64)
def scatter_add(index: ph.tensor[ph.i32][M, K], x: ph.tensor[ph.f32][M, K], y: ph.tensor[ph.f32][R, K]):
    """Elements added to the rows that indices name, column by column. After PyG's scatter kernels."""
    i: ph.let = ph.ctx.block.x * 8
    j: ph.let = ph.ctx.block.y * 16
    rows = ph.load(index[i:+8, j:+16], other=-1)
    ph.atomic_add(y[rows, (j + ph.iota(16))[None, :]], x[i:+8, j:+16])


@case(scatter_add, (16, 16, 5), (21, 19, 9))
def check_scatter_add(given, m, k, r):
    index, x, y = given.integers(0, r, m, k), given.normal(m, k), given.zeros(r, k)
    scatter_add[cdiv(m, 8), cdiv(k, 16)](index, x, y)
    return [(y, given.torch.zeros(r, k).double().scatter_add(0, index.cpu().long(), exact(x)), 1e-5)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def expert_matmul(
    x: ph.tensor[ph.f16][T, D],
    W: ph.tensor[ph.f16][E, D, N],
    tokens: ph.tensor[ph.i32][P],
    experts: ph.tensor[ph.i32][B],
    weight: ph.tensor[ph.f32][T],
    y: ph.tensor[ph.f16][T, N],
):
    """Tokens in the order of their experts, gathered for a product and scattered after it. After vLLM's fused_moe kernel and Helion's moe_matmul_ogs.py."""
    rows = tokens[ph.ctx.block.x * 16 : +16]  # -1 where an expert's last block is not full
    e: ph.let = experts[ph.ctx.block.x]
    j: ph.let = ph.ctx.block.y * 32
    acc: ph.var[ph.tile[ph.f32][16, 32]] = 0.0
    for d in range(0, D, 32):
        acc += ph.dot(x[rows, d:+32], W[e, d:+32, j:+32])
    y[rows, j:+32] = acc * weight[rows][:, None]


@case(expert_matmul, (32, 64, 32, 2), (45, 40, 50, 3))
def check_expert_matmul(given, t, d, n, e):
    x, w, weight = given.normal(t, d, dtype="f16"), given.normal(e, d, n, dtype="f16"), given.uniform(t)
    of, y = given.integers(0, e, t), given.out(t, n, dtype="f16")
    tokens, experts = [], []
    for expert in range(e):
        mine = of.cpu().eq(expert).nonzero()[:, 0].tolist()
        blocks = cdiv(len(mine), 16)
        tokens += mine + [-1] * (16 * blocks - len(mine))
        experts += [expert] * blocks
    expert_matmul[len(experts), cdiv(n, 32)](x, w, given.array(tokens), given.array(experts), weight, y)
    want = given.torch.einsum("td,tdn->tn", exact(x), exact(w)[of.cpu().long()])
    return [(y, want * exact(weight)[:, None], 2e-3)]


@ph.kernel
@ph.launch(64)
def table_lookup(
    q: ph.tensor[ph.u8][N2], scales: ph.tensor[ph.f32][B], table: ph.tensor[ph.f32][16], y: ph.tensor[ph.bf16][N]
):
    """Codes of four bits looked up in a table. After bitsandbytes' dequantize kernel for NF4 and FP4."""
    b: ph.let = ph.ctx.block.x
    bytes = q[b * 32 : +32]
    codes = ph.reshape(ph.join(bytes >> 4, bytes & 15), 64)
    y[b * 64 : +64] = table[codes] * scales[b]


@case(table_lookup, (256,), (300,))
def check_table_lookup(given, n):
    blocks = cdiv(n, 64)
    q, scales, table = given.integers(0, 256, n // 2, dtype="u8"), given.uniform(blocks), given.normal(16)
    y = given.out(n, dtype="bf16")
    table_lookup[blocks](q, scales, table, y)
    b = q.cpu().long()
    values = exact(table)[given.torch.stack([b >> 4, b & 15], -1).view(-1)]
    return [(y, values * exact(scales).repeat_interleave(64)[:n], 4e-3)]


@ph.kernel
@ph.launch(64)
def compact_by_scatter(x: ph.tensor[ph.i32][N], kept: ph.tensor[ph.i32][N], count: ph.tensor[ph.i32][1]):
    """The positive elements, stored close together at once. After Warp's example_tile_stream_compaction.py and FlagGems' nonzero."""
    t = x[ph.ctx.block.x * BLOCK : +BLOCK]
    keep = t > 0
    place = ph.cumsum(keep)
    room = ph.atomic_add(count[0], ph.sum(keep))
    kept[ph.where(keep, room + place - 1, -1)] = t


@case(compact_by_scatter, (128,), (333,))
def check_compact_by_scatter(given, n):
    x, kept, count = given.integers(-99, 99, n), given.zeros(n, dtype="i32"), given.zeros(1, dtype="i32")
    compact_by_scatter[cdiv(n, BLOCK)](x, kept, count)
    want = x[x > 0].cpu()
    size = given.torch.tensor([len(want)])
    # Blocks come in any order.
    return [
        (count.long(), size, 0),
        (kept.cpu()[: len(want)].sort().values, want.sort().values, 0),
        (kept.cpu()[len(want) :], 0 * x.cpu()[len(want) :], 0),
    ]


@ph.kernel
@ph.launch(64)
def rank_sort(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], order: ph.tensor[ph.i32][N]):
    """A stable sort: each element counts those before it and goes to its place. After CUDA programmers' rank sort; torch's stable sort."""
    i: ph.let = ph.ctx.block.x * 32
    place = i + ph.iota(32)
    t = x[i:+32]
    rank: ph.var[ph.tile[ph.i32][32]] = 0
    for j in range(0, N, 32):
        other = x[j:+32][None, :]
        column = (j + ph.iota(32))[None, :]
        before = (other < t[:, None]) | ((other == t[:, None]) & (column < place[:, None]))
        rank += ph.sum(before & (column < N), axis=1)
    y[ph.where(place < N, rank, -1)] = t
    order[ph.where(place < N, rank, -1)] = ph.i32(place)


@case(rank_sort, (64,), (100,))
def check_rank_sort(given, n):
    x, y, order = given.integers(-9, 9, n).float(), given.out(n), given.out(n, dtype="i32")
    rank_sort[cdiv(n, 32)](x, y, order)
    want = x.cpu().sort(stable=True)
    return [(y, want.values, 0), (order, want.indices, 0)]


@ph.kernel
@ph.launch(128)
def grid_sample(image: ph.tensor[ph.f32][C, H, W], grid: ph.tensor[ph.f32][P, 2], y: ph.tensor[ph.f32][C, P]):
    """A picture between its pixels, by four gathers; outside it is zero. After torch's grid_sample."""
    p: ph.let = ph.ctx.block.x * BLOCK
    across = (grid[p:+BLOCK, 0] + 1) * (0.5 * W) - 0.5
    down = (grid[p:+BLOCK, 1] + 1) * (0.5 * H) - 0.5
    left = ph.floor(across)
    top = ph.floor(down)
    u = across - left
    v = down - top
    j = ph.i32(left)
    i = ph.i32(top)
    for c in range(C):
        upper = (1 - u) * image[c, i, j] + u * image[c, i, j + 1]
        lower = (1 - u) * image[c, i + 1, j] + u * image[c, i + 1, j + 1]
        y[c, p:+BLOCK] = (1 - v) * upper + v * lower


@case(grid_sample, (2, 8, 16, 64), (3, 7, 9, 100))
def check_grid_sample(given, c, h, w, p):
    image, grid, y = given.normal(c, h, w), given.uniform(p, 2, low=-1.2, high=1.2), given.out(c, p)
    grid_sample[cdiv(p, BLOCK)](image, grid, y)
    want = given.torch.nn.functional.grid_sample(exact(image)[None], exact(grid)[None, None], align_corners=False)
    return [(y, want[0, :, 0], 1e-5)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def conv2d_implicit(
    x: ph.tensor[ph.f16][B, H, W, C], w: ph.tensor[ph.f16][RS, C, F], y: ph.tensor[ph.f16][BPQ, F],
    p: ph.i32, q: ph.i32, s: ph.const[ph.i32], stride: ph.i32, padding: ph.i32, dilation: ph.i32,
):  # fmt: skip
    """A convolution of any stride and dilation as a product whose rows are gathered. After Triton's gluon tutorial 13-conv-im2col."""
    place = ph.i32(ph.ctx.block.x * 16 + ph.iota(16))
    b = place // (p * q)
    i = place // q % p * stride - padding
    j = place % q * stride - padding
    acc: ph.var[ph.tile[ph.f32][16, 32]] = 0.0
    for tap in range(RS):
        row = i + tap // s * dilation
        column = j + tap % s * dilation
        for c in range(0, C, 16):
            acc += ph.dot(x[b, row, column, c:+16], w[tap, c:+16, 0:+32])
    y[ph.ctx.block.x * 16 : +16, 0:+32] = acc


@case(conv2d_implicit, (1, 8, 8, 16, 32, 3, 3, 1, 1, 1), (2, 11, 9, 20, 27, 2, 3, 2, 1, 2))
def check_conv2d_implicit(given, b, h, width, c, f, r, s, stride, padding, dilation):
    x, w = given.normal(b, h, width, c, dtype="f16"), given.normal(r, s, c, f, dtype="f16")
    conv = given.torch.nn.functional.conv2d
    want = conv(exact(x).permute(0, 3, 1, 2), exact(w).permute(3, 2, 0, 1), None, stride, padding, dilation).permute(
        0, 2, 3, 1
    )
    p, q = want.shape[1:3]
    y = given.out(b * p * q, f, dtype="f16")
    conv2d_implicit[cdiv(b * p * q, 16)](x, w.view(r * s, c, f), y, p, q, s, stride, padding, dilation)
    return [(y.view(b, p, q, f), want, 1e-3)]


@ph.kernel
@ph.launch(64)
def roll(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N], down: ph.i32, across: ph.i32):
    """A matrix turned round a torus by places modulo its extents. After torch's roll."""
    i: ph.let = ph.ctx.block.x * 8
    j: ph.let = ph.ctx.block.y * 32
    rows = (i + ph.iota(8) - down) % M
    columns = (j + ph.iota(32) - across) % N
    y[i:+8, j:+32] = x[rows[:, None], columns]


@case(roll, (16, 32, 3, -5), (21, 45, -30, 50))
def check_roll(given, m, n, down, across):
    x, y = given.normal(m, n), given.out(m, n)
    roll[cdiv(m, 8), cdiv(n, 32)](x, y, down, across)
    return [(y, x.roll((down, across), (0, 1)), 0)]


@ph.kernel
@ph.launch(64)
def rope_positions(
    q: ph.tensor[ph.f16][T, H, 32],
    place: ph.tensor[ph.i64][T],
    cos: ph.tensor[ph.f32][L, 16],
    sin: ph.tensor[ph.f32][L, 16],
):
    """Rotary embedding in place, angles gathered by the tokens' positions. After vLLM's and SGLang's rotary embedding kernels."""
    t: ph.let = ph.ctx.block.x * 8
    h: ph.let = ph.ctx.block.y
    at = place[t:+8]
    c, s = cos[at, :], sin[at, :]
    low, high = ph.f32(q[t:+8, h, 0:+16]), ph.f32(q[t:+8, h, 16:+16])
    q[t:+8, h, 0:+16] = low * c - high * s
    q[t:+8, h, 16:+16] = high * c + low * s


@case(rope_positions, (16, 2, 32), (21, 3, 50))
def check_rope_positions(given, t, h, length):
    q, place, angle = (
        given.normal(t, h, 32, dtype="f16"),
        given.integers(0, length, t, dtype="i64"),
        given.uniform(length, 16, high=6.0),
    )
    wide, a = exact(q), exact(angle)[place.cpu()][:, None]
    rope_positions[cdiv(t, 8), h](q, place, angle.cos(), angle.sin())
    low, high = wide.split(16, 2)
    return [(q, given.torch.cat([low * a.cos() - high * a.sin(), high * a.cos() + low * a.sin()], 2), 1e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def chosen_attention(
    Q: ph.tensor[ph.f16][T, 16, 32],
    K: ph.tensor[ph.f16][N, 32],
    V: ph.tensor[ph.f16][N, 32],
    chosen: ph.tensor[ph.i32][T, C],
    O: ph.tensor[ph.f16][T, 16, 32],
):
    """Each token's heads look at keys of its own choice, -1 for none. After tilelang's sparse_mla and native sparse attention in flash-linear-attention."""
    t: ph.let = ph.ctx.block.x
    q = Q[t, :, :]
    most: ph.var[ph.tile[ph.f32][16, 1]] = -3.0e38
    total: ph.var[ph.tile[ph.f32][16, 1]] = 0.0
    acc: ph.var[ph.tile[ph.f32][16, 32]] = 0.0
    for c in range(0, C, 16):
        rows = ph.load(chosen[t, c:+16], other=-1)
        s = ph.where((rows >= 0)[None, :], ph.dot_t(q, K[rows, :]) * 0.17677669529663687, -float("inf"))
        new = ph.max(most, ph.rowmax(s))
        p = ph.exp(s - new)
        fade = ph.exp(most - new)
        total = total * fade + ph.rowsum(p)
        acc = acc * fade + ph.dot(ph.f16(p), V[rows, :])
        most = new
    O[t, :, :] = acc / total


@case(chosen_attention, (4, 64, 32), (5, 40, 27))
def check_chosen_attention(given, t, n, c):
    q, k, v = given.normal(t, 16, 32, dtype="f16"), given.normal(n, 32, dtype="f16"), given.normal(n, 32, dtype="f16")
    chosen, o = given.torch.stack([given.permutation(n)[:c] for _ in range(t)]), given.out(t, 16, 32, dtype="f16")
    chosen[:, 5::7] = -1
    chosen_attention[t](q, k, v, chosen, o)
    rows = chosen.cpu().long()
    s = exact(q) @ exact(k)[rows].transpose(1, 2) * 32**-0.5
    p = s.masked_fill((rows < 0)[:, None], -float("inf")).softmax(-1)
    return [(o, p @ exact(v)[rows], 1e-3)]
