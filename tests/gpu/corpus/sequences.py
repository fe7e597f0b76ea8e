"""Dynamic programming, filters and other walks along sequences."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact


@ph.kernel
@ph.launch(64)
def edit_distance(
    a: ph.tensor[ph.u8][B, M], b: ph.tensor[ph.u8][B, N], distance: ph.tensor[ph.i32][B], row: ph.tensor[ph.i32][B, N1]
):
    """Levenshtein distances: a row of the table at a time, insertions by a scan of minima. After RAPIDS' nvtext edit_distance."""
    k: ph.let = ph.ctx.block.x
    column = ph.i32(ph.iota(64)) + 1
    row[k, 0] = 0
    row[k, 1:+64] = column
    for i in range(M):
        # What comes from above and from the left above; then, along the row, one more for each step.
        same = b[k, 0:+64] == a[k, i]
        best = ph.min(row[k, 1:+64] + 1, row[k, 0:+64] + ph.where(same, 0, 1))
        row[k, 0] = i + 1
        row[k, 1:+64] = ph.min(ph.scan(best - column, 0, ph.std.minimum), i + 1) + column
    distance[k] = row[k, N]


@case(edit_distance, (2, 16, 63), (3, 21, 30))
def check_edit_distance(given, batch, m, n):
    a, b = given.integers(0, 3, batch, m, dtype="u8"), given.integers(0, 3, batch, n, dtype="u8")
    distance = given.out(batch, dtype="i32")
    edit_distance[batch](a, b, distance, given.out(batch, n + 1, dtype="i32"))
    want = []
    for x, y in zip(a.tolist(), b.tolist()):
        row = list(range(n + 1))
        for i, c in enumerate(x):
            new = [i + 1]
            for j, d in enumerate(y):
                new.append(min(row[j + 1] + 1, new[j] + 1, row[j] + (c != d)))
            row = new
        want.append(row[n])
    return [(distance, given.torch.tensor(want), 0)]


@ph.kernel
@ph.launch(128)
def log_matmul(A: ph.tensor[ph.f32][M, K], B: ph.tensor[ph.f32][K, N], C: ph.tensor[ph.f32][M, N]):
    """A product of logarithms, sums by log-sum-exp, on tiles of three dimensions. After genbmm's log-semiring product."""
    i: ph.let = ph.ctx.block.x * 8
    j: ph.let = ph.ctx.block.y * 16
    most: ph.var[ph.tile[ph.f32][8, 16]] = -3.0e38
    total: ph.var[ph.tile[ph.f32][8, 16]] = 0.0
    for k in range(0, K, 8):
        a = ph.load(A[i:+8, k:+8], other=-float("inf"))
        s = ph.expand(a, 1) + ph.expand(B[k:+8, j:+16].T, 0)
        m = ph.max(s, axis=2)
        most, total = ph.std.softmax_parts(most, total, m, ph.sum(ph.exp(s - ph.expand(m, 2)), axis=2))
    C[i:+8, j:+16] = most + ph.log(total)


@case(log_matmul, (8, 32, 24), (11, 19, 21))
def check_log_matmul(given, m, n, k):
    a, b, c = given.normal(m, k) * 20 - 40, given.normal(k, n) * 20 - 40, given.out(m, n)
    log_matmul[cdiv(m, 8), cdiv(n, 16)](a, b, c)
    return [(c, (exact(a)[:, :, None] + exact(b)[None]).logsumexp(1), 1e-5)]


@ph.kernel
@ph.launch(128)
def viterbi(
    emission: ph.tensor[ph.f32][B, T, S],
    transition: ph.tensor[ph.f32][S, S],
    back: ph.tensor[ph.i32][B, T, S],
    path: ph.tensor[ph.i32][B, T],
    score: ph.tensor[ph.f32][B],
):
    """The likeliest states of a hidden Markov model: forwards by maxima, backwards along the places kept. After torch-struct's and k2's Viterbi decoding."""
    b: ph.let = ph.ctx.block.x
    moves = ph.load(transition[0:+16, 0:+16], other=-float("inf"))
    best: ph.var = ph.load(emission[b, 0, 0:+16], other=-float("inf"))
    for t in range(1, T):
        by_way = best[:, None] + moves
        back[b, t, 0:+16] = ph.i32(ph.argmax(by_way, axis=0))
        best = ph.max(by_way, axis=0) + emission[b, t, 0:+16]
    score[b] = ph.max(best)
    state: ph.var = ph.i32(ph.argmax(best))
    path[b, T - 1] = state
    for t in range(T - 1, 0, -1):
        state = back[b, t, state]
        path[b, t - 1] = state


@case(viterbi, (2, 8, 16), (3, 11, 5))
def check_viterbi(given, b, t, s):
    torch = given.torch
    emission, transition = given.normal(b, t, s), given.normal(s, s)
    path, score = given.out(b, t, dtype="i32"), given.out(b)
    viterbi[b](emission, transition, given.out(b, t, s, dtype="i32"), path, score)
    best = exact(emission)[:, 0]
    for i in range(1, t):
        best = (best[:, :, None] + exact(transition)).amax(1) + exact(emission)[:, i]
    along = path.cpu().long()
    total = exact(emission).gather(2, along[..., None]).sum((1, 2)) + exact(transition)[
        along[:, :-1], along[:, 1:]
    ].sum(1)
    return [(score, best.amax(1), 1e-5), (total, best.amax(1), 1e-6)]


@ph.fn
def compose(a, b, c, d, x, y, e, f, g, h, u, v):
    """Affine maps of the plane, the first and then the second: matrices [a b; c d] and vectors (x, y)."""
    return e * a + f * c, e * b + f * d, g * a + h * c, g * b + h * d, e * x + f * y + u, g * x + h * y + v


@ph.kernel
@ph.launch(64)
def biquad(
    x: ph.tensor[ph.f32][C, T], y: ph.tensor[ph.f32][C, T], b0: ph.f32, b1: ph.f32, b2: ph.f32, a1: ph.f32, a2: ph.f32
):
    """A recursive filter of order two, as a scan of maps of the plane. After torchaudio's lfilter as an associative scan."""
    c: ph.let = ph.ctx.block.x
    before: ph.var[ph.tile[ph.f32][1]] = 0.0
    further: ph.var[ph.tile[ph.f32][1]] = 0.0
    one = ph.full((128,), 1.0)
    none = ph.zeros((128,))
    for t in range(0, T, 128):
        driven = b0 * x[c, t:+128] + b1 * x[c, t - 1 : +128] + b2 * x[c, t - 2 : +128]
        p, q, r, s, u, v = ph.scan((-a1 * one, -a2 * one, one, none, driven, none), 0, compose)
        here = p * before + q * further + u
        there = r * before + s * further + v
        y[c, t:+128] = here
        last = ph.iota(128) == 127
        before = ph.sum(ph.where(last, here, 0.0)) + ph.zeros((1,))
        further = ph.sum(ph.where(last, there, 0.0)) + ph.zeros((1,))


@case(biquad, (2, 256), (3, 300))
def check_biquad(given, c, t):
    x, y = given.normal(c, t), given.out(c, t)
    b0, b1, b2, a1, a2 = 0.2, 0.3, 0.1, -1.2, 0.5
    biquad[c](x, y, b0, b1, b2, a1, a2)
    wide, want = exact(x), given.torch.zeros(c, t + 2).double()
    for i in range(t):
        driven = b0 * wide[:, i] + (b1 * wide[:, i - 1] if i > 0 else 0) + (b2 * wide[:, i - 2] if i > 1 else 0)
        want[:, i + 2] = driven - a1 * want[:, i + 1] - a2 * want[:, i]
    return [(y, want[:, 2:], 1e-4)]


@ph.kernel
@ph.launch(64)
def connectionist(
    log_probs: ph.tensor[ph.f32][B, T, C],
    targets: ph.tensor[ph.i32][B, L],
    alpha: ph.tensor[ph.f32][B, 2, S],
    loss: ph.tensor[ph.f32][B],
):
    """Connectionist temporal classification: sums over alignments, states kept in memory between steps. After k2's and warp-ctc's forward kernels."""
    b: ph.let = ph.ctx.block.x
    s = ph.i32(ph.iota(32))
    label: ph.var[ph.tile[ph.i32][32]] = 0
    skips: ph.var[ph.tile[ph.bool][32]] = s < 0
    for i in range(L):
        here = s == 2 * i + 1
        label = ph.where(here, targets[b, i], label)
        skips = skips | (here & (i > 0 and targets[b, i] != targets[b, ph.max(i - 1, 0)]))
    for t in range(T):
        emitted: ph.var[ph.tile[ph.f32][32]] = 0.0
        for c in range(C):
            emitted = ph.where(label == c, log_probs[b, t, c], emitted)
        if t == 0:
            new = ph.where(s < 2, emitted, -1.0e30)
        else:
            old = (t - 1) % 2
            stay = alpha[b, old, 2:+32]
            step = alpha[b, old, 1:+32]
            jump = ph.where(skips, alpha[b, old, 0:+32], -1.0e30)
            most = ph.max(stay, ph.max(step, jump))
            new = most + ph.log(ph.exp(stay - most) + ph.exp(step - most) + ph.exp(jump - most)) + emitted
        alpha[b, t % 2, 0:+2] = ph.full((2,), -1.0e30)  # before the first state
        alpha[b, t % 2, 2:+32] = new
    last = 2 * L + 2
    loss[b] = -ph.std.log_add_exp(alpha[b, (T - 1) % 2, last], alpha[b, (T - 1) % 2, last - 1])


@case(connectionist, (2, 32, 6, 15), (3, 13, 4, 4))
def check_connectionist(given, b, t, c, length):
    log_probs, targets = given.normal(b, t, c).log_softmax(2), given.integers(1, c, b, length)
    if length > 10:
        targets[:, 1::2] = 1 + targets[:, ::2][:, : length // 2] % (c - 1)
    loss = given.out(b)
    connectionist[b](log_probs, targets, given.out(b, 2, 2 * length + 3), loss)
    want = given.torch.nn.functional.ctc_loss(
        exact(log_probs).transpose(0, 1), targets.cpu().long(), (t,) * b, (length,) * b, reduction="none"
    )
    return [(loss, want, 1e-5)]
