"""Kernels in which what is read or written depends on the data: lookups, histograms, compaction, sorting, ragged rows."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

BLOCK = 64


@ph.kernel
@ph.launch(64)
def embedding(index: ph.tensor[ph.i64][T], table: ph.tensor[ph.f16][V, D], y: ph.tensor[ph.f16][T, D]):
    """Rows of a table, those of the padding index zero. After Liger-Kernel's embedding.py and FlagGems' embedding."""
    t: ph.let = ph.ctx.block.y * 8
    d: ph.let = ph.ctx.block.x * BLOCK
    for r in range(t, ph.min(t + 8, T)):
        row = index[r]
        if row == 0:
            y[r, d:+BLOCK] = ph.zeros((BLOCK,), ph.f16)
        else:
            y[r, d:+BLOCK] = table[row, d:+BLOCK]


@case(embedding, (16, 10, 128), (11, 30, 75))
def check_embedding(given, t, v, d):
    index, table, y = (
        given.integers(0, v, t, dtype="i64"),
        given.normal(v, d, dtype="f16"),
        given.out(t, d, dtype="f16"),
    )
    index[3] = 0
    embedding[cdiv(d, BLOCK), cdiv(t, 8)](index, table, y)
    want = exact(table)[index.cpu()]
    want[index.cpu() == 0] = 0
    return [(y, want, 0)]


@ph.kernel
@ph.launch(64)
def embedding_grad(index: ph.tensor[ph.i32][T], dy: ph.tensor[ph.f16][T, D], grad: ph.tensor[ph.f32][V, D]):
    """Gradients of rows added to the table's by atomics. After Liger-Kernel's embedding.py, backward, and FlagGems' index_add."""
    t: ph.let = ph.ctx.block.x
    for d in range(0, D, BLOCK):
        ph.atomic_add(grad[index[t], d:+BLOCK], ph.f32(dy[t, d:+BLOCK]))


@case(embedding_grad, (32, 5, 64), (21, 9, 90))
def check_embedding_grad(given, t, v, d):
    index, dy, grad = given.integers(0, v, t), given.normal(t, d, dtype="f16"), given.zeros(v, d)
    embedding_grad[t](index, dy, grad)
    return [(grad, given.torch.zeros(v, d).double().index_add(0, index.cpu(), exact(dy)), 1e-5)]


@ph.kernel
@ph.launch(64)
def gather_matvec(
    W: ph.tensor[ph.f32][E, M, K], index: ph.tensor[ph.i32][A], x: ph.tensor[ph.f32][K], y: ph.tensor[ph.f32][A, M]
):
    """Chosen matrices times one vector. After Helion's gather_gemv.py."""
    i: ph.let = ph.ctx.block.x * 16
    a: ph.let = ph.ctx.block.y
    acc: ph.var[ph.tile[ph.f32][16]] = 0.0
    for k in range(0, K, BLOCK):
        acc += ph.sum(W[index[a], i:+16, k:+BLOCK] * x[k:+BLOCK], axis=1)
    y[a, i:+16] = acc


@case(gather_matvec, (4, 32, 64, 2), (5, 21, 90, 3))
def check_gather_matvec(given, e, m, k, a):
    w, index, x, y = given.normal(e, m, k), given.integers(0, e, a), given.normal(k), given.out(a, m)
    gather_matvec[cdiv(m, 16), a](w, index, x, y)
    return [(y, exact(w)[index.cpu().long()] @ exact(x), 1e-5)]


@ph.kernel
@ph.launch(64)
def histogram(x: ph.tensor[ph.f32][N], counts: ph.tensor[ph.i32][BINS], low: ph.f32, high: ph.f32):
    """Counts of values in equal bins: a block's own by comparison, added by atomics. After Triton's test_histogram and torch's histc."""
    at: ph.let = ph.ctx.block.x * BLOCK
    t = x[at:+BLOCK]
    there = (at + ph.iota(BLOCK) < N) & (t >= low) & (t <= high)
    bin = ph.min(ph.i32((t - low) * (BINS / (high - low))), BINS - 1)
    for b in range(0, BINS, 16):
        hit = there[:, None] & (bin[:, None] == b + ph.iota(16)[None, :])
        ph.atomic_add(counts[b:+16], ph.sum(hit, axis=0))


@case(histogram, (256, 16), (1000, 21))
def check_histogram(given, n, bins):
    x, counts = given.uniform(n, low=-1.5, high=1.5), given.zeros(bins, dtype="i32")
    x[3], x[5] = 1, -1  # both ends count
    histogram[cdiv(n, BLOCK)](x, counts, -1.0, 1.0)
    return [(counts, given.torch.histc(x.cpu(), bins, -1, 1).int(), 0)]


@ph.kernel
@ph.launch(64)
def bucketize(x: ph.tensor[ph.f32][N], edges: ph.tensor[ph.f32][E], place: ph.tensor[ph.i32][N]):
    """Where each value belongs among sorted edges: binary searches of all elements at once, by one-hot sums. After torch's bucketize."""
    at: ph.let = ph.ctx.block.x * BLOCK
    t = x[at:+BLOCK][:, None]
    below: ph.var[ph.tile[ph.i32][BLOCK]] = 0
    for e in range(0, E, 32):
        edge = ph.load(edges[e:+32], other=float("inf"))
        below += ph.sum(edge[None, :] < t, axis=1)
    place[at:+BLOCK] = below


@case(bucketize, (128, 32), (150, 45))
def check_bucketize(given, n, e):
    x, edges, place = given.normal(n), given.normal(e).sort().values, given.out(n, dtype="i32")
    x[5] = edges[7]
    bucketize[cdiv(n, BLOCK)](x, edges, place)
    return [(place, given.torch.bucketize(x.cpu(), edges.cpu()).int(), 0)]


@ph.kernel
@ph.launch(64)
def compact(x: ph.tensor[ph.i32][N], kept: ph.tensor[ph.i32][N], count: ph.tensor[ph.i32][1]):
    """The positive elements, close together: places by a running sum, room by an atomic. After Warp's example_tile_stream_compaction.py."""
    at: ph.let = ph.ctx.block.x * BLOCK
    keep = x[at:+BLOCK] > 0
    place = ph.cumsum(keep)
    room = ph.atomic_add(count[0], ph.sum(keep))
    for e in range(BLOCK):
        this = ph.iota(BLOCK) == e
        if ph.any(this & keep):
            kept[room + ph.sum(ph.where(this, place, 0)) - 1] = x[at + e]


@case(compact, (128,), (200,))
def check_compact(given, n):
    x, kept, count = given.integers(-99, 99, n), given.zeros(n, dtype="i32"), given.zeros(1, dtype="i32")
    compact[cdiv(n, BLOCK)](x, kept, count)
    want = x[x > 0].cpu()
    # Blocks come in any order.
    return [
        (count.long().cpu(), given.torch.tensor([len(want)]), 0),
        (kept.cpu()[: len(want)].sort().values, want.sort().values, 0),
    ]


@ph.fn
def compare_and_swap(t, STRIDE, RUN):
    """One step of a bitonic network: pairs that lie STRIDE apart, upwards or downwards by the run that they are in."""
    pairs = ph.transpose(ph.reshape(t, 64 // STRIDE // 2, 2, STRIDE), 0, 2, 1)
    a, b = ph.split(pairs)
    down = (ph.iota(64 // STRIDE // 2) * (2 * STRIDE) // RUN % 2 == 1)[:, None]
    low, high = ph.min(a, b), ph.max(a, b)
    ordered = ph.join(ph.where(down, high, low), ph.where(down, low, high))
    return ph.reshape(ph.transpose(ordered, 0, 2, 1), 64)


@ph.kernel
@ph.launch(64)
def sort(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N]):
    """Rows in ascending order by a bitonic network in registers. After Triton's standard library sort."""
    row: ph.let = ph.ctx.block.x
    t: ph.var = ph.load(x[row, 0:+64], other=float("inf"))
    for run in ph.unroll(1, 7):
        for step in ph.unroll(run):
            t = compare_and_swap(t, 1 << (run - 1 - step), 1 << run)
    y[row, 0:+64] = t


@case(sort, (3, 64), (2, 45))
def check_sort(given, m, n):
    x, y = given.normal(m, n), given.out(m, n)
    sort[m](x, y)
    return [(y, x.cpu().sort(1).values, 0)]


@ph.kernel
@ph.launch(64)
def jagged_softmax(x: ph.tensor[ph.f32][T, D], offsets: ph.tensor[ph.i32][B1], y: ph.tensor[ph.f32][T, D]):
    """Softmax along the rows of each of several matrices of different heights. After Helion's jagged_softmax.py."""
    begin: ph.let = offsets[ph.ctx.block.x]
    end: ph.let = offsets[ph.ctx.block.x + 1]
    d: ph.let = ph.ctx.block.y * 16
    most: ph.var[ph.tile[ph.f32][16]] = -3.0e38
    total: ph.var[ph.tile[ph.f32][16]] = 0.0
    for t in range(begin, end, 8):
        there = (t + ph.iota(8) < end)[:, None]
        part = ph.where(there, x[t:+8, d:+16], -float("inf"))
        m = ph.max(part, axis=0)
        most, total = ph.std.softmax_parts(most, total, m, ph.sum(ph.exp(part - m), axis=0))
    for t in range(begin, end):
        y[t, d:+16] = ph.exp(x[t, d:+16] - most) / total


@case(jagged_softmax, (16, (8, 16)), (21, (3, 0, 1, 19)))
def check_jagged_softmax(given, d, heights):
    t = sum(heights)
    x, y = given.normal(t, d), given.out(t, d)
    offsets = given.array([sum(heights[:b]) for b in range(len(heights) + 1)])
    jagged_softmax[len(heights), cdiv(d, 16)](x, offsets, y)
    return [(y, given.torch.cat([part.softmax(0) for part in exact(x).split(heights)]), 1e-6)]


@ph.kernel
@ph.launch(64)
def jagged_dense_add(
    values: ph.tensor[ph.f32][T],
    offsets: ph.tensor[ph.i32][B1],
    dense: ph.tensor[ph.f32][B, N],
    y: ph.tensor[ph.f32][B, N],
):
    """Rows of different lengths added to a matrix. After Helion's jagged_dense_add.py."""
    b: ph.let = ph.ctx.block.x
    begin: ph.let = offsets[b]
    length: ph.let = offsets[b + 1] - begin
    for j in range(0, N, 32):
        t = ph.where(j + ph.iota(32) < length, values[begin + j : +32], 0.0)
        y[b, j:+32] = dense[b, j:+32] + t


@case(jagged_dense_add, (64, (32, 64)), (45, (7, 0, 45, 33)))
def check_jagged_dense_add(given, n, lengths):
    values, dense, y = given.normal(sum(lengths)), given.normal(len(lengths), n), given.out(len(lengths), n)
    offsets = given.array([sum(lengths[:b]) for b in range(len(lengths) + 1)])
    jagged_dense_add[len(lengths)](values, offsets, dense, y)
    want = dense.clone().cpu()
    for row, part in zip(want, values.cpu().split(lengths)):
        row[: len(part)] += part
    return [(y, want, 0)]


@ph.kernel
@ph.launch(64)
def sparse_matmul(
    starts: ph.tensor[ph.i32][R1],
    columns: ph.tensor[ph.i32][Z],
    values: ph.tensor[ph.f32][Z],
    x: ph.tensor[ph.f32][N, D],
    y: ph.tensor[ph.f32][R, D],
):
    """A sparse matrix by rows (CSR) times a dense one. After DGL's SpMM."""
    r: ph.let = ph.ctx.block.x
    acc: ph.var[ph.tile[ph.f32][BLOCK]] = 0.0
    for z in range(starts[r], starts[r + 1]):
        acc += values[z] * x[columns[z], 0:+BLOCK]
    y[r, 0:+BLOCK] = acc


@case(sparse_matmul, (8, 16, 64), (11, 9, 50))
def check_sparse_matmul(given, r, n, d):
    dense = given.normal(r, n) * (given.uniform(r, n) < 0.3)
    dense[2] = 0
    row, column = dense.cpu().nonzero(as_tuple=True)
    starts = [int((row < i).sum()) for i in range(r + 1)]
    x, y = given.normal(n, d), given.out(r, d)
    sparse_matmul[r](given.array(starts), column.int().cuda(), dense.cpu()[row, column].cuda(), x, y)
    return [(y, exact(dense) @ exact(x), 1e-5)]
