"""ph.std.attention against float64: random shapes, heads in groups, masks of all kinds, widths that are no powers of two, scores whose maxima keep growing; and twice for races."""

from __future__ import annotations

import random

import pytest
from conftest import ROOT, import_file

CASES = 300
KERNEL = """
@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
def attend(
    Q: ph.tensor[ph.{dtype}][B, H, M, D], K: ph.tensor[ph.{dtype}][B, G, N, D], V: ph.tensor[ph.{dtype}][B, G, N, D], O: ph.tensor[ph.{dtype}][B, H, M, D],
    L: ph.tensor[ph.f32][B, H, M], scale: ph.f32, shift: ph.i32,
):
    row: ph.let = ph.ctx.block.x * {height}
    o, sums = ph.std.attention(
        Q, K, V, ph.ctx.block.z, ph.ctx.block.y, row, {height}, {width}, {head}, scale, causal={causal}, shift=shift, window={window}
    )
    O[ph.ctx.block.z, ph.ctx.block.y, row:+{height}, 0:+{head}] = o
    L[ph.ctx.block.z, ph.ctx.block.y, row:+{height}] = ph.flat(sums)
"""
TYPES = {"f16": ("float16", 6e-4), "bf16": ("bfloat16", 4e-3)}


def wanted(torch, q, k, v, scale, causal, shift, window):
    """(o, the logarithms of rows' sums) in float64; rows that see no key are zeros, and minus infinity."""
    k, v = (x.double().repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    m, n = q.shape[2], k.shape[2]
    s = q.double() @ k.transpose(2, 3) * scale
    row, column = torch.arange(m, device="cuda")[:, None] + shift, torch.arange(n, device="cuda")[None, :]
    seen = torch.ones((m, n), device="cuda", dtype=torch.bool)
    if causal:
        seen &= column <= row
    if window:
        seen &= column > row - window
    s = s.masked_fill(~seen, -float("inf"))
    return torch.softmax(s, 3).nan_to_num(0.0) @ v, torch.logsumexp(s, 3)


def run(torch, load_kernels, b, h, g, m, n, d, dtype, causal, shift, window, height, width, persistent, grow):
    generator = torch.Generator(device="cuda").manual_seed(m * n + d)
    name, tolerance = TYPES[dtype]
    q, k, v = (torch.randn((b, heads, length, d), device="cuda", generator=generator) for heads, length in ((h, m), (g, n), (g, n)))
    if grow:
        k *= torch.linspace(0.1, 5, n, device="cuda")[:, None]
    q, k, v = (x.to(getattr(torch, name)) for x in (q, k, v))
    head = max(16, 1 << (d - 1).bit_length())
    text = KERNEL.format(
        threads=2 * height, more="\n@ph.persistent" if persistent else "", dtype=dtype, height=height, width=width, head=head, causal=causal, window=window
    )
    attend = load_kernels(text).attend
    o, sums = torch.full_like(q, float("nan")), torch.full((b, h, m), float("nan"), device="cuda")
    attend[-(-m // height), h, b](q, k, v, o, sums, d**-0.5, shift)
    torch.cuda.synchronize()
    want, logarithms = wanted(torch, q, k, v, d**-0.5, causal, shift, window)
    assert (o.double() - want).norm() <= tolerance * want.norm()
    assert torch.allclose(sums.double(), logarithms, atol=1e-3, rtol=1e-4)
    again = torch.full_like(o, float("nan"))
    attend[-(-m // height), h, b](q, k, v, again, sums, d**-0.5, shift)
    torch.cuda.synchronize()
    assert torch.equal(again, o)


@pytest.mark.parametrize("case", range(CASES))
def test_random(case, load_kernels, torch):
    draw = random.Random(case)
    g = draw.choice([1, 1, 2])
    h = g * draw.choice([1, 2, 3])
    m, n = draw.randint(1, 300), draw.randint(1, 300)
    d = draw.choice([16, 32, 40, 64, 64, 80, 96, 128, 128])
    causal = draw.random() < 0.5
    window = draw.choice([0, 0, 1, 17, 100])
    shift = draw.choice([0, 0, n - m, 5, -7]) if causal or window else 0
    height = draw.choice([64, 128])
    width = draw.choice([32, 64, 128]) if d <= 64 else draw.choice([32, 64])
    run(
        torch, load_kernels, draw.choice([1, 2]), h, g, m, n, d, draw.choice(["f16", "bf16"]), causal, shift, window, height, width,
        persistent=draw.random() < 0.5, grow=draw.random() < 0.3,
    )  # fmt: skip


@pytest.mark.parametrize("d", [64, 128, 256])
def test_one_query(d, load_kernels, torch):
    run(torch, load_kernels, 2, 4, 2, 1, 333, d, "f16", False, 0, 0, 64, 32, persistent=False, grow=False)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_queries_that_registers_do_not_hold(causal, persistent, load_kernels, torch):
    """Of width 256: with wgmma they stay in shared memory, brought once a block, each time when the block before has read its own."""
    run(torch, load_kernels, 2, 4, 2, 200, 150, 256, "f16", causal, 0, 0, 64, 32, persistent=persistent, grow=False)


BIASED = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def attend(
    Q: ph.tensor[ph.f16][B, H, M, D], K: ph.tensor[ph.f16][B, G, N, D], V: ph.tensor[ph.f16][B, G, N, D], O: ph.tensor[ph.f32][B, H, M, D],
    bias: ph.tensor[ph.f32][B, H, M, N], scale: ph.f32,
):
    row: ph.let = ph.ctx.block.x * 64
    o, _ = ph.std.attention(Q, K, V, ph.ctx.block.z, ph.ctx.block.y, row, 64, 32, 64, scale, {options})
    O[ph.ctx.block.z, ph.ctx.block.y, row:+64, 0:+64] = o


@ph.kernel
@ph.launch(128)
def kept(X: ph.tensor[ph.f32][S], rate: ph.f32, seed: ph.i64):
    i: ph.let = ph.ctx.block.x * 256
    X[i:+256] = ph.std.dropout(ph.full((256,), 1.0, ph.f32), rate, seed, i + ph.iota(256))
"""


def given(torch):
    generator = torch.Generator(device="cuda").manual_seed(5)
    q, k, v = (torch.randn((2, heads, length, 64), device="cuda", generator=generator).half() for heads, length in ((4, 70), (2, 90), (2, 90)))
    wide = [x.double().repeat_interleave(4 // x.shape[1], 1) for x in (q, k, v)]
    return (q, k, v), wide, torch.full(q.shape, float("nan"), device="cuda")


@pytest.mark.parametrize("per_head", [False, True])
def test_bias(per_head, load_kernels, torch):
    """Added to the scores; also one that all batches and heads share, by strides of 0."""
    (q, k, v), (wq, wk, wv), o = given(torch)
    bias = torch.linspace(-4, 4, 8 * 70 * 90, device="cuda").reshape(2, 4, 70, 90) if per_head else torch.randn((70, 90), device="cuda").expand(2, 4, 70, 90)
    load_kernels(BIASED.format(options="bias=bias")).attend[2, 4, 2](q, k, v, o, bias, 0.125)
    torch.cuda.synchronize()
    want = torch.softmax(wq @ wk.transpose(2, 3) / 8 + bias.double(), 3) @ wv
    assert (o.double() - want).norm() <= 6e-4 * want.norm()


def test_dropout(load_kernels, torch):
    """The probabilities that are dropped are those that the generator says, by the number of their score."""
    (q, k, v), (wq, wk, wv), o = given(torch)
    module = load_kernels(BIASED.format(options="causal=True, seed=1234, rate=0.25"))
    module.attend[2, 4, 2](q, k, v, o, torch.zeros((2, 4, 70, 90), device="cuda"), 0.125)
    mask = torch.empty(2 * 4 * 70 * 90, device="cuda")
    module.kept[-(-mask.numel() // 256)](mask, 0.25, 1234)
    torch.cuda.synchronize()
    s = (wq @ wk.transpose(2, 3) / 8).masked_fill(~torch.ones((70, 90), device="cuda", dtype=torch.bool).tril(), -float("inf"))
    want = (torch.softmax(s, 3) * mask.double().reshape(s.shape)) @ wv
    assert (o.double() - want).norm() <= 1e-3 * want.norm()


PARTS = """
# One query for each head; heads of a group are rows of one tile.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def part(
    Q: ph.tensor[ph.f16][B, G, R, D], K: ph.tensor[ph.f16][B, G, N, D], V: ph.tensor[ph.f16][B, G, N, D],
    acc: ph.tensor[ph.f32][S, B, G, R, D], tops: ph.tensor[ph.f32][S, B, G, R], totals: ph.tensor[ph.f32][S, B, G, R], scale: ph.f32,
):
    s: ph.let = ph.ctx.block.x
    keys: ph.let = ph.cdiv(N, S * 64) * 64
    a, top, total = ph.std.attention_part(
        Q, K, V, ph.ctx.block.z, ph.ctx.block.y, 0, 16, 64, {d}, scale, s * keys, ph.min((s + 1) * keys, N)
    )
    acc[s, ph.ctx.block.z, ph.ctx.block.y, 0:+16, 0:+{d}] = a
    tops[s, ph.ctx.block.z, ph.ctx.block.y, 0:+16] = ph.flat(top)
    totals[s, ph.ctx.block.z, ph.ctx.block.y, 0:+16] = ph.flat(total)


@ph.kernel
@ph.launch(128)
def join(
    acc: ph.tensor[ph.f32][S, B, G, R, D], tops: ph.tensor[ph.f32][S, B, G, R], totals: ph.tensor[ph.f32][S, B, G, R], O: ph.tensor[ph.f16][B, G, R, D]
):
    g: ph.let = ph.ctx.block.x
    b: ph.let = ph.ctx.block.y
    a: ph.var = acc[0, b, g, 0:+16, 0:+{d}]
    top: ph.var = tops[0, b, g, 0:+16][:, None]
    total: ph.var = totals[0, b, g, 0:+16][:, None]
    for s in range(1, S):
        a, top, total = ph.std.softmax_join(a, top, total, acc[s, b, g, 0:+16, 0:+{d}], tops[s, b, g, 0:+16][:, None], totals[s, b, g, 0:+16][:, None])
    inverse, _ = ph.std.softmax_end(top, total)
    O[b, g, 0:+16, 0:+{d}] = a * inverse
"""


@pytest.mark.parametrize("splits", [1, 3, 20])
@pytest.mark.parametrize("r,n,d", [(4, 777, 64), (1, 64, 128), (16, 1500, 64)])
def test_decoding_by_parts(r, n, d, splits, load_kernels, torch):
    """Few queries of many keys: parts of the keys for each block, some of which have none, put together afterwards."""
    generator = torch.Generator(device="cuda").manual_seed(n)
    q, k, v = (torch.randn((3, 2, rows, d), device="cuda", generator=generator).half() for rows in (r, n, n))
    acc, o = torch.full((splits, 3, 2, r, d), float("nan"), device="cuda"), torch.full_like(q, float("nan"))
    tops, totals = (torch.full((splits, 3, 2, r), float("nan"), device="cuda") for _ in range(2))
    module = load_kernels(PARTS.format(d=d))
    module.part[splits, 2, 3](q, k, v, acc, tops, totals, d**-0.5)
    module.join[2, 3](acc, tops, totals, o)
    torch.cuda.synchronize()
    want, _ = wanted(torch, q, k, v, d**-0.5, False, 0, 0)
    assert (o.double() - want).norm() <= 6e-4 * want.norm()


def test_scores_of_minus_infinity(load_kernels, torch):
    """Queries that see nothing are zeros: of a diagonal below the first key."""
    run(torch, load_kernels, 1, 1, 1, 100, 100, 64, "f16", True, -60, 0, 64, 64, persistent=True, grow=True)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("loudness", [1.0, 30.0])
@pytest.mark.parametrize("grow", [False, True])
def test_guarded(grow, loudness, causal, torch):
    """Against the maximum so far, which few pieces raise, or nearly all: by warps of their own where products leave whole rows in a warp."""
    tutorial = import_file(ROOT / "examples" / "tutorials" / "t06_attention.py")
    generator = torch.Generator(device="cuda").manual_seed(3)
    q, k, v = (torch.randn((1, 2, length, 64), device="cuda", generator=generator) for length in (150, 200, 200))
    if grow:
        k *= torch.linspace(0.05, 4, 200, device="cuda")[:, None]
    q, k, v = (q * loudness).half(), k.half(), v.half()
    o, sums = torch.full_like(q, float("nan")), torch.full((1, 2, 150), float("nan"), device="cuda")
    tutorial.attention[tutorial.blocks](q, k, v, o, sums, 0.125, causal, 64, True, BM=64, BN=32, stages=2, threads=128)
    torch.cuda.synchronize()
    want, logarithms = wanted(torch, q, k, v, 0.125, causal, 0, 0)
    assert (o.double() - want).norm() <= 1e-3 * want.norm()
    assert torch.allclose(sums.double(), logarithms, atol=1e-3, rtol=1e-4)
