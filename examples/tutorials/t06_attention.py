"""Tutorial 06, attention: softmax(Q Kᵀ scale) V without ever holding the scores, forward and backward.

Read t02 and t03 first. In NumPy, for one head's queries q of M x D, keys and values k and v of N x D,

    s = q @ k.T * scale
    p = np.exp(s - s.max(axis=1, keepdims=True))
    o = p @ v / p.sum(axis=1, keepdims=True)

The scores s are M x N: for 8192 tokens 64 million numbers a head, which would be written and read several times. The kernel below never has more of them than a tile: a
block takes BM queries and walks over the keys, BN in a turn.

*A softmax in pieces.* A row's maximum is known only when all of its scores have been seen. So a turn uses the largest so far, and when a larger one turns up, everything
summed before is multiplied by `alpha`, the power of the difference: sums of exp(s - old) become sums of exp(s - new). What remains at the end is one division a row.
(Milakov and Gimelshein, 2018; Rabe and Staats, 2021; Dao and others, "FlashAttention", 2022.)

*Powers of two.* exp(x) is 2^(x log2 e), and the chip computes powers of two. `by` is the scale times log2 e, and `ph.fma(s, by, -top)` brings scores to that base in the same instruction that takes the
maximum off. `exp2_ftz` makes 0 of results below 2^-126, which add nothing to sums that are at least 1.

*Two products, one loop.* Nothing in the source says how they overlap. On a Hopper GPU the compiler puts the second product off: while the exponentials of this turn are computed,
the tensor cores work on `p` and `v` of the turn before. Where no score's maximum has grown, which after a few turns is nearly always, the multiplication
by `alpha` is left out. `phobosc --remarks` tells of both. The probabilities go into the second product as the first one's sums lie, in registers.

*Guarded.* Looking for maxima takes a comparison for each score and a wait, and after the first turns hardly any row has a new one that matters: a power of a number that is a little above the
maximum is a little above 1. With `guarded=True` a turn computes powers against the maximum so far, and only rows in which they add up to 32768 or more (from 65504 up f16 would
overflow) get a new maximum and are computed once more. `ph.std.softmax_turn_guarded` says it with `ph.where`; what only these rows need, the compiler puts into a branch that a warp takes if it
has one. On an H200 that is 12 % for width 64 in tiles of 128 x 128 (531 TFLOP/s at 8192 tokens). The price: where maxima keep growing each turn is computed twice, and a turn's scores and powers are in registers at once, for
which width 128 has no room.

*Causal attention* is a mask, `columns <= rows`, and an end of the loop: keys behind a block's last query are not visited. The mask is a comparison
for each score, but the compiler sees from its bounds that most turns lie wholly below the diagonal, and leaves it out there. A block that is done takes
the next (`@ph.persistent(order="queue")`), and those of many turns come first, of as many heads as have their keys and values in the L2 cache together
(`in_turn`): so at the end no GPU core waits long for another.

*Heads in groups.* K and V may have fewer heads than Q: each group of heads shares them. That is one integer division.

`L` gets the logarithm of each row's sum of exponentials, which the backward pass needs. `ph.std.attention` is this loop as a function, with a window and a shifted diagonal.

*Backward.* Given do, the gradient of some loss by o, and the row sums `delta = (do * o).sum(axis=1)`,

    p  = np.exp(s - L)                 # again, from q and k; the maxima are in L
    dv = p.T @ do
    ds = p * (do @ v.T - delta) * scale
    dk = ds.T @ q
    dq = ds @ k

dv and dk go down the columns of p, dq along its rows: no block has both, as in t05. So there are two kernels, and each computes the p it needs. The one for keys has a block of them and
walks over the queries that see them; it works on the transposed scores, `ph.dot_t(k, q)`, whose rows are keys, so that p and ds are first operands as they lie. The one for queries walks as the forward pass
does. Nothing is added by atomics, and every sum has one order: the same bits every time. Where heads share keys, a block adds over the heads of its group.

What lies beyond the end needs no mask here: such queries and keys are zeros, and so is what they are multiplied with.
"""

from __future__ import annotations

import phobos.lang as ph

LOG2_E = 1.4426950408889634
LN_2 = 0.6931471805599453
ELEMENT = ph.f16
TOGETHER = 8 * 1024 * 1024  # numbers of keys, and as many of values, of heads that are worked on at a time: 32 MB


@ph.fn
def in_turn(heads, length, blocks, HEAD: ph.const, causal: ph.const):
    """(head, turn) of the block's number: of some heads the first block of each, then the second …, then of the next heads. Where all blocks have as many
    turns, one head after the other: its blocks run side by side and find its keys and values in the cache."""
    return ph.std.grouped(ph.ctx.block.x, heads, blocks, ph.max(TOGETHER // (length * HEAD), 1) if causal else 1)


@ph.kernel(key=["M", "N", "D", "causal"])
@ph.autotune(BM=[64, 128, 256], BN=[32, 64, 128], stages=[4, 3, 2], threads=[128, 256, 512], when="threads == 2 * BM and 64 <= BN * stages <= 512")
@ph.tensorcore
@ph.persistent(order="queue")
def attention(
    Q: ph.tensor[ELEMENT][B, H, M, D], K: ph.tensor[ELEMENT][B, G, N, D], V: ph.tensor[ELEMENT][B, G, N, D], O: ph.tensor[ELEMENT][B, H, M, D],
    L: ph.tensor[ph.f32][B, H, M], scale: ph.f32, causal: ph.const[ph.bool] = False, HEAD: ph.const[ph.i32] = 64,
    guarded: ph.const[ph.bool] = False,
):  # fmt: skip
    unit, turn = in_turn(B * H, N, ph.cdiv(M, BM), HEAD, causal)
    batch: ph.let = unit // H
    head: ph.let = unit % H
    group: ph.let = head // (H // G)
    row: ph.let = ph.max(ph.cdiv(M, BM) - 1 - turn, 0) * BM  # no block begins before the first row, and the compiler may know
    by: ph.let = scale * LOG2_E
    q: ph.let = Q[batch, head, row:+BM, 0:+HEAD]
    top: ph.var[ph.tile[ph.f32][BM, 1]] = -float("inf")
    total: ph.var[ph.tile[ph.f32][BM, 1]] = 0.0
    acc: ph.var[ph.tile[ph.f32][BM, HEAD]] = 0.0
    rows: ph.let = (row + ph.iota(BM))[:, None]
    for j in range(0, ph.min(row + BM, N) if causal else N, BN):
        columns: ph.let = (j + ph.iota(BN))[None, :]
        seen: ph.let = (columns < N) & (columns <= rows) if causal else columns < N + 0 * rows
        s: ph.let = ph.where(seen, ph.dot_t(q, K[batch, group, j:+BN, 0:+HEAD]), -float("inf"))
        if guarded:
            p, alpha, top, total = ph.std.softmax_turn_guarded(s, by, top, total)
        else:
            new: ph.let = ph.max(top, ph.rowmax(s) * by)
            p = ph.exp2_ftz(ph.fma(s, by, -new))
            alpha = ph.exp2_ftz(top - new)
            total = total * alpha + ph.rowsum(p)
            top = new
        acc = acc * alpha + ph.dot(ELEMENT(p), V[batch, group, j:+BN, 0:+HEAD])
    O[batch, head, row:+BM, 0:+HEAD] = acc * (1.0 / total)
    L[batch, head, row:+BM] = ph.flat((top + ph.log2(total)) * LN_2)


def blocks(meta) -> int:
    return -(-meta["M"] // meta["BM"]) * meta["H"] * meta["B"]


ROWS = 32


@ph.kernel
@ph.launch(128)
def row_products(
    O: ph.tensor[ELEMENT][B, H, M, D], DO: ph.tensor[ELEMENT][B, H, M, D], delta: ph.tensor[ph.f32][B, H, M], HEAD: ph.const[ph.i32] = 64
):
    row: ph.let = ph.ctx.block.x * ROWS
    o: ph.let = ph.f32(O[ph.ctx.block.z, ph.ctx.block.y, row:+ROWS, 0:+HEAD])
    delta[ph.ctx.block.z, ph.ctx.block.y, row:+ROWS] = ph.sum(o * DO[ph.ctx.block.z, ph.ctx.block.y, row:+ROWS, 0:+HEAD], axis=1)


# A block's keys, and the queries that see them.
@ph.kernel(key=["M", "N", "D", "causal"])
@ph.autotune(BN=[64, 128], BM=[32, 64], stages=[2, 3], threads=[128, 256], when="threads == 2 * BN")
@ph.tensorcore
def key_gradients(
    Q: ph.tensor[ELEMENT][B, H, M, D], K: ph.tensor[ELEMENT][B, G, N, D], V: ph.tensor[ELEMENT][B, G, N, D], DO: ph.tensor[ELEMENT][B, H, M, D],
    L: ph.tensor[ph.f32][B, H, M], delta: ph.tensor[ph.f32][B, H, M], DK: ph.tensor[ELEMENT][B, G, N, D], DV: ph.tensor[ELEMENT][B, G, N, D],
    scale: ph.f32, causal: ph.const[ph.bool] = False, HEAD: ph.const[ph.i32] = 64, SHARE: ph.const[ph.i32] = 1,
):  # fmt: skip
    unit, block = in_turn(B * G, M, ph.cdiv(N, BN), HEAD, causal)
    batch: ph.let = unit // G
    group: ph.let = unit % G
    column: ph.let = block * BN
    by: ph.let = scale * LOG2_E
    k: ph.let = K[batch, group, column:+BN, 0:+HEAD]
    v: ph.let = V[batch, group, column:+BN, 0:+HEAD]
    dk: ph.var[ph.tile[ph.f32][BN, HEAD]] = 0.0
    dv: ph.var[ph.tile[ph.f32][BN, HEAD]] = 0.0
    columns: ph.let = (column + ph.iota(BN))[:, None]
    begin: ph.let = column // BM * BM if causal else 0
    turns: ph.let = ph.max(ph.cdiv(M - begin, BM), 1)
    logarithms: ph.var = L[batch, group * SHARE, begin:+BM]
    for turn in range(SHARE * turns):  # the heads of the group, one after the other
        head: ph.let = group * SHARE + (turn // turns if SHARE > 1 else 0)
        i: ph.let = begin + (turn % turns if SHARE > 1 else turn) * BM
        q: ph.let = Q[batch, head, i:+BM, 0:+HEAD]
        do: ph.let = DO[batch, head, i:+BM, 0:+HEAD]
        logarithm: ph.let = logarithms[None, :] * LOG2_E
        # The next turn's come while this one multiplies.
        next: ph.let = turn + 1
        logarithms = L[batch, group * SHARE + (next // turns if SHARE > 1 else 0), begin + (next % turns if SHARE > 1 else next) * BM:+BM]
        total: ph.let = delta[batch, head, i:+BM][None, :]
        p: ph.var = ph.exp2_ftz(ph.fma(ph.dot_t(k, q), by, -logarithm))
        if causal:
            p = ph.where(columns <= (i + ph.iota(BM))[None, :], p, 0.0)
        dv += ph.dot(ELEMENT(p), do)
        ds: ph.let = p * (ph.dot_t(v, do) - total)
        dk += ph.dot(ELEMENT(ds), q)
    DK[batch, group, column:+BN, 0:+HEAD] = dk * scale
    DV[batch, group, column:+BN, 0:+HEAD] = dv


# A block's queries, and the keys that they see.
@ph.kernel(key=["M", "N", "D", "causal"])
@ph.autotune(BM=[64, 128], BN=[32, 64, 128], stages=[2, 3], threads=[128, 256], when="threads == 2 * BM")
@ph.tensorcore
def query_gradients(
    Q: ph.tensor[ELEMENT][B, H, M, D], K: ph.tensor[ELEMENT][B, G, N, D], V: ph.tensor[ELEMENT][B, G, N, D], DO: ph.tensor[ELEMENT][B, H, M, D],
    L: ph.tensor[ph.f32][B, H, M], delta: ph.tensor[ph.f32][B, H, M], DQ: ph.tensor[ELEMENT][B, H, M, D], scale: ph.f32,
    causal: ph.const[ph.bool] = False, HEAD: ph.const[ph.i32] = 64,
):  # fmt: skip
    unit, turn = in_turn(B * H, N, ph.cdiv(M, BM), HEAD, causal)
    batch: ph.let = unit // H
    head: ph.let = unit % H
    group: ph.let = head // (H // G)
    row: ph.let = ph.max(ph.cdiv(M, BM) - 1 - turn, 0) * BM  # no block begins before the first row, and the compiler may know
    by: ph.let = scale * LOG2_E
    q: ph.let = Q[batch, head, row:+BM, 0:+HEAD]
    do: ph.let = DO[batch, head, row:+BM, 0:+HEAD]
    logarithm: ph.let = L[batch, head, row:+BM][:, None] * LOG2_E
    total: ph.let = delta[batch, head, row:+BM][:, None]
    dq: ph.var[ph.tile[ph.f32][BM, HEAD]] = 0.0
    rows: ph.let = (row + ph.iota(BM))[:, None]
    for j in range(0, ph.min(row + BM, N) if causal else N, BN):
        k: ph.let = K[batch, group, j:+BN, 0:+HEAD]
        p: ph.var = ph.exp2_ftz(ph.fma(ph.dot_t(q, k), by, -logarithm))
        if causal:
            p = ph.where((j + ph.iota(BN))[None, :] <= rows, p, 0.0)
        dq += ph.dot(ELEMENT(p * (ph.dot_t(do, V[batch, group, j:+BN, 0:+HEAD]) - total)), k)
    DQ[batch, head, row:+BM, 0:+HEAD] = dq * scale


def key_blocks(meta) -> int:
    return -(-meta["N"] // meta["BN"]) * meta["G"] * meta["B"]


def attend(torch, q, k, v, causal: bool, scale: float):
    """(o, the logarithms of the rows' sums)."""
    o = torch.empty_like(q)
    sums = torch.empty(q.shape[:3], device=q.device, dtype=torch.float32)
    attention[blocks](q, k, v, o, sums, scale, causal, width(q))
    return o, sums


def width(q) -> int:
    """Of tiles: the next power of two. What they have beyond D reads as 0 and adds nothing."""
    return max(32, 1 << (q.shape[3] - 1).bit_length())


def attend_backward(torch, q, k, v, o, sums, do, causal: bool, scale: float):
    """(dq, dk, dv)."""
    dq, dk, dv, delta = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v), torch.empty_like(sums)
    backward(q, k, v, o, sums, do, delta, dq, dk, dv, causal, scale)
    return dq, dk, dv


def backward(q, k, v, o, sums, do, delta, dq, dk, dv, causal: bool, scale: float) -> None:
    """Into delta, dq, dk and dv."""
    b, h, m, _ = q.shape
    row_products[-(-m // ROWS), h, b](o, do, delta, width(q))
    key_gradients[key_blocks](q, k, v, do, sums, delta, dk, dv, scale, causal, width(q), h // k.shape[1])
    query_gradients[blocks](q, k, v, do, sums, delta, dq, scale, causal, width(q))


def check(torch):
    torch.manual_seed(0)
    shapes = (
        # batch, heads, heads of keys, queries, keys, width, causal
        (2, 2, 1, 300, 60, 64, False), (1, 2, 1, 200, 200, 64, True), (2, 4, 2, 96, 130, 64, False), (1, 1, 1, 65, 300, 128, False), (1, 2, 2, 260, 260, 128, True),
        (1, 2, 1, 1, 70, 64, False), (1, 1, 1, 130, 130, 80, True), (2, 2, 1, 300, 20, 64, False),
    )  # fmt: skip
    wrong, largest = [], 0.0
    for b, h, g, m, n, d, causal in shapes:
        q, k, v = (torch.randn((b, heads, length, d), device="cuda") for heads, length in ((h, m), (g, n), (g, n)))
        k *= torch.linspace(0.2, 6, n, device="cuda")[:, None]  # maxima keep growing along the walk
        q, k, v = q.half(), k.half(), v.half()
        o, sums = attend(torch, q, k, v, causal, d**-0.5)
        torch.cuda.synchronize()
        do = torch.randn((b, h, m, d), device="cuda").half()
        exact = [each.double().requires_grad_() for each in (q, k, v)]
        s = exact[0] @ exact[1].repeat_interleave(h // g, 1).transpose(2, 3) * d**-0.5
        if causal:
            s = s.masked_fill(~torch.ones((m, n), device="cuda", dtype=torch.bool).tril(), -float("inf"))
        want = torch.softmax(s, 3) @ exact[2].repeat_interleave(h // g, 1)
        want.backward(do.double())
        gradients = attend_backward(torch, q, k, v, o, sums, do, causal, d**-0.5)
        torch.cuda.synchronize()
        pairs = [(o, want.detach()), *zip(gradients, (each.grad for each in exact), strict=True)]
        # Scores and their gradients are rounded to f16 on the way.
        for name, tolerance, (got, expected) in zip(("o", "dq", "dk", "dv"), (1e-3, 3e-3, 3e-3, 2e-3), pairs, strict=True):
            error = ((got.double() - expected).norm() / expected.norm()).item()
            largest = max(largest, error)
            if not error <= tolerance:
                wrong.append(f"{name} of {b} x {h} x {m} x {n} x {d}{', causal' if causal else ''}: {error:.3g}")
        if not torch.allclose(sums.double(), torch.logsumexp(s, 3), atol=1e-4, rtol=1e-5):
            wrong.append(f"sums of {b} x {h} x {m} x {n} x {d}")
        again = (attend(torch, q, k, v, causal, d**-0.5)[0], *attend_backward(torch, q, k, v, o, sums, do, causal, d**-0.5))
        if not all(torch.equal(first, second) for first, second in zip((o, *gradients), again, strict=True)):
            wrong.append(f"{b} x {h} x {m} x {n} x {d}: other bits the second time")
    verdict = f"{len(shapes)} shapes, causal or not, heads in groups, forward and backward; largest relative error to float64 {largest:.3g}"
    return not wrong, verdict + "".join(f"; wrong: {each}" for each in wrong)
