"""Running sums and recurrences: along rows, over blocks, by chunks with products."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

BLOCK = 128


@ph.kernel
@ph.launch(64)
def block_sums(x: ph.tensor[ph.f32][N], sums: ph.tensor[ph.f32][B]):
    """The sum of each block."""
    sums[ph.ctx.block.x] = ph.sum(x[ph.ctx.block.x * BLOCK : +BLOCK])


@ph.kernel
@ph.launch(64)
def scan_then_add(x: ph.tensor[ph.f32][N], sums: ph.tensor[ph.f32][B], y: ph.tensor[ph.f32][N]):
    """Running sums of a long vector: those of a block, and the blocks before it. After FlagGems' cumsum, scan and fan."""
    block: ph.let = ph.ctx.block.x
    before: ph.var = 0.0
    for b in range(0, block, BLOCK):
        before += ph.sum(ph.where(b + ph.iota(BLOCK) < block, sums[b:+BLOCK], 0.0))
    y[block * BLOCK : +BLOCK] = ph.cumsum(x[block * BLOCK : +BLOCK]) + before


@case(scan_then_add, (512,), (1000,))
def check_scan_then_add(given, n):
    x, sums, y = given.normal(n), given.out(cdiv(n, BLOCK)), given.out(n)
    block_sums[cdiv(n, BLOCK)](x, sums)
    scan_then_add[cdiv(n, BLOCK)](x, sums, y)
    return [(y, exact(x).cumsum(0), 1e-5)]


@ph.kernel
@ph.launch(64)
def chained_scan(
    x: ph.tensor[ph.i32][N],
    y: ph.tensor[ph.i32][N],
    ticket: ph.tensor[ph.i32][1],
    sums: ph.tensor[ph.i32][B1],
    ready: ph.tensor[ph.i32][B1],
):
    """Running sums in one launch: blocks take numbers, and wait for the sum of the one before. After TorchInductor's decoupled look-back scan in triton_helpers.py."""
    block: ph.let = ph.atomic_add(ticket[0], 1)
    t = x[block * BLOCK : +BLOCK]
    while ph.atomic_add(ready[block], 0, order="acquire") == 0:
        pass
    before = sums[block]
    sums[block + 1] = before + ph.sum(t)
    ph.atomic_xchg(ready[block + 1], 1, order="release")
    y[block * BLOCK : +BLOCK] = ph.cumsum(t) + before


@case(chained_scan, (512,), (777,))
def check_chained_scan(given, n):
    blocks = cdiv(n, BLOCK)
    x, y = given.integers(-999, 999, n), given.out(n, dtype="i32")
    sums, ready = given.zeros(blocks + 1, dtype="i32"), given.zeros(blocks + 1, dtype="i32")
    ready[0] = 1
    chained_scan[blocks](x, y, given.zeros(1, dtype="i32"), sums, ready)
    return [(y, x.cumsum(0).int(), 0)]


@ph.fn
def later_greatest(a, i, b, j):
    take_b: ph.let = b >= a
    return b if take_b else a, j if take_b else i


@ph.kernel
@ph.launch(64)
def cummax(x: ph.tensor[ph.f32][M, N], values: ph.tensor[ph.f32][M, N], places: ph.tensor[ph.i32][M, N]):
    """The greatest so far and its place, rows in turns. After FlagGems' cummax."""
    row: ph.let = ph.ctx.block.x * 4
    best: ph.var[ph.tile[ph.f32][4, 1]] = -float("inf")
    at: ph.var[ph.tile[ph.i32][4, 1]] = 0
    for j in range(0, N, 64):
        t = ph.load(x[row:+4, j:+64], other=-float("inf"))
        column = ph.broadcast(ph.i32(j + ph.iota(64))[None, :], 4, 64)
        v, p = ph.scan((t, column), 1, later_greatest)
        p = ph.where(v >= best, p, at)
        v = ph.max(v, best)
        values[row:+4, j:+64] = v
        places[row:+4, j:+64] = p
        last = ph.iota(64)[None, :] == 63
        best = ph.max(v, axis=1, keepdims=True)
        at = ph.sum(ph.where(last, p, 0), axis=1, keepdims=True)


@case(cummax, (4, 128), (7, 150))
def check_cummax(given, m, n):
    x = given.integers(-20, 20, m, n).float()  # of equal ones the last, as in torch
    values, places = given.out(m, n), given.out(m, n, dtype="i32")
    cummax[cdiv(m, 4)](x, values, places)
    want = x.cpu().cummax(1)
    return [(values, want.values, 0), (places, want.indices, 0)]


@ph.fn
def until_flag(a, begins, b, other_begins):
    """Sums that a begin cuts off from what came before."""
    return b if other_begins != 0 else a + b, begins | other_begins


@ph.kernel
@ph.launch(64)
def segment_sums(x: ph.tensor[ph.f32][N, D], segment: ph.tensor[ph.i32][N], sums: ph.tensor[ph.f32][S, D]):
    """Sums of rows whose sorted segment numbers are equal: a segmented scan, of which each segment's last row is added. After Helion's segment_reduction.py."""
    i: ph.let = ph.ctx.block.x * 16
    here = segment[i:+16]
    begins = ph.i32(here != segment[i - 1 : +16])
    t = x[i:+16, 0:+16]
    total, _ = ph.scan((t, ph.broadcast(begins[:, None], 16, 16)), 0, until_flag)
    place = i + ph.iota(16)
    last = ((here != segment[i + 1 : +16]) | (ph.iota(16) == 15) | (place == N - 1)) & (place < N)
    for r in range(16):
        this = ph.iota(16) == r
        if ph.any(this & last):
            ph.atomic_add(sums[segment[i + r], 0:+16], ph.sum(ph.where(this[:, None], total, 0.0), axis=0))


@case(segment_sums, (32, 16, 5), (45, 11, 9))
def check_segment_sums(given, n, d, s):
    x, segment, sums = given.normal(n, d), given.integers(0, s, n).sort().values, given.zeros(s, d)
    segment_sums[cdiv(n, 16)](x, segment, sums)
    return [(sums, given.torch.zeros(s, d).double().index_add(0, segment.cpu(), exact(x)), 1e-5)]


@ph.kernel
@ph.launch(64)
def gated_recurrence(x: ph.tensor[ph.f32][B, T, D], gate: ph.tensor[ph.f32][B, T, D], h: ph.tensor[ph.f32][B, T, D]):
    """h[t] = sigmoid(gate) h[t - 1] + (1 - sigmoid(gate)) x[t], by scans of chunks. After flash-linear-attention's hgrn."""
    b: ph.let = ph.ctx.block.y
    d: ph.let = ph.ctx.block.x * 16
    state: ph.var[ph.tile[ph.f32][1, 16]] = 0.0
    for t in range(0, T, 32):
        forget = ph.sigmoid(gate[b, t:+32, d:+16])
        decay, added = ph.scan((forget, (1 - forget) * x[b, t:+32, d:+16]), 0, ph.std.affine)
        chunk = decay * state + added
        h[b, t:+32, d:+16] = chunk
        state = ph.sum(ph.where(ph.iota(32)[:, None] == 31, chunk, 0.0), axis=0, keepdims=True)


@case(gated_recurrence, (1, 64, 16), (2, 75, 21))
def check_gated_recurrence(given, b, t, d):
    x, gate, h = given.normal(b, t, d), given.normal(b, t, d), given.out(b, t, d)
    gated_recurrence[cdiv(d, 16), b](x, gate, h)
    forget, state, want = exact(gate).sigmoid(), 0, []
    for i in range(t):
        state = forget[:, i] * state + (1 - forget[:, i]) * exact(x)[:, i]
        want.append(state)
    return [(h, given.torch.stack(want, 1), 1e-5)]


@ph.kernel
@ph.launch(64)
def selective_scan(
    u: ph.tensor[ph.f32][B, D, T], delta: ph.tensor[ph.f32][B, D, T], A: ph.tensor[ph.f32][D, 16], bs: ph.tensor[ph.f32][B, T, 16],
    cs: ph.tensor[ph.f32][B, T, 16], skip: ph.tensor[ph.f32][D], z: ph.tensor[ph.f32][B, D, T], y: ph.tensor[ph.f32][B, D, T],
):  # fmt: skip
    """A state-space model whose steps and inputs depend on the token, with a gate. After Mamba's selective_scan."""
    b: ph.let = ph.ctx.block.y
    d: ph.let = ph.ctx.block.x
    a = A[d, :][None, :]
    state: ph.var[ph.tile[ph.f32][1, 16]] = 0.0
    for t in range(0, T, 32):
        x = u[b, d, t:+32]
        step = ph.std.softplus(delta[b, d, t:+32])[:, None]
        decay, added = ph.scan((ph.exp(step * a), step * bs[b, t:+32, :] * x[:, None]), 0, ph.std.affine)
        states = decay * state + added
        g = z[b, d, t:+32]
        y[b, d, t:+32] = (ph.sum(states * cs[b, t:+32, :], axis=1) + skip[d] * x) * ph.std.silu(g)
        state = ph.sum(ph.where(ph.iota(32)[:, None] == 31, states, 0.0), axis=0, keepdims=True)


@case(selective_scan, (1, 2, 64), (2, 3, 45))
def check_selective_scan(given, b, d, t):
    torch = given.torch
    u, delta, z, y = given.normal(b, d, t), given.normal(b, d, t), given.normal(b, d, t), given.out(b, d, t)
    a, skip, bs, cs = -given.uniform(d, 16), given.normal(d), given.normal(b, t, 16), given.normal(b, t, 16)
    selective_scan[d, b](u, delta, a, bs, cs, skip, z, y)
    step, state, want = torch.nn.functional.softplus(exact(delta)), 0, []
    for i in range(t):
        s = step[:, :, i, None]
        state = (s * exact(a)).exp() * state + s * exact(bs)[:, i, None] * exact(u)[:, :, i, None]
        want.append((state * exact(cs)[:, i, None]).sum(-1))
    out = torch.stack(want, -1) + exact(skip)[:, None] * exact(u)
    return [(y, out * torch.nn.functional.silu(exact(z)), 1e-5)]


CHUNK = 16


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def retention(
    Q: ph.tensor[ph.f16][H, T, 32], K: ph.tensor[ph.f16][H, T, 32], V: ph.tensor[ph.f16][H, T, 32], O: ph.tensor[ph.f32][H, T, 32],
    rates: ph.tensor[ph.f32][H],
):  # fmt: skip
    """Linear attention with decay, chunk by chunk: inside by a masked product, before by a state. After flash-linear-attention's and tilelang's retention."""
    h: ph.let = ph.ctx.block.x
    rate: ph.let = rates[h]  # the logarithm of the decay of a step
    place = ph.f32(ph.iota(CHUNK))
    away = place[:, None] - place[None, :]
    inside = ph.where(away >= 0, ph.exp(ph.max(away, 0.0) * rate), 0.0)
    state: ph.var[ph.tile[ph.f32][32, 32]] = 0.0
    for t in range(0, T, CHUNK):
        q = Q[h, t:+CHUNK, :]
        k = K[h, t:+CHUNK, :]
        v = V[h, t:+CHUNK, :]
        near = ph.dot(ph.f16(ph.dot_t(q, k) * inside), v)
        far = ph.dot(q, ph.f16(state)) * ph.exp((place + 1) * rate)[:, None]
        O[h, t:+CHUNK, :] = near + far
        faded = ph.f16(ph.f32(k) * ph.exp((CHUNK - 1 - place) * rate)[:, None])
        state = state * ph.exp(CHUNK * rate) + ph.dot(faded.T, v)


@case(retention, (2, 64), (1, 45))
def check_retention(given, h, t):
    torch = given.torch
    q, k, v = (given.normal(h, t, 32, dtype="f16") * 0.5 for _ in range(3))
    o, rates = given.out(h, t, 32), -given.uniform(h, low=0.02, high=0.3)
    retention[h](q, k, v, o, rates)
    away = (torch.arange(t)[:, None] - torch.arange(t)).double()
    decay = (away.clamp(min=0) * exact(rates)[:, None, None]).exp().tril()
    return [(o, (exact(q) @ exact(k).transpose(1, 2) * decay) @ exact(v), 1e-2)]


@ph.kernel
@ph.launch(64)
def delta_rule(
    Q: ph.tensor[ph.f32][H, T, 16], K: ph.tensor[ph.f32][H, T, 16], V: ph.tensor[ph.f32][H, T, 32], beta: ph.tensor[ph.f32][H, T],
    gate: ph.tensor[ph.f32][H, T], O: ph.tensor[ph.f32][H, T, 32], S: ph.tensor[ph.f32][H, 16, 32],
):  # fmt: skip
    """A state that fades and is corrected towards each value, step by step. After flash-linear-attention's gated_delta_rule, fused_recurrent."""
    h: ph.let = ph.ctx.block.x
    state: ph.var = S[h, :, :]
    for t in range(T):
        k = K[h, t, :][:, None]
        state = state * ph.exp(gate[h, t])
        wrong = V[h, t, :] - ph.sum(state * k, axis=0)
        state += k * (beta[h, t] * wrong)[None, :]
        O[h, t, :] = ph.sum(state * Q[h, t, :][:, None], axis=0)
    S[h, :, :] = state


@case(delta_rule, (1, 16), (3, 21))
def check_delta_rule(given, h, t):
    torch = given.torch
    q, k = (torch.nn.functional.normalize(given.normal(h, t, 16), dim=-1) for _ in range(2))
    v, beta, gate = given.normal(h, t, 32), given.uniform(h, t), -given.uniform(h, t)
    o, state = given.out(h, t, 32), given.normal(h, 16, 32)
    s, want = exact(state), []
    delta_rule[h](q, k, v, beta, gate, o, state)
    for i in range(t):
        s = s * exact(gate)[:, i].exp()[:, None, None]
        key = exact(k)[:, i, :, None]
        s = s + key * (exact(beta)[:, i, None] * (exact(v)[:, i] - (s * key).sum(1)))[:, None]
        want.append((s * exact(q)[:, i, :, None]).sum(1))
    return [(o, torch.stack(want, 1), 1e-5), (state, s, 1e-5)]


@ph.kernel
@ph.launch(64)
def wkv(
    k: ph.tensor[ph.f32][B, T, D],
    v: ph.tensor[ph.f32][B, T, D],
    decay: ph.tensor[ph.f32][D],
    bonus: ph.tensor[ph.f32][D],
    y: ph.tensor[ph.f32][B, T, D],
):
    """Averages of values under weights that decay, kept beside the greatest exponent. After flash-linear-attention's rwkv4."""
    b: ph.let = ph.ctx.block.y
    d: ph.let = ph.ctx.block.x * 32
    w = -ph.exp(decay[d:+32])
    u = bonus[d:+32]
    top: ph.var[ph.tile[ph.f32][32]] = 0.0
    bottom: ph.var[ph.tile[ph.f32][32]] = 0.0
    most: ph.var[ph.tile[ph.f32][32]] = -1.0e38
    for t in range(T):
        key = k[b, t, d:+32]
        value = v[b, t, d:+32]
        here = ph.max(most, u + key)
        old, new = ph.exp(most - here), ph.exp(u + key - here)
        y[b, t, d:+32] = (old * top + new * value) / (old * bottom + new)
        kept = ph.max(most + w, key)
        old, new = ph.exp(most + w - kept), ph.exp(key - kept)
        top, bottom, most = old * top + new * value, old * bottom + new, kept


@case(wkv, (1, 16, 32), (2, 13, 50))
def check_wkv(given, b, t, d):
    k, v, decay, bonus, y = (
        given.normal(b, t, d) * 10,
        given.normal(b, t, d),
        given.normal(d),
        given.normal(d),
        given.out(b, t, d),
    )
    wkv[cdiv(d, 32), b](k, v, decay, bonus, y)
    top = bottom = 0
    want = []
    for i in range(t):
        key, value = exact(k)[:, i], exact(v)[:, i]
        new = (exact(bonus) + key).exp()
        want.append((top + new * value) / (bottom + new))
        fade = (-exact(decay).exp()).exp()
        top, bottom = fade * top + key.exp() * value, fade * bottom + key.exp()
    return [(y, given.torch.stack(want, 1), 1e-5)]


@ph.kernel
@ph.launch(64)
def local_cumsum(g: ph.tensor[ph.f32][T, H], y: ph.tensor[ph.f32][T, H], reverse: ph.const[ph.bool]):
    """Running sums that begin anew with each chunk, from either end. After flash-linear-attention's chunk_local_cumsum."""
    t: ph.let = ph.ctx.block.x * CHUNK
    x = g[t:+CHUNK, 0:+8]
    sums = ph.cumsum(x, 0)
    y[t:+CHUNK, 0:+8] = ph.sum(x, axis=0, keepdims=True) - sums + x if reverse else sums


@case(local_cumsum, (64, 8, False), (41, 5, True))
def check_local_cumsum(given, t, h, reverse):
    g, y = given.normal(t, h), given.out(t, h)
    local_cumsum[cdiv(t, CHUNK)](g, y, reverse)
    turn = (lambda x: x.flip(0)) if reverse else lambda x: x
    return [(y, given.torch.cat([turn(turn(part).cumsum(0)) for part in exact(g).split(CHUNK)]), 1e-5)]
