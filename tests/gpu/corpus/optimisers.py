"""Steps of optimisers, in place."""

from __future__ import annotations

import numpy
import phobos.lang as ph
from gpu import test_random
from gpu.corpus.cases import case, cdiv, exact

BLOCK = 256


@ph.kernel
@ph.launch(64)
def adamw(
    p: ph.tensor[ph.f32][N],
    g: ph.tensor[ph.f32][N],
    m: ph.tensor[ph.f32][N],
    v: ph.tensor[ph.f32][N],
    rate: ph.f32,
    beta1: ph.f32,
    beta2: ph.f32,
    decay: ph.f32,
    step: ph.i32,
):
    """Adam with decoupled weight decay. After bitsandbytes' Triton optimisers and Apex's fused Adam."""
    at: ph.let = ph.ctx.block.x * BLOCK
    d = g[at:+BLOCK]
    first = beta1 * m[at:+BLOCK] + (1 - beta1) * d
    second = beta2 * v[at:+BLOCK] + (1 - beta2) * d * d
    m[at:+BLOCK] = first
    v[at:+BLOCK] = second
    unbiased = 1 - ph.pow(beta1, ph.f32(step))
    root = ph.sqrt(second / (1 - ph.pow(beta2, ph.f32(step)))) + 1e-8
    p[at:+BLOCK] = p[at:+BLOCK] * (1 - rate * decay) - rate * first / unbiased / root


@case(adamw, (512,), (777,))
def check_adamw(given, n):
    p, g, m, v = given.normal(n), given.normal(n), given.normal(n), given.uniform(n)
    wide, d, first, second = exact(p, g, m, v)
    adamw[cdiv(n, BLOCK)](p, g, m, v, 0.01, 0.9, 0.99, 0.1, 7)
    first, second = 0.9 * first + 0.1 * d, 0.99 * second + 0.01 * d * d
    want = wide * (1 - 0.001) - 0.01 * first / (1 - 0.9**7) / ((second / (1 - 0.99**7)).sqrt() + 1e-8)
    return [(p, want, 1e-5), (m, first, 1e-6), (v, second, 1e-6)]


@ph.kernel
@ph.launch(64)
def lion(p: ph.tensor[ph.bf16][N], g: ph.tensor[ph.bf16][N], m: ph.tensor[ph.f32][N], rate: ph.f32, decay: ph.f32):
    """The sign of a mean of gradient and momentum. After lion-pytorch's triton.py."""
    at: ph.let = ph.ctx.block.x * BLOCK
    d = ph.f32(g[at:+BLOCK])
    old = m[at:+BLOCK]
    p[at:+BLOCK] = ph.f32(p[at:+BLOCK]) * (1 - rate * decay) - rate * ph.std.sign(0.9 * old + 0.1 * d)
    m[at:+BLOCK] = 0.99 * old + 0.01 * d


@case(lion, (256,), (301,))
def check_lion(given, n):
    p, g, m = given.normal(n, dtype="bf16"), given.normal(n, dtype="bf16"), given.normal(n)
    g[3], m[3] = 0, 0
    wide, d, old = exact(p, g, m)
    lion[cdiv(n, BLOCK)](p, g, m, 0.1, 0.2)
    return [(p, wide * 0.98 - 0.1 * (0.9 * old + 0.1 * d).sign(), 4e-3), (m, 0.99 * old + 0.01 * d, 1e-6)]


@ph.kernel
@ph.launch(64)
def sgd(
    p: ph.tensor[ph.f32][N],
    g: ph.tensor[ph.f32][N],
    m: ph.tensor[ph.f32][N],
    rate: ph.f32,
    first: ph.bool,
    nesterov: ph.const[ph.bool],
):
    """Momentum, with Nesterov's correction or without; the first step begins it. After torch's and Apex's fused SGD."""
    at: ph.let = ph.ctx.block.x * BLOCK
    d = g[at:+BLOCK]
    kept = d if first else 0.9 * m[at:+BLOCK] + d
    m[at:+BLOCK] = kept
    p[at:+BLOCK] -= rate * (d + 0.9 * kept if nesterov else kept)


@case(sgd, (256, True, False), (400, False, True))
def check_sgd(given, n, first, nesterov):
    p, g, m = given.normal(n), given.normal(n), given.normal(n)
    wide, d, old = exact(p, g, m)
    sgd[cdiv(n, BLOCK)](p, g, m, 0.1, first, nesterov)
    kept = d if first else 0.9 * old + d
    return [(p, wide - 0.1 * (d + 0.9 * kept if nesterov else kept), 1e-6), (m, kept, 1e-6)]


@ph.kernel
@ph.launch(64)
def squared_norm(g: ph.tensor[ph.f32][N], total: ph.tensor[ph.f32][1]):
    """The sum of squares, by atomics."""
    t = g[ph.ctx.block.x * BLOCK : +BLOCK]
    ph.atomic_add(total[0], ph.sum(t * t))


@ph.kernel
@ph.launch(64)
def clip_norm(g: ph.tensor[ph.f32][N], total: ph.tensor[ph.f32][1], most: ph.f32):
    """Gradients scaled so that their norm is no more than it may be. After Apex's multi-tensor clip_grad_norm."""
    at: ph.let = ph.ctx.block.x * BLOCK
    g[at:+BLOCK] = g[at:+BLOCK] * ph.min(most / (ph.sqrt(total[0]) + 1e-6), 1.0)


@case(clip_norm, (512, 1.0), (700, 100.0))
def check_clip_norm(given, n, most):
    g, total = given.normal(n), given.zeros(1)
    wide = exact(g)
    squared_norm[cdiv(n, BLOCK)](g, total)
    clip_norm[cdiv(n, BLOCK)](g, total, most)
    return [(g, wide * (most / (wide.norm() + 1e-6)).clamp(max=1), 1e-5)]


@ph.kernel
@ph.launch(128)
def adam_8bit(
    p: ph.tensor[ph.f32][N],
    g: ph.tensor[ph.f32][N],
    m: ph.tensor[ph.i8][N],
    scales: ph.tensor[ph.f32][B],
    v: ph.tensor[ph.f32][N],
    rate: ph.f32,
):
    """Adam whose momentum is kept in 8 bits, with a scale for each block. After bitsandbytes' blockwise optimisers."""
    b: ph.let = ph.ctx.block.x
    at: ph.let = b * BLOCK
    d = g[at:+BLOCK]
    first = 0.9 * ph.std.dequantise(m[at:+BLOCK], scales[b]) + 0.1 * d
    second = 0.99 * v[at:+BLOCK] + 0.01 * d * d
    scale = ph.std.absmax_scale(first)
    m[at:+BLOCK] = ph.std.quantise_i8(first, scale)
    scales[b:+1] = scale
    v[at:+BLOCK] = second
    p[at:+BLOCK] -= rate * first / (ph.sqrt(second) + 1e-8)


@case(adam_8bit, (512,), (600,))
def check_adam_8bit(given, n):
    p, g, v = given.normal(n), given.normal(n), given.uniform(n)
    m, scales = given.integers(-127, 128, n, dtype="i8"), given.uniform(cdiv(n, BLOCK))
    wide, d, first, second = exact(p, g, m, v)
    first = 0.9 * first * exact(scales).repeat_interleave(BLOCK)[:n] + 0.1 * d
    adam_8bit[cdiv(n, BLOCK)](p, g, m, scales, v, 0.01)
    second = 0.99 * second + 0.01 * d * d
    scale = given.torch.stack([part.abs().max() / 127 for part in first.split(BLOCK)])
    by_element = scale.repeat_interleave(BLOCK)[:n]
    off = (exact(m) - first / by_element).abs().max()  # at most half a step
    want = wide - 0.01 * first / (second.sqrt() + 1e-8)
    return [(p, want, 1e-5), (scales, scale, 1e-6), (off.view(1), given.torch.tensor([0.5]), 0.005)]


@ph.kernel
@ph.launch(64)
def stochastic_round(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.bf16][N], seed: ph.i32):
    """f32 to bf16, up or down with the probabilities that keep the mean. After torchao's stochastic rounding for bf16 weights."""
    place = ph.ctx.block.x * BLOCK + ph.iota(BLOCK)
    bits = ph.bitcast(x[ph.ctx.block.x * BLOCK : +BLOCK], ph.u32)
    bits = (bits + (ph.randint(seed, place) & 0xFFFF)) & 0xFFFF0000
    y[ph.ctx.block.x * BLOCK : +BLOCK] = ph.bf16(ph.bitcast(bits, ph.f32))


@case(stochastic_round, (4096,), (5000,))
def check_stochastic_round(given, n):
    x, y, torch = given.normal(n), given.out(n, dtype="bf16"), given.torch
    stochastic_round[cdiv(n, BLOCK)](x, y, 3)
    noise = torch.from_numpy(test_random.word(3, numpy.arange(n)).astype("int64")) & 0xFFFF
    bits = (x.cpu().view(torch.int32).long() + noise) >> 16
    return [(y.cpu().view(torch.int16).long() & 0xFFFF, bits & 0xFFFF, 0)]
