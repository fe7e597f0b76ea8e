"""Attention of one query for each head, over many keys: parts of the keys for each block, put together by a second kernel ("Flash-Decoding").

The heads that share keys and values are the rows of one tile, so that a key is read once for all of them.
"""

from __future__ import annotations

import phobos.lang as ph

ROWS = 16  # of a tensor core's tile; heads of a group beyond those there are read as zeros, and cost nothing that is scarce


@ph.kernel(key=["B", "N", "PARTS"])
@ph.autotune(WIDTH=[64, 32, 128], stages=[3, 2, 4], threads=[128, 64, 256], when="WIDTH * stages <= 256 and WIDTH <= threads")
@ph.tensorcore
@ph.dependent
def part(
    Q: ph.tensor[ph.f16][B, G, R, D], K: ph.tensor[ph.f16][B, G, N, D], V: ph.tensor[ph.f16][B, G, N, D],
    sums: ph.tensor[ph.f32][PARTS, B, G, R, D], tops: ph.tensor[ph.f32][PARTS, B, G, R], totals: ph.tensor[ph.f32][PARTS, B, G, R], scale: ph.f32,
    HEAD: ph.const[ph.i32] = 128,
):  # fmt: skip
    p: ph.let = ph.ctx.block.x
    group: ph.let = ph.ctx.block.y
    batch: ph.let = ph.ctx.block.z
    keys: ph.let = ph.cdiv(N, PARTS * WIDTH) * WIDTH
    acc, top, total = ph.std.attention_part(Q, K, V, batch, group, 0, ROWS, WIDTH, HEAD, scale, p * keys, ph.min((p + 1) * keys, N))
    sums[p, batch, group, 0:+ROWS, 0:+HEAD] = acc
    tops[p, batch, group, 0:+ROWS] = ph.flat(top)
    totals[p, batch, group, 0:+ROWS] = ph.flat(total)


# A block for each query: all parts at once.
@ph.kernel
@ph.launch(128)
@ph.dependent
def join(
    sums: ph.tensor[ph.f32][PARTS, B, G, R, D], tops: ph.tensor[ph.f32][PARTS, B, G, R], totals: ph.tensor[ph.f32][PARTS, B, G, R],
    O: ph.tensor[ph.f16][B, G, R, D], HEAD: ph.const[ph.i32] = 128, MOST: ph.const[ph.i32] = 64,
):  # fmt: skip
    row: ph.let = ph.ctx.block.x
    group: ph.let = ph.ctx.block.y
    batch: ph.let = ph.ctx.block.z
    each: ph.let = ph.load(tops[0:+MOST, batch, group, row], other=-float("inf"))
    share: ph.let = ph.exp2(each - ph.max(each))  # parts without keys have -inf, and so no share
    total: ph.let = ph.sum(share * totals[0:+MOST, batch, group, row])
    O[batch, group, row, 0:+HEAD] = ph.sum(sums[0:+MOST, batch, group, row, 0:+HEAD] * share[:, None], axis=0) * (1.0 / total)


def parts(meta) -> tuple[int, int, int]:
    return meta["PARTS"], meta["G"], meta["B"]


def queries(meta) -> tuple[int, int, int]:
    return meta["R"], meta["G"], meta["B"]
