"""Tutorial 06, attention: softmax(Q Kᵀ scale) V without ever holding the scores, forward.

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

*Causal attention* is a mask, `columns <= rows`, and an end of the loop: keys behind a block's last query are not visited. The mask is a comparison
for each score, but the compiler sees from its bounds that most turns lie wholly below the diagonal, and leaves it out there. Blocks of many turns come
first (`last - x`), and a block that is done takes the next (`@ph.persistent(order="queue")`), so that at the end no GPU core waits long for another.

*Heads in groups.* K and V may have fewer heads than Q: each group of heads shares them. That is one integer division.

`L` gets the logarithm of each row's sum of exponentials, which a backward pass needs. `ph.std.attention` is this loop as a function, with a window and a shifted diagonal.
"""

from __future__ import annotations

import phobos.lang as ph

LOG2_E = 1.4426950408889634
LN_2 = 0.6931471805599453
ELEMENT = ph.f16


@ph.kernel(key=["M", "N", "D", "causal"])
@ph.autotune(BM=[64, 128, 256], BN=[32, 64, 128], stages=[4, 3, 2], threads=[128, 256, 512], when="threads == 2 * BM and 64 <= BN * stages <= 512")
@ph.tensorcore
@ph.persistent(order="queue")
def attention(
    Q: ph.tensor[ELEMENT][B, H, M, D], K: ph.tensor[ELEMENT][B, G, N, D], V: ph.tensor[ELEMENT][B, G, N, D], O: ph.tensor[ELEMENT][B, H, M, D],
    L: ph.tensor[ph.f32][B, H, M], scale: ph.f32, causal: ph.const[ph.bool] = False, HEAD: ph.const[ph.i32] = 64,
):  # fmt: skip
    batch: ph.let = ph.ctx.block.z
    head: ph.let = ph.ctx.block.y
    group: ph.let = head // (H // G)
    row: ph.let = (ph.ctx.grid.x - 1 - ph.ctx.block.x) * BM
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
        new: ph.let = ph.max(top, ph.rowmax(s) * by)
        p: ph.let = ph.exp2_ftz(ph.fma(s, by, -new))
        alpha: ph.let = ph.exp2_ftz(top - new)
        total = total * alpha + ph.rowsum(p)
        acc = acc * alpha + ph.dot(ELEMENT(p), V[batch, group, j:+BN, 0:+HEAD])
        top = new
    O[batch, head, row:+BM, 0:+HEAD] = acc * (1.0 / total)
    L[batch, head, row:+BM] = ph.flat((top + ph.log2(total)) * LN_2)


def blocks(meta) -> tuple[int, int, int]:
    return -(-meta["M"] // meta["BM"]), meta["H"], meta["B"]


def attend(torch, q, k, v, causal: bool, scale: float):
    """(o, the logarithms of the rows' sums). Tiles are as wide as the next power of two: what they have beyond D reads as 0 and adds nothing."""
    o = torch.empty_like(q)
    sums = torch.empty(q.shape[:3], device=q.device, dtype=torch.float32)
    attention[blocks](q, k, v, o, sums, scale, causal, max(32, 1 << (q.shape[3] - 1).bit_length()))
    return o, sums


def check(torch):
    torch.manual_seed(0)
    shapes = (
        # batch, heads, heads of keys, queries, keys, width, causal
        (2, 2, 1, 300, 60, 64, False), (1, 2, 1, 200, 200, 64, True), (2, 4, 2, 96, 130, 64, False), (1, 1, 1, 65, 300, 128, False), (1, 2, 2, 260, 260, 128, True),
        (1, 2, 1, 1, 70, 64, False), (1, 1, 1, 130, 130, 80, True),
    )  # fmt: skip
    wrong, largest = [], 0.0
    for b, h, g, m, n, d, causal in shapes:
        q, k, v = (torch.randn((b, heads, length, d), device="cuda") for heads, length in ((h, m), (g, n), (g, n)))
        k *= torch.linspace(0.2, 6, n, device="cuda")[:, None]  # maxima keep growing along the walk
        q, k, v = q.half(), k.half(), v.half()
        o, sums = attend(torch, q, k, v, causal, d**-0.5)
        torch.cuda.synchronize()
        wide = [each.double().repeat_interleave(h // each.shape[1], 1) for each in (q, k, v)]
        s = wide[0] @ wide[1].transpose(2, 3) * d**-0.5
        if causal:
            s = s.masked_fill(~torch.ones((m, n), device="cuda", dtype=torch.bool).tril(), -float("inf"))
        want = torch.softmax(s, 3) @ wide[2]
        error = ((o.double() - want).norm() / want.norm()).item()
        largest = max(largest, error)
        if not (error <= 1e-3 and torch.allclose(sums.double(), torch.logsumexp(s, 3), atol=1e-4, rtol=1e-5)):
            wrong.append(f"{b} x {h} x {m} x {n} x {d}{', causal' if causal else ''}: {error:.3g}")
        if not torch.equal(o, attend(torch, q, k, v, causal, d**-0.5)[0]):
            wrong.append(f"{b} x {h} x {m} x {n} x {d}: other bits the second time")
    verdict = f"{len(shapes)} shapes, causal or not, heads in groups; largest relative error to float64 {largest:.3g}"
    return not wrong, verdict + "".join(f"; wrong: {each}" for each in wrong)
