"""ph.std: softmax in pieces, and attention by it.

Scores are taken to the base 2, `by` = scale · log2(e): then an exponential is one multiply-add and one instruction of the special function unit. Rows that have met no key
yet have -inf as their maximum, and nothing as their total.
"""

from __future__ import annotations

import phobos.lang as ph

LOG2_E = 1.4426950408889634
LN_2 = 0.6931471805599453


## Attention
# Of [batch, heads, length, width] tensors, a block's rows at a time. Scores of -inf count for nothing.


@ph.fn
def softmax_turn(s, by, top, total):
    """A further piece of rows' softmax: s [M, N], f32; by > 0; top [M, 1] and total [M, 1], of the pieces before, -inf and 0 at first. Gives (p, fade, top, total): p = 2^(by s - top), fade
    [M, 1] what sums over earlier pieces have to be multiplied by, and the new maximum and total. Milakov and Gimelshein, "Online normalizer calculation for softmax"."""
    new: ph.let = ph.max(top, ph.rowmax(s) * by)
    base: ph.let = ph.where(new == -float("inf"), 0.0, new)  # -inf less itself would be NaN
    p: ph.let = ph.exp2_ftz(ph.fma(s, by, -base))
    fade: ph.let = ph.exp2_ftz(top - base)
    return p, fade, new, total * fade + ph.rowsum(p)


CALM = 32768.0  # sums of a piece up to here are no reason to raise the maximum: no exponential among them overflows f16


@ph.fn
def softmax_turn_guarded(s, by, top, total):
    """softmax_turn by powers to the base of the maximum so far, `top`, which is raised only in rows in which the piece's exponentials add up to 32768 or more: elsewhere no maximum is looked for. p may be as large as
    that, and is rounded as exactly; what is added up is the same but for the order of roundings. Where maxima keep growing every piece is computed twice; and scores and
    exponentials of a piece take registers at once."""
    first: ph.let = ph.exp2_ftz(ph.fma(s, by, -top))
    part: ph.let = ph.rowsum(first)
    calm: ph.let = part < CALM  # not so before there is a maximum: infinity, or NaN where there is no key either
    new: ph.let = ph.where(calm, top, ph.max(top, ph.rowmax(s) * by))
    base: ph.let = ph.where(new == -float("inf"), 0.0, new)
    second: ph.let = ph.exp2_ftz(ph.fma(s, by, -base))
    p: ph.let = ph.where(calm, first, second)
    fade: ph.let = ph.where(calm, 1.0, ph.exp2_ftz(top - base))
    return p, fade, new, total * fade + ph.where(calm, part, ph.rowsum(second))


@ph.fn
def softmax_end(top, total):
    """What is left of rows' softmax in pieces: (1 / total, 0 for a row without any key; log of the sum of the exponentials, natural, -inf for such a row), both [M, 1]."""
    return ph.where(total > 0, 1.0 / total, 0.0), (top + ph.log2(total)) * LN_2


@ph.fn
def softmax_join(acc, top, total, other_acc, other_top, other_total):
    """Two pieces of the same rows' softmax as one: sums acc [M, D] over a piece's keys, its top [M, 1] and total [M, 1], as softmax_turn and attention_part have them. Gives (acc, top, total)."""
    new: ph.let = ph.max(top, other_top)
    base: ph.let = ph.where(new == -float("inf"), 0.0, new)
    fade: ph.let = ph.exp2_ftz(top - base)
    other_fade: ph.let = ph.exp2_ftz(other_top - base)
    return acc * fade + other_acc * other_fade, new, total * fade + other_total * other_fade


@ph.fn
def attention_part(
    Q, K, V, batch, head, row, HEIGHT, WIDTH, HEAD, scale, first, last, causal=False, shift=0, window=0, bias=None, seed=None, rate=0.0
):
    """ph.std.attention over the keys from `first` to `last` alone, not divided yet: (acc [HEIGHT, HEAD], top [HEIGHT, 1], total [HEIGHT, 1]), in f32. Parts are put together by softmax_join and brought to
    an end by softmax_end: for few queries of many keys, as in decoding, whose blocks would be too few to fill a GPU. (Dao and others, "Flash-Decoding", 2023.)"""
    group: ph.let = head // (Q.shape[1] // K.shape[1])
    by: ph.let = scale * LOG2_E
    q: ph.let = Q[batch, head, row:+HEIGHT, 0:+HEAD]
    top: ph.var = ph.full((HEIGHT, 1), -float("inf"), ph.f32)
    total: ph.var = ph.zeros((HEIGHT, 1), ph.f32)
    acc: ph.var = ph.zeros((HEIGHT, HEAD), ph.f32)
    rows: ph.let = (row + shift + ph.iota(HEIGHT))[:, None]
    end: ph.let = ph.min(row + shift + HEIGHT, last) if causal else last
    begin: ph.let = ph.max(row + shift - (window - 1), first) // WIDTH * WIDTH if window > 0 else first
    for j in range(begin, end, WIDTH):
        columns: ph.let = (j + ph.iota(WIDTH))[None, :]
        seen = columns < last + 0 * rows
        if window > 0:
            seen = seen & (columns > rows - window) & (columns >= first)
        if causal:
            seen = seen & (columns <= rows)
        s = ph.dot_t(q, K[batch, group, j:+WIDTH, 0:+HEAD])
        if bias is not None:
            s = s + bias[batch, head, row:+HEIGHT, j:+WIDTH] * (1.0 / scale)
        p, fade, top, total = softmax_turn(ph.where(seen, s, -float("inf")), by, top, total)
        if seed is not None:
            score: ph.let = ((ph.i64(batch) * Q.shape[1] + head) * Q.shape[2] + row) * K.shape[2] + j
            places: ph.let = ph.i64(ph.iota(HEIGHT))[:, None] * K.shape[2] + ph.i64(ph.iota(WIDTH))[None, :]
            p = ph.std.dropout(p, rate, seed, score + places)
        acc = acc * fade + ph.dot(V.dtype(p), V[batch, group, j:+WIDTH, 0:+HEAD])
    return acc, top, total


@ph.fn
def attention(
    Q, K, V, batch, head, row, HEIGHT, WIDTH, HEAD, scale, causal=False, shift=0, window=0, bias=None, seed=None, rate=0.0
):
    """HEIGHT rows of softmax(Q Kᵀ scale) V from `row` on: (o [HEIGHT, HEAD], log of the sum of the exponentials [HEIGHT, 1]), in f32. Q [B, H, M, D], K and V [B, G, N, D] of one 16-bit dtype, H a
    multiple of G: each group of H // G heads has keys and values in common. HEAD is D, or the next multiple of 16; turns have WIDTH keys. Query i sees keys up to i + shift if `causal`, and of
    those the last `window` alone if that is not 0; blocks that no row sees are not visited. scale > 0. Rows that see no key are 0. `bias` [B, H, M, N] is added to the scores (strides may be 0). With a
    seed, probabilities are dropped by ph.std.dropout, each with the number of its score, counted through [B, H, M, N], as offset: the same bits wherever it is asked again. Dao, "FlashAttention-2"."""
    acc, top, total = attention_part(
        Q, K, V, batch, head, row, HEIGHT, WIDTH, HEAD, scale, 0, K.shape[2], causal, shift, window, bias, seed, rate
    )
    inverse, logarithm = softmax_end(top, total)
    return acc * inverse, logarithm
