"""Attention: forward and backward, masks of all kinds, caches in pages, decoding by parts."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

TILE = 32
LOWEST = -3.0e38


@ph.fn
def turn(q, k, v, allowed, scale, most, total, acc):
    """Keys and values of one turn added to the on-line softmax."""
    s = ph.where(allowed, ph.dot_t(q, k) * scale, LOWEST)
    new = ph.max(most, ph.max(s, axis=1))
    p = ph.where(allowed, ph.exp(s - new[:, None]), 0.0)
    fade = ph.exp(most - new)
    return new, total * fade + ph.sum(p, axis=1), acc * fade[:, None] + ph.dot(ph.f16(p), v)


def scores(torch, q, k, scale, allowed=None):
    s = exact(q) @ exact(k).transpose(-1, -2) * scale
    return s if allowed is None else s.masked_fill(~allowed, -float("inf"))


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def attention(
    Q: ph.tensor[ph.f16][H, M, 32],
    K: ph.tensor[ph.f16][H, N, 32],
    V: ph.tensor[ph.f16][H, N, 32],
    O: ph.tensor[ph.f16][H, M, 32],
    L: ph.tensor[ph.f32][H, M],
    causal: ph.const[ph.bool],
):
    """Attention by on-line softmax, causal or not, with the logarithms of its sums. After Triton's tutorial 06-fused-attention."""
    h: ph.let = ph.ctx.block.y
    i: ph.let = ph.ctx.block.x * TILE
    q = Q[h, i:+TILE, :]
    row = (i + ph.iota(TILE))[:, None]
    most: ph.var[ph.tile[ph.f32][TILE]] = LOWEST
    total: ph.var[ph.tile[ph.f32][TILE]] = 0.0
    acc: ph.var[ph.tile[ph.f32][TILE, 32]] = 0.0
    end = ph.min(i + TILE, N) if causal else N
    for j in range(0, end, TILE):
        column = (j + ph.iota(TILE))[None, :]
        allowed = (column < N) & (column <= row) if causal else column < N + 0 * row
        most, total, acc = turn(q, K[h, j:+TILE, :], V[h, j:+TILE, :], allowed, 0.17677669529663687, most, total, acc)
    O[h, i:+TILE, :] = acc / total[:, None]
    L[h, i:+TILE] = most + ph.log(total)


@case(attention, (2, 64, 64, False), (1, 45, 70, False), (2, 51, 51, True))
def check_attention(given, h, m, n, causal):
    q, k, v = (given.normal(h, length, 32, dtype="f16") for length in (m, n, n))
    o, sums = given.out(h, m, 32, dtype="f16"), given.out(h, m)
    attention[cdiv(m, TILE), h](q, k, v, o, sums, causal)
    s = scores(given.torch, q, k, 32**-0.5, given.torch.ones(m, n).tril().bool() if causal else None)
    return [(o, s.softmax(-1) @ exact(v), 1e-3), (sums, s.logsumexp(-1), 1e-5)]


@ph.kernel
@ph.launch(128)
def attention_delta(O: ph.tensor[ph.f16][H, M, 32], dO: ph.tensor[ph.f16][H, M, 32], delta: ph.tensor[ph.f32][H, M]):
    """The row sums of o do that the gradients need. After Triton's tutorial 06-fused-attention, backward preprocessing."""
    h: ph.let = ph.ctx.block.y
    i: ph.let = ph.ctx.block.x * TILE
    delta[h, i:+TILE] = ph.sum(ph.f32(O[h, i:+TILE, :]) * ph.f32(dO[h, i:+TILE, :]), axis=1)


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def attention_grad(
    Q: ph.tensor[ph.f16][H, M, 32],
    K: ph.tensor[ph.f16][H, M, 32],
    V: ph.tensor[ph.f16][H, M, 32],
    dO: ph.tensor[ph.f16][H, M, 32],
    L: ph.tensor[ph.f32][H, M],
    delta: ph.tensor[ph.f32][H, M],
    dQ: ph.tensor[ph.f32][H, M, 32],
    dK: ph.tensor[ph.f32][H, M, 32],
    dV: ph.tensor[ph.f32][H, M, 32],
):
    """The gradients of causal attention, probabilities computed again, those of q by atomics. After tilelang's example_mha_bwd and Triton's tutorial 06."""
    h: ph.let = ph.ctx.block.y
    j: ph.let = ph.ctx.block.x * TILE
    k = K[h, j:+TILE, :]
    v = V[h, j:+TILE, :]
    column = (j + ph.iota(TILE))[None, :]
    dk: ph.var[ph.tile[ph.f32][TILE, 32]] = 0.0
    dv: ph.var[ph.tile[ph.f32][TILE, 32]] = 0.0
    for i in range(j, M, TILE):
        q = Q[h, i:+TILE, :]
        do = dO[h, i:+TILE, :]
        row = (i + ph.iota(TILE))[:, None]
        s = ph.dot_t(q, k) * 0.17677669529663687
        p = ph.where((column <= row) & (row < M), ph.exp(s - L[h, i:+TILE][:, None]), 0.0)
        dv += ph.dot(ph.f16(p).T, do)
        ds = ph.f16(p * (ph.dot_t(do, v) - delta[h, i:+TILE][:, None]) * 0.17677669529663687)
        dk += ph.dot(ds.T, q)
        ph.atomic_add(dQ[h, i:+TILE, :], ph.dot(ds, k))
    dK[h, j:+TILE, :] = dk
    dV[h, j:+TILE, :] = dv


@case(attention_grad, (1, 64), (2, 45))
def check_attention_grad(given, h, m):
    q, k, v, do = (given.normal(h, m, 32, dtype="f16") for _ in range(4))
    o, sums, delta = given.out(h, m, 32, dtype="f16"), given.out(h, m), given.out(h, m)
    dq, dk, dv = given.zeros(h, m, 32), given.out(h, m, 32), given.out(h, m, 32)
    grid = cdiv(m, TILE), h
    attention[grid](q, k, v, o, sums, True)
    attention_delta[grid](o, do, delta)
    attention_grad[grid](q, k, v, do, sums, delta, dq, dk, dv)
    wide = [exact(x).requires_grad_() for x in (q, k, v)]
    mask = given.torch.ones(m, m).tril().bool()
    s = (wide[0] @ wide[1].transpose(1, 2) * 32**-0.5).masked_fill(~mask, -float("inf"))
    (s.softmax(-1) @ wide[2] * exact(do)).sum().backward()
    return [(got, x.grad, 4e-3) for got, x in zip((dq, dk, dv), wide)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def window_attention(
    Q: ph.tensor[ph.f16][H, M, 32],
    K: ph.tensor[ph.f16][G, M, 32],
    V: ph.tensor[ph.f16][G, M, 32],
    sinks: ph.tensor[ph.f32][H],
    O: ph.tensor[ph.f16][H, M, 32],
    window: ph.i32,
):
    """A sliding window with a learned sink, heads in groups that share keys. After OpenAI's gpt-oss and tilelang's attention_sink examples."""
    h: ph.let = ph.ctx.block.y
    g: ph.let = h // (H // G)
    i: ph.let = ph.ctx.block.x * TILE
    q = Q[h, i:+TILE, :]
    row = (i + ph.iota(TILE))[:, None]
    most: ph.var[ph.tile[ph.f32][TILE]] = sinks[h] + ph.zeros((TILE,))
    total: ph.var[ph.tile[ph.f32][TILE]] = 1.0
    acc: ph.var[ph.tile[ph.f32][TILE, 32]] = 0.0
    for j in range(ph.max(i - window + 1, 0) // TILE * TILE, ph.min(i + TILE, M), TILE):
        column = (j + ph.iota(TILE))[None, :]
        allowed = (column <= row) & (column > row - window)
        most, total, acc = turn(q, K[g, j:+TILE, :], V[g, j:+TILE, :], allowed, 0.17677669529663687, most, total, acc)
    O[h, i:+TILE, :] = acc / total[:, None]


@case(window_attention, (2, 1, 96, 32), (4, 2, 75, 20))
def check_window_attention(given, h, g, m, window):
    torch = given.torch
    q, k, v = (given.normal(heads, m, 32, dtype="f16") for heads in (h, g, g))
    sinks, o = given.normal(h), given.out(h, m, 32, dtype="f16")
    window_attention[cdiv(m, TILE), h](q, k, v, sinks, o, window)
    k, v = (x.repeat_interleave(h // g, 0) for x in (k, v))
    s = scores(torch, q, k, 32**-0.5, torch.ones(m, m).tril().triu(1 - window).bool())
    p = torch.cat([s, exact(sinks)[:, None, None].expand(h, m, 1)], -1).softmax(-1)[..., :-1]
    return [(o, p @ exact(v), 1e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def biased_attention(
    Q: ph.tensor[ph.f16][H, M, 64],
    K: ph.tensor[ph.f16][H, M, 64],
    V: ph.tensor[ph.f16][H, M, 64],
    slopes: ph.tensor[ph.f32][H],
    O: ph.tensor[ph.f16][H, M, 64],
    cap: ph.f32,
):
    """Linear biases for distance (ALiBi) and capped scores. After FlashAttention's ALiBi slopes and FlashInfer's soft capping for Gemma."""
    h: ph.let = ph.ctx.block.y
    i: ph.let = ph.ctx.block.x * TILE
    q = Q[h, i:+TILE, :]
    row = (i + ph.iota(TILE))[:, None]
    most: ph.var[ph.tile[ph.f32][TILE, 1]] = LOWEST
    total: ph.var[ph.tile[ph.f32][TILE, 1]] = 0.0
    acc: ph.var[ph.tile[ph.f32][TILE, 64]] = 0.0
    for j in range(0, i + TILE, TILE):
        column = (j + ph.iota(TILE))[None, :]
        s = cap * ph.tanh(ph.dot_t(q, K[h, j:+TILE, :]) * (0.125 / cap)) - slopes[h] * ph.f32(row - column)
        s = ph.where(column <= row, s, -float("inf"))
        new = ph.max(most, ph.rowmax(s))
        p = ph.exp(s - new)
        fade = ph.exp(most - new)
        most, total, acc = new, total * fade + ph.rowsum(p), acc * fade + ph.dot(ph.f16(p), V[h, j:+TILE, :])
    O[h, i:+TILE, :] = acc / total


@case(biased_attention, (2, 64), (3, 41))
def check_biased_attention(given, h, m):
    torch = given.torch
    q, k, v = (given.normal(h, m, 64, dtype="f16") for _ in range(3))
    slopes, o = given.uniform(h), given.out(h, m, 64, dtype="f16")
    biased_attention[cdiv(m, TILE), h](q, k, v, slopes, o, 2.0)
    place = torch.arange(m).double()
    s = 2 * (scores(torch, q, k, 0.125) / 2).tanh() - exact(slopes)[:, None, None] * (place[:, None] - place)
    return [(o, s.masked_fill(~torch.ones(m, m).tril().bool(), -float("inf")).softmax(-1) @ exact(v), 1e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def ragged_attention(
    Q: ph.tensor[ph.f16][T, H, 32],
    K: ph.tensor[ph.f16][T, H, 32],
    V: ph.tensor[ph.f16][T, H, 32],
    starts: ph.tensor[ph.i32][S],
    O: ph.tensor[ph.f16][T, H, 32],
):
    """Sequences of different lengths one behind the other. After tilelang's example_mha_fwd_varlen and FlashAttention's varlen interface."""
    h: ph.let = ph.ctx.block.y
    begin: ph.let = starts[ph.ctx.block.z]
    end: ph.let = starts[ph.ctx.block.z + 1]
    i: ph.let = begin + ph.ctx.block.x * TILE
    if i >= end:
        return
    q = Q[i:+TILE, h, :]
    most: ph.var[ph.tile[ph.f32][TILE]] = LOWEST
    total: ph.var[ph.tile[ph.f32][TILE]] = 0.0
    acc: ph.var[ph.tile[ph.f32][TILE, 32]] = 0.0
    for j in range(begin, end, TILE):
        allowed = ph.broadcast((j + ph.iota(TILE) < end)[None, :], TILE, TILE)
        most, total, acc = turn(q, K[j:+TILE, h, :], V[j:+TILE, h, :], allowed, 0.17677669529663687, most, total, acc)
    y = acc / total[:, None]
    if i + TILE <= end:
        O[i:+TILE, h, :] = y
    else:
        for r in range(i, end):
            O[r, h, :] = ph.sum(ph.where((i + ph.iota(TILE))[:, None] == r, y, 0.0), axis=0)


@case(ragged_attention, (2, (32, 64)), (1, (7, 40, 1, 33)))
def check_ragged_attention(given, h, lengths):
    t = sum(lengths)
    q, k, v = (given.normal(t, h, 32, dtype="f16") for _ in range(3))
    o = given.out(t, h, 32, dtype="f16")
    starts = given.array([sum(lengths[:s]) for s in range(len(lengths) + 1)])
    ragged_attention[cdiv(max(lengths), TILE), h, len(lengths)](q, k, v, starts, o)
    parts = zip(*(x.transpose(0, 1).split(lengths, 1) for x in (q, k, v)))
    want = [scores(given.torch, a, b, 32**-0.5).softmax(-1) @ exact(c) for a, b, c in parts]
    return [(o, given.torch.cat(want, 1).transpose(0, 1), 1e-3)]


PAGE = 16


@ph.kernel
@ph.launch(64)
def paged_decode(
    Q: ph.tensor[ph.f16][B, H, 32],
    K: ph.tensor[ph.f16][P, PAGE, 32],
    V: ph.tensor[ph.f16][P, PAGE, 32],
    pages: ph.tensor[ph.i32][B, N],
    lengths: ph.tensor[ph.i32][B],
    O: ph.tensor[ph.f32][S, B, H, 32],
    L: ph.tensor[ph.f32][S, B, H],
):
    """One token's attention to a part of its cache, which lies in pages; eight heads share the keys. After vLLM's paged attention and flash decoding."""
    b: ph.let = ph.ctx.block.x
    part: ph.let = ph.ctx.block.y
    q = Q[b, 0:+8, :]
    length: ph.let = lengths[b]
    each: ph.let = ph.cdiv(ph.cdiv(length, PAGE), S)
    most: ph.var[ph.tile[ph.f32][8]] = LOWEST
    total: ph.var[ph.tile[ph.f32][8]] = 0.0
    acc: ph.var[ph.tile[ph.f32][8, 32]] = 0.0
    for n in range(part * each, ph.min((part + 1) * each, ph.cdiv(length, PAGE))):
        page = pages[b, n]
        allowed = ph.broadcast((n * PAGE + ph.iota(PAGE) < length)[None, :], 8, PAGE)
        most, total, acc = turn(q, K[page, :, :], V[page, :, :], allowed, 0.17677669529663687, most, total, acc)
    # A part may be empty.
    O[part, b, 0:+8, :] = acc / ph.where(total > 0, total, 1.0)[:, None]
    L[part, b, 0:+8] = ph.where(total > 0, most + ph.log(total), -float("inf"))


@ph.kernel
@ph.launch(64)
def join_parts(O: ph.tensor[ph.f32][S, B, H, 32], L: ph.tensor[ph.f32][S, B, H], Y: ph.tensor[ph.f16][B, H, 32]):
    """Attention to the parts of a cache joined by their sums. After flash decoding's second kernel, as in tilelang's and FlagGems'."""
    b: ph.let = ph.ctx.block.x
    most: ph.var[ph.tile[ph.f32][8]] = LOWEST
    for s in range(S):
        most = ph.max(most, L[s, b, 0:+8])
    total: ph.var[ph.tile[ph.f32][8]] = 0.0
    acc: ph.var[ph.tile[ph.f32][8, 32]] = 0.0
    for s in range(S):
        weight = ph.exp(L[s, b, 0:+8] - most)
        total += weight
        acc += weight[:, None] * O[s, b, 0:+8, :]
    Y[b, 0:+8, :] = acc / total[:, None]


@case(paged_decode, (8, (64, 48), 1), (8, (37, 1, 90), 3))
def check_paged_decode(given, h, lengths, parts):
    b, n = len(lengths), cdiv(max(lengths), PAGE)
    q = given.normal(b, h, 32, dtype="f16")
    k, v = (given.normal(b * n, PAGE, 32, dtype="f16") for _ in range(2))
    pages, o, sums = given.permutation(b * n).view(b, n), given.out(parts, b, h, 32), given.out(parts, b, h)
    y = given.out(b, h, 32, dtype="f16")
    paged_decode[b, parts](q, k, v, pages, given.array(lengths), o, sums)
    join_parts[b](o, sums, y)
    want = []
    for i, length in enumerate(lengths):
        keys, values = (exact(x)[pages.cpu()[i].long()].view(-1, 32)[:length] for x in (k, v))
        want.append((exact(q)[i] @ keys.t() * 32**-0.5).softmax(-1) @ values)
    return [(y, given.torch.stack(want), 1e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def latent_decode(
    Q: ph.tensor[ph.f16][B, 16, 64],
    R: ph.tensor[ph.f16][B, 16, 16],
    C: ph.tensor[ph.f16][B, N, 64],
    P: ph.tensor[ph.f16][B, N, 16],
    O: ph.tensor[ph.f16][B, 16, 64],
    scale: ph.f32,
):
    """Decoding with one latent vector as key and value, and a part for positions. After tilelang's deepseek_mla example."""
    b: ph.let = ph.ctx.block.x
    q = Q[b, :, :]
    r = R[b, :, :]
    most: ph.var[ph.tile[ph.f32][16, 1]] = LOWEST
    total: ph.var[ph.tile[ph.f32][16, 1]] = 0.0
    acc: ph.var[ph.tile[ph.f32][16, 64]] = 0.0
    for j in range(0, N, TILE):
        c = C[b, j:+TILE, :]
        s = (ph.dot_t(q, c) + ph.dot_t(r, P[b, j:+TILE, :])) * scale
        s = ph.where((j + ph.iota(TILE))[None, :] < N, s, -float("inf"))
        new = ph.max(most, ph.rowmax(s))
        p = ph.exp(s - new)
        fade = ph.exp(most - new)
        total = total * fade + ph.rowsum(p)
        acc = acc * fade + ph.dot(ph.f16(p), c)
        most = new
    O[b, :, :] = acc / total


@case(latent_decode, (2, 64), (1, 77))
def check_latent_decode(given, b, n):
    q, r, c, p = (given.normal(b, *s, dtype="f16") for s in ((16, 64), (16, 16), (n, 64), (n, 16)))
    o = given.out(b, 16, 64, dtype="f16")
    latent_decode[b](q, r, c, p, o, 0.1)
    s = scores(given.torch, q, c, 0.1) + scores(given.torch, r, p, 0.1)
    return [(o, s.softmax(-1) @ exact(c), 1e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def block_sparse_attention(
    Q: ph.tensor[ph.f16][M, 32],
    K: ph.tensor[ph.f16][N, 32],
    V: ph.tensor[ph.f16][N, 32],
    chosen: ph.tensor[ph.bool][A, B],
    O: ph.tensor[ph.f16][M, 32],
):
    """Blocks of keys that a mask leaves out are not read. After tilelang's blocksparse_attention and Helion's flex_attention."""
    i: ph.let = ph.ctx.block.x * TILE
    q = Q[i:+TILE, :]
    most: ph.var[ph.tile[ph.f32][TILE]] = LOWEST
    total: ph.var[ph.tile[ph.f32][TILE]] = 0.0
    acc: ph.var[ph.tile[ph.f32][TILE, 32]] = 0.0
    for b in range(B):
        if not chosen[ph.ctx.block.x, b]:
            continue
        j = b * TILE
        allowed = ph.broadcast((j + ph.iota(TILE) < N)[None, :], TILE, TILE)
        most, total, acc = turn(q, K[j:+TILE, :], V[j:+TILE, :], allowed, 0.17677669529663687, most, total, acc)
    O[i:+TILE, :] = acc / total[:, None]


@case(block_sparse_attention, (64, 128), (50, 100))
def check_block_sparse_attention(given, m, n):
    q, k, v = (given.normal(length, 32, dtype="f16") for length in (m, n, n))
    chosen, o = given.uniform(cdiv(m, TILE), cdiv(n, TILE)) < 0.5, given.out(m, 32, dtype="f16")
    chosen[:, 0] = chosen[0, :] = True
    block_sparse_attention[cdiv(m, TILE)](q, k, v, chosen, o)
    allowed = chosen.cpu().repeat_interleave(TILE, 0).repeat_interleave(TILE, 1)[:m, :n]
    return [(o, scores(given.torch, q, k, 32**-0.5, allowed).softmax(-1) @ exact(v), 1e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def pair_biased_attention(
    Q: ph.tensor[ph.bf16][H, M, 48],
    K: ph.tensor[ph.bf16][H, N, 48],
    V: ph.tensor[ph.bf16][H, N, 48],
    bias: ph.tensor[ph.f32][H, M, N],
    mask: ph.tensor[ph.bool][N],
    gate: ph.tensor[ph.bf16][M, H, 48],
    O: ph.tensor[ph.bf16][M, H, 48],
):
    """Attention with a bias for each pair, a mask of keys and a gate, its head dimension no power of two. After OpenFold's and DeepSpeed's Evoformer attention."""
    h: ph.let = ph.ctx.block.y
    i: ph.let = ph.ctx.block.x * TILE
    q = Q[h, i:+TILE, :]
    most: ph.var[ph.tile[ph.f32][TILE, 1]] = LOWEST
    total: ph.var[ph.tile[ph.f32][TILE, 1]] = 0.0
    acc: ph.var[ph.tile[ph.f32][TILE, 48]] = 0.0
    for j in range(0, N, TILE):
        s = ph.dot_t(q, K[h, j:+TILE, :]) * 0.14433756729740643 + bias[h, i:+TILE, j:+TILE]
        s = ph.where(mask[j:+TILE][None, :], s, -float("inf"))
        new = ph.max(most, ph.rowmax(s))
        p = ph.exp(s - new)
        fade = ph.exp(most - new)
        total = total * fade + ph.rowsum(p)
        acc = acc * fade + ph.dot(ph.bf16(p), V[h, j:+TILE, :])
        most = new
    O[i:+TILE, h, :] = acc / total * ph.sigmoid(ph.f32(gate[i:+TILE, h, :]))


@case(pair_biased_attention, (2, 32, 64), (3, 45, 50))
def check_pair_biased_attention(given, h, m, n):
    q, k, v = (given.normal(h, length, 48, dtype="bf16") for length in (m, n, n))
    bias, mask = given.normal(h, m, n), given.uniform(n) < 0.8
    mask[: n // 2] = False
    gate, o = given.normal(m, h, 48, dtype="bf16"), given.out(m, h, 48, dtype="bf16")
    pair_biased_attention[cdiv(m, TILE), h](q, k, v, bias, mask, gate, o)
    s = (scores(given.torch, q, k, 48**-0.5) + exact(bias)).masked_fill(~mask.cpu(), -float("inf"))
    return [(o, (s.softmax(-1) @ exact(v)).transpose(0, 1) * exact(gate).sigmoid(), 1e-2)]
