"""Kernels that draw random numbers."""

from __future__ import annotations

import numpy
import phobos.lang as ph
from gpu import test_random
from gpu.corpus.cases import case, cdiv, exact

BLOCK = 256


def uniform(torch, seed: int, n: int):
    """What ph.rand draws at offsets 0 to n - 1."""
    return torch.from_numpy(test_random.uniform(test_random.word(seed, numpy.arange(n)))).double()


@ph.kernel
@ph.launch(64)
def dropout_add(
    x: ph.tensor[ph.f32][N], residual: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], p: ph.f32, seed: ph.i64
):
    """Dropout that keeps no mask, plus a residual. After Triton's tutorial 04-low-memory-dropout and FlagGems' dropout."""
    at: ph.let = ph.ctx.block.x * BLOCK
    kept = ph.rand(seed, at + ph.iota(BLOCK)) >= p
    y[at:+BLOCK] = ph.where(kept, x[at:+BLOCK] / (1 - p), 0.0) + residual[at:+BLOCK]


@case(dropout_add, (512, 0.5, 123), (700, 0.1, 2**40 + 7))
def check_dropout_add(given, n, p, seed):
    x, residual, y = given.normal(n), given.normal(n), given.out(n)
    dropout_add[cdiv(n, BLOCK)](x, residual, y, p, seed)
    kept = uniform(given.torch, seed, n) >= p
    return [(y, given.torch.where(kept, exact(x) / (1 - p), 0 * exact(x)) + exact(residual), 1e-6)]


@ph.kernel
@ph.launch(64)
def box_muller(y: ph.tensor[ph.f32][N], mean: ph.f32, deviation: ph.f32, seed: ph.i32):
    """Pairs of normal numbers from pairs of uniform ones. After FlagGems' randn and normal."""
    at: ph.let = ph.ctx.block.x * BLOCK
    u = 1 - ph.rand(seed, at + ph.iota(BLOCK))
    angle = 6.283185307179586 * ph.rand(seed + 1, at + ph.iota(BLOCK))
    radius = ph.sqrt(-2 * ph.log(u))
    pair = ph.join(radius * ph.cos(angle), radius * ph.sin(angle))
    y[2 * at : +2 * BLOCK] = mean + deviation * ph.reshape(pair, 2 * BLOCK)


@case(box_muller, (1024, 5), (1400, 6))
def check_box_muller(given, n, seed):
    y, torch = given.out(n), given.torch
    box_muller[cdiv(n, 2 * BLOCK)](y, 1.0, 2.0, seed)
    u, angle = 1 - uniform(torch, seed, n // 2), 6.283185307179586 * uniform(torch, seed + 1, n // 2)
    radius = (-2 * u.log()).sqrt()
    return [(y, 1 + 2 * torch.stack([radius * angle.cos(), radius * angle.sin()], 1).view(-1), 1e-4)]


@ph.kernel
@ph.launch(128)
def monte_carlo_pi(hits: ph.tensor[ph.i32][1], seed: ph.i32, turns: ph.i32):
    """Points of a square that are in a circle, counted. After Numba's Monte Carlo pi."""
    at: ph.let = ph.ctx.block.x * turns * BLOCK
    count: ph.var = ph.i32(0)
    for turn in range(turns):
        place = at + turn * BLOCK + ph.iota(BLOCK)
        x = ph.rand(seed, place)
        y = ph.rand(seed + 1, place)
        count += ph.sum(x * x + y * y < 1.0)
    ph.atomic_add(hits[0], count)


@case(monte_carlo_pi, (4, 4), (3, 7))
def check_monte_carlo_pi(given, blocks, turns):
    hits, n = given.zeros(1, dtype="i32"), blocks * turns * BLOCK
    monte_carlo_pi[blocks](hits, 11, turns)
    x, y = uniform(given.torch, 11, n), uniform(given.torch, 12, n)
    return [(hits.double() / n, (x * x + y * y < 1).double().mean().view(1), 2 / n)]


@ph.kernel
@ph.launch(64)
def sample(logits: ph.tensor[ph.f32][R, V], tokens: ph.tensor[ph.i32][R], temperature: ph.f32, seed: ph.i32):
    """A token of each row's distribution: the greatest after adding Gumbel noise. After vLLM's gumbel_sample kernel."""
    row: ph.let = ph.ctx.block.x
    best: ph.var = -float("inf")
    token: ph.var = ph.i32(0)
    for j in range(0, V, 128):
        column = j + ph.iota(128)
        noise = -ph.log(-ph.log(ph.rand(seed, row * V + column) + 1e-7))
        score = ph.where(column < V, logits[row, j:+128] / temperature + noise, -float("inf"))
        m = ph.max(score)
        if m > best:
            best = m
            token = ph.i32(j + ph.argmax(score))
    tokens[row] = token


@case(sample, (8, 128), (11, 300))
def check_sample(given, r, v):
    logits, tokens = given.normal(r, v), given.out(r, dtype="i32")
    sample[r](logits, tokens, 0.7, 9)
    noise = -(-(uniform(given.torch, 9, r * v).view(r, v) + 1e-7).log()).log()
    return [(tokens, (exact(logits) / 0.7 + noise).argmax(1), 0)]


@ph.kernel
@ph.launch(64)
def top_p(logits: ph.tensor[ph.f32][R, V], y: ph.tensor[ph.f32][R, V], p: ph.f32):
    """Probabilities of the likeliest tokens that make up p, by bisection of the least that is kept. After FlashInfer's sorting-free top-p sampling."""
    row: ph.let = ph.ctx.block.x
    t = ph.std.softmax(ph.load(logits[row, 0:+128], other=-float("inf")))
    low: ph.var = 0.0
    high: ph.var = ph.max(t)
    while ph.sum(ph.where(t > low, t, 0.0)) >= p and high - low > 1e-7:
        middle = (low + high) / 2
        if ph.sum(ph.where(t > middle, t, 0.0)) >= p:
            low = middle
        else:
            high = middle
    kept = ph.where(t > low, t, 0.0)
    y[row, 0:+128] = kept / ph.sum(kept)


@case(top_p, (4, 128, 0.5), (5, 90, 0.9))
def check_top_p(given, r, v, p):
    logits, y, torch = given.normal(r, v), given.out(r, v), given.torch
    top_p[r](logits, y, p)
    ordered = exact(logits).softmax(1).sort(1, descending=True)
    kept = torch.where(ordered.values.cumsum(1) - ordered.values < p, ordered.values, 0 * ordered.values)
    want = torch.zeros(r, v).double().scatter(1, ordered.indices, kept)
    return [(y, want / want.sum(1, keepdim=True), 1e-5)]


@ph.kernel
@ph.launch(64)
def random_walks(
    ends: ph.tensor[ph.f32][N],
    mean: ph.tensor[ph.f32][1],
    steps: ph.i32,
    seed: ph.i32,
    drift: ph.f32,
    volatility: ph.f32,
):
    """Prices of an option by random walks. After the CUDA samples' Monte Carlo option pricing."""
    walk = ph.ctx.block.x * BLOCK + ph.iota(BLOCK)
    x: ph.var[ph.tile[ph.f32][BLOCK]] = 0.0
    for step in range(steps):
        x += drift + volatility * (2 * ph.rand(seed + step, walk) - 1)
    price = ph.max(ph.exp(x) - 1, 0)
    ends[ph.ctx.block.x * BLOCK : +BLOCK] = price
    ph.atomic_add(mean[0], ph.sum(ph.where(walk < N, price, 0.0)) / N)


@case(random_walks, (512, 8), (700, 5))
def check_random_walks(given, n, steps):
    ends, mean = given.out(n), given.zeros(1)
    random_walks[cdiv(n, BLOCK)](ends, mean, steps, 4, 0.01, 0.2)
    x = sum(0.01 + 0.2 * (2 * uniform(given.torch, 4 + step, n) - 1) for step in range(steps))
    want = (x.exp() - 1).clamp(min=0)
    return [(ends, want, 1e-5), (mean, want.mean().view(1), 1e-5)]
