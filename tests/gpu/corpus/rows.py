"""Kernels that reduce rows, or channels, and use the result: softmax, norms and their gradients, the greatest element."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

ROWS, COLUMNS = 4, 128  # of a tile, which is at least as long as a row


@ph.kernel
@ph.launch(128)
def softmax(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N]):
    """Softmax of rows that fit a tile. After Triton's tutorial 02-fused-softmax."""
    row: ph.let = ph.ctx.block.x * ROWS
    t = ph.load(x[row:+ROWS, 0:+COLUMNS], other=-float("inf"))
    e = ph.exp(t - ph.rowmax(t))
    y[row:+ROWS, 0:+COLUMNS] = e / ph.rowsum(e)


@case(softmax, (8, 128), (5, 100), (1, 1))
def check_softmax(given, m, n):
    x, y = 30 * given.normal(m, n) + 100, given.out(m, n)  # exp(x) itself would overflow
    softmax[cdiv(m, ROWS)](x, y)
    return [(y, exact(x).softmax(1), 1e-6)]


@ph.kernel
@ph.launch(64)
def softmax_two_pass(x: ph.tensor[ph.f16][M, N], y: ph.tensor[ph.f16][M, N]):
    """Softmax of long rows: greatest and sum in one walk, the values in another. After Helion's softmax_two_pass."""
    row: ph.let = ph.ctx.block.x
    most: ph.var = -3.0e38
    total: ph.var = 0.0
    for column in range(0, N, 128):
        t = ph.f32(ph.load(x[row, column:+128], other=-float("inf")))
        new = ph.max(most, ph.max(t))
        total = total * ph.exp(most - new) + ph.sum(ph.exp(t - new))
        most = new
    for column in range(0, N, 128):
        y[row, column:+128] = ph.exp(ph.f32(x[row, column:+128]) - most) / total


@case(softmax_two_pass, (2, 512), (3, 401))
def check_softmax_two_pass(given, m, n):
    x, y = given.normal(m, n, dtype="f16"), given.out(m, n, dtype="f16")
    softmax_two_pass[m](x, y)
    return [(y, exact(x).softmax(1), 1e-4)]


@ph.kernel
@ph.launch(128)
def softmax_grad(y: ph.tensor[ph.f32][M, N], dy: ph.tensor[ph.f32][M, N], dx: ph.tensor[ph.f32][M, N]):
    """The gradient of softmax from its result. After FlagGems' softmax, backward kernel."""
    row: ph.let = ph.ctx.block.x * ROWS
    p = y[row:+ROWS, 0:+COLUMNS]
    d = dy[row:+ROWS, 0:+COLUMNS]
    dx[row:+ROWS, 0:+COLUMNS] = p * (d - ph.sum(p * d, axis=1, keepdims=True))


@case(softmax_grad, (4, 128), (7, 99))
def check_softmax_grad(given, m, n):
    x, dy, dx = given.normal(m, n), given.normal(m, n), given.out(m, n)
    softmax_grad[cdiv(m, ROWS)](x.softmax(1), dy, dx)
    wide = exact(x).requires_grad_()
    (wide.softmax(1) * exact(dy)).sum().backward()
    return [(dx, wide.grad, 1e-6)]


@ph.kernel
@ph.launch(128)
def add_rms_norm(
    x: ph.tensor[ph.f16][M, N],
    residual: ph.tensor[ph.f16][M, N],
    weight: ph.tensor[ph.f16][N],
    y: ph.tensor[ph.f16][M, N],
    eps: ph.f32,
):
    """RMS norm of x + residual, the sum stored over the residual. After Liger-Kernel's fused_add_rms_norm.py."""
    row: ph.let = ph.ctx.block.x * ROWS
    total = ph.f32(x[row:+ROWS, 0:+COLUMNS]) + ph.f32(residual[row:+ROWS, 0:+COLUMNS])
    residual[row:+ROWS, 0:+COLUMNS] = total
    scale = ph.rsqrt(ph.rowsum(total * total) / N + eps)
    y[row:+ROWS, 0:+COLUMNS] = total * scale * ph.f32(weight[0:+COLUMNS])


@case(add_rms_norm, (4, 128), (6, 90))
def check_add_rms_norm(given, m, n):
    x, residual, weight = given.normal(m, n, dtype="f16"), given.normal(m, n, dtype="f16"), given.normal(n, dtype="f16")
    y, total = given.out(m, n, dtype="f16"), exact(x) + exact(residual)
    add_rms_norm[cdiv(m, ROWS)](x, residual, weight, y, 0.1)
    want = total / (total.square().mean(1, keepdim=True) + 0.1).sqrt() * exact(weight)
    return [(residual, total, 5e-4), (y, want, 1e-3)]


@ph.kernel
@ph.launch(128)
def rms_norm_grad(
    x: ph.tensor[ph.f32][M, N],
    weight: ph.tensor[ph.f32][N],
    dy: ph.tensor[ph.f32][M, N],
    dx: ph.tensor[ph.f32][M, N],
    dweight: ph.tensor[ph.f32][N],
):
    """The gradients of RMS norm, that of the weight summed by atomics over blocks of several tiles. After Liger-Kernel's rms_norm.py, backward."""
    w = weight[0:+COLUMNS]
    dw: ph.var[ph.tile[ph.f32][COLUMNS]] = 0.0
    for row in range(ph.ctx.block.x * ROWS, M, ph.ctx.grid.x * ROWS):
        given, by_weight = ph.std.rms_norm_grad(x[row:+ROWS, 0:+COLUMNS], dy[row:+ROWS, 0:+COLUMNS], w, length=N)
        dx[row:+ROWS, 0:+COLUMNS] = given
        dw += ph.sum(by_weight, axis=0)
    ph.atomic_add(dweight[0:+COLUMNS], dw)


@case(rms_norm_grad, (16, 128), (11, 77))
def check_rms_norm_grad(given, m, n):
    x, weight, dy = given.normal(m, n), given.normal(n), given.normal(m, n)
    dx, dweight = given.out(m, n), given.zeros(n)
    rms_norm_grad[2](x, weight, dy, dx, dweight)
    a, w = exact(x).requires_grad_(), exact(weight).requires_grad_()
    (a / (a.square().mean(1, keepdim=True) + 1e-6).sqrt() * w * exact(dy)).sum().backward()
    return [(dx, a.grad, 1e-5), (dweight, w.grad, 1e-5)]


@ph.kernel
@ph.launch(64)
def layer_norm(
    x: ph.tensor[ph.f32][M, N], w: ph.tensor[ph.f32][N], b: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][M, N],
    mean: ph.tensor[ph.f32][M], rstd: ph.tensor[ph.f32][M],
):  # fmt: skip
    """Layer norm of rows of any length, in three walks. After Triton's tutorial 05-layer-norm, forward."""
    row: ph.let = ph.ctx.block.x
    total: ph.var[ph.tile[ph.f32][64]] = 0.0
    for j in range(0, N, 64):
        total += x[row, j:+64]
    m = ph.sum(total) / N
    squares: ph.var[ph.tile[ph.f32][64]] = 0.0
    for j in range(0, N, 64):
        away = ph.where(j + ph.iota(64) < N, x[row, j:+64] - m, 0.0)
        squares += away * away
    r = 1 / ph.sqrt(ph.sum(squares) / N + 1e-5)
    mean[row] = m
    rstd[row] = r
    for j in range(0, N, 64):
        y[row, j:+64] = (x[row, j:+64] - m) * r * w[j:+64] + b[j:+64]


@case(layer_norm, (3, 128), (2, 203))
def check_layer_norm(given, m, n):
    x, w, b, y, mean, rstd = (
        given.normal(m, n),
        given.normal(n),
        given.normal(n),
        given.out(m, n),
        given.out(m),
        given.out(m),
    )
    layer_norm[m](x, w, b, y, mean, rstd)
    wide = exact(x)
    scale = (wide.var(1, unbiased=False) + 1e-5).rsqrt()
    want = given.torch.nn.functional.layer_norm(wide, (n,), exact(w), exact(b))
    return [(y, want, 1e-5), (mean, wide.mean(1), 1e-6), (rstd, scale, 1e-5)]


GROUP_ROWS = 3


@ph.kernel
@ph.launch(64)
def layer_norm_grad(
    x: ph.tensor[ph.f32][M, N], w: ph.tensor[ph.f32][N], dy: ph.tensor[ph.f32][M, N], dx: ph.tensor[ph.f32][M, N],
    dw: ph.tensor[ph.f32][G, N], db: ph.tensor[ph.f32][G, N], locks: ph.tensor[ph.i32][G], counts: ph.tensor[ph.i32][G],
):  # fmt: skip
    """The gradients of layer norm; rows add theirs of the weights to one of G sums, each under a lock. After Triton's tutorial 05-layer-norm, backward."""
    row: ph.let = ph.ctx.block.x
    given, by_weight = ph.std.layer_norm_grad(x[row, 0:+COLUMNS], dy[row, 0:+COLUMNS], w[0:+COLUMNS], length=N)
    dx[row, 0:+COLUMNS] = given
    g = row % G
    while ph.atomic_cas(locks[g], 0, 1, order="acquire") != 0:
        pass
    if counts[g] == 0:
        dw[g, 0:+COLUMNS] = by_weight
        db[g, 0:+COLUMNS] = dy[row, 0:+COLUMNS]
    else:
        dw[g, 0:+COLUMNS] += by_weight
        db[g, 0:+COLUMNS] += dy[row, 0:+COLUMNS]
    counts[g] = counts[g] + 1
    ph.atomic_xchg(locks[g], 0, order="release")


@case(layer_norm_grad, (6, 128, 2), (5, 90, 3))
def check_layer_norm_grad(given, m, n, groups):
    x, w, dy, dx = given.normal(m, n), given.normal(n), given.normal(m, n), given.out(m, n)
    dw, db = given.out(groups, n), given.out(groups, n)
    layer_norm_grad[m](x, w, dy, dx, dw, db, given.zeros(groups, dtype="i32"), given.zeros(groups, dtype="i32"))
    a, wide = exact(x).requires_grad_(), exact(w).requires_grad_()
    (given.torch.nn.functional.layer_norm(a, (n,), wide) * exact(dy)).sum().backward()
    return [(dx, a.grad, 1e-5), (dw.sum(0), wide.grad, 1e-5), (db.sum(0), exact(dy).sum(0), 1e-5)]


@ph.kernel
@ph.launch(64)
def group_norm(
    x: ph.tensor[ph.f32][B, C, L],
    w: ph.tensor[ph.f32][C],
    b: ph.tensor[ph.f32][C],
    y: ph.tensor[ph.f32][B, C, L],
    channels: ph.const[ph.i32],
):
    """Norm of groups of channels, one block for a group of a sample. After Liger-Kernel's group_norm.py."""
    sample: ph.let = ph.ctx.block.y
    first: ph.let = ph.ctx.block.x * channels
    total: ph.var = 0.0
    squares: ph.var = 0.0
    for j in range(0, L, 64):
        t = x[sample, first:+channels, j:+64]
        total += ph.sum(t)
        squares += ph.sum(t * t)
    n = ph.f32(channels * L)
    mean = total / n
    scale = ph.rsqrt(squares / n - mean * mean + 1e-5)
    weight = ph.expand(w[first:+channels] * scale, 1)
    bias = ph.expand(b[first:+channels], 1)
    for j in range(0, L, 64):
        y[sample, first:+channels, j:+64] = (x[sample, first:+channels, j:+64] - mean) * weight + bias


@case(group_norm, (2, 8, 64, 4), (1, 6, 100, 2))
def check_group_norm(given, b, c, l, groups):
    x, weight, bias, y = given.normal(b, c, l), given.normal(c), given.normal(c), given.out(b, c, l)
    group_norm[groups, b](x, weight, bias, y, c // groups)
    return [(y, given.torch.nn.functional.group_norm(exact(x), groups, exact(weight), exact(bias)), 1e-5)]


@ph.kernel
@ph.launch(128)
def batch_norm(
    x: ph.tensor[ph.f32][B, C, L], y: ph.tensor[ph.f32][B, C, L], running_mean: ph.tensor[ph.f32][C], running_var: ph.tensor[ph.f32][C],
    momentum: ph.f32,
):  # fmt: skip
    """Norm of channels over a batch, by Welford's formula, with running moments. After FlagGems' batch_norm."""
    c: ph.let = ph.ctx.block.x
    mean: ph.var = 0.0
    squares: ph.var = 0.0
    count: ph.var = 0.0
    for i in range(B):
        for j in range(0, L, 128):
            t = x[i, c, j:+128]
            there = ph.f32(j + ph.iota(128) < L)
            m, s, n = ph.reduce((t, ph.zeros(t.shape), there), 0, ph.std.welford)
            mean, squares, count = ph.std.welford(mean, squares, count, m, s, n)
    scale = ph.rsqrt(squares / count + 1e-5)
    running_mean[c] = (1 - momentum) * running_mean[c] + momentum * mean
    running_var[c] = (1 - momentum) * running_var[c] + momentum * squares / (count - 1)
    for i in range(B):
        for j in range(0, L, 128):
            y[i, c, j:+128] = (x[i, c, j:+128] - mean) * scale


@case(batch_norm, (2, 4, 128), (3, 5, 150))
def check_batch_norm(given, b, c, l):
    x, y, mean, var = given.normal(b, c, l), given.out(b, c, l), given.normal(c), given.uniform(c)
    wide, moments = exact(x), exact(mean, var)
    batch_norm[c](x, y, mean, var, 0.1)
    want = given.torch.nn.functional.batch_norm(wide, *moments, training=True, momentum=0.1)
    return [(y, want, 1e-5), (mean, moments[0], 1e-5), (var, moments[1], 1e-5)]


@ph.kernel
@ph.launch(64)
def weight_norm(v: ph.tensor[ph.f32][M, N], g: ph.tensor[ph.f32][N], w: ph.tensor[ph.f32][M, N]):
    """Columns scaled to the norms g. After FlagGems' weight_norm."""
    j: ph.let = ph.ctx.block.x * 32
    squares: ph.var[ph.tile[ph.f32][32]] = 0.0
    for i in range(0, M, 16):
        t = v[i:+16, j:+32]
        squares += ph.sum(t * t, axis=0)
    scale = g[j:+32] / ph.sqrt(squares)
    for i in range(0, M, 16):
        w[i:+16, j:+32] = v[i:+16, j:+32] * scale


@case(weight_norm, (32, 64), (27, 50))
def check_weight_norm(given, m, n):
    v, g, w = given.normal(m, n), given.normal(n), given.out(m, n)
    weight_norm[cdiv(n, 32)](v, g, w)
    return [(w, exact(v) * exact(g) / exact(v).norm(dim=0), 1e-6)]


@ph.kernel
@ph.launch(128)
def argmax(x: ph.tensor[ph.f32][M, N], value: ph.tensor[ph.f32][M], place: ph.tensor[ph.i32][M]):
    """The greatest of each row and its place, over rows of any length. After FlagGems' argmax."""
    row: ph.let = ph.ctx.block.x * ROWS
    best: ph.var[ph.tile[ph.f32][ROWS]] = -float("inf")
    at: ph.var[ph.tile[ph.i32][ROWS]] = 0
    for j in range(0, N, COLUMNS):
        t = ph.load(x[row:+ROWS, j:+COLUMNS], other=-float("inf"))
        most = ph.max(t, axis=1)
        better = most > best
        at = ph.where(better, j + ph.i32(ph.argmax(t, axis=1)), at)
        best = ph.where(better, most, best)
    value[row:+ROWS] = best
    place[row:+ROWS] = at


@case(argmax, (8, 256), (7, 300))
def check_argmax(given, m, n):
    x, value, place = given.normal(m, n), given.out(m), given.out(m, dtype="i32")
    x[:, n // 2] = x[:, n // 3] = 9  # of equal ones the first
    x[1, 0] = 9
    argmax[cdiv(m, ROWS)](x, value, place)
    want = given.torch.full((m,), n // 3)
    want[1] = 0
    return [(value, x.max(1).values, 0), (place, want, 0)]


@ph.kernel
@ph.launch(64)
def topk_gating(logits: ph.tensor[ph.f32][T, E], weights: ph.tensor[ph.f32][T, K], experts: ph.tensor[ph.i32][T, K]):
    """The K likeliest experts of each token and their shares, one by one. After tilelang's topk example."""
    t: ph.let = ph.ctx.block.x * 8
    left: ph.var = ph.std.softmax(ph.load(logits[t:+8, 0:+32], other=-float("inf")))
    total: ph.var[ph.tile[ph.f32][8]] = 0.0
    for k in range(K):
        at = ph.argmax(left, axis=1)
        most = ph.max(left, axis=1)
        weights[t:+8, k:+1] = ph.expand(most, 1)
        experts[t:+8, k:+1] = ph.expand(ph.i32(at), 1)
        total += most
        left = ph.where(ph.iota(32)[None, :] == at[:, None], -1.0, left)
    for k in range(K):
        weights[t:+8, k:+1] = weights[t:+8, k:+1] / ph.expand(total, 1)


@case(topk_gating, (16, 32, 2), (11, 20, 4))
def check_topk_gating(given, t, e, k):
    logits, weights, experts = given.normal(t, e), given.out(t, k), given.out(t, k, dtype="i32")
    topk_gating[cdiv(t, 8)](logits, weights, experts)
    top = exact(logits).softmax(1).topk(k)
    return [(weights, top.values / top.values.sum(1, keepdim=True), 1e-6), (experts, top.indices, 0)]


@ph.kernel
@ph.launch(128)
def sparsemax(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N]):
    """The projection of rows onto the simplex, its threshold by bisection. After Liger-Kernel's sparsemax.py."""
    row: ph.let = ph.ctx.block.x * ROWS
    t = ph.load(x[row:+ROWS, 0:+COLUMNS], other=-float("inf"))
    high: ph.var = ph.rowmax(t)
    low: ph.var = high - 1.0
    for _ in range(30):
        middle = (low + high) * 0.5
        enough = ph.rowsum(ph.max(t - middle, 0.0)) >= 1.0
        low, high = ph.where(enough, middle, low), ph.where(enough, high, middle)
    y[row:+ROWS, 0:+COLUMNS] = ph.max(t - low, 0.0)


@case(sparsemax, (4, 128), (5, 70))
def check_sparsemax(given, m, n):
    x, y = given.normal(m, n), given.out(m, n)
    sparsemax[cdiv(m, ROWS)](x, y)
    ordered = exact(x).sort(1, descending=True).values
    sums, k = ordered.cumsum(1), given.torch.arange(1, n + 1)
    size = (1 + k * ordered > sums).sum(1, keepdim=True)
    return [(y, (exact(x) - (sums.gather(1, size - 1) - 1) / size).clamp(min=0), 1e-6)]


@ph.kernel
@ph.launch(128)
def poly_norm(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N], a: ph.f32, b: ph.f32, c: ph.f32, bias: ph.f32):
    """A weighted sum of the RMS norms of x³, x² and x. After Liger-Kernel's poly_norm.py."""
    row: ph.let = ph.ctx.block.x * ROWS
    t = x[row:+ROWS, 0:+COLUMNS]
    one = ph.std.rms_norm(t, length=N)
    two = ph.std.rms_norm(t * t, length=N)
    three = ph.std.rms_norm(t * t * t, length=N)
    y[row:+ROWS, 0:+COLUMNS] = a * three + b * two + c * one + bias


@case(poly_norm, (8, 128), (3, 80))
def check_poly_norm(given, m, n):
    x, y = given.normal(m, n), given.out(m, n)
    poly_norm[cdiv(m, ROWS)](x, y, 0.5, 0.25, -1.0, 0.125)
    wide = exact(x)
    one, two, three = (wide**p / ((wide**p).square().mean(1, keepdim=True) + 1e-6).sqrt() for p in (1, 2, 3))
    return [(y, 0.5 * three + 0.25 * two - one + 0.125, 1e-5)]
