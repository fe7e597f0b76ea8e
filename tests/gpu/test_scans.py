"""Running sums and products, and combinations by device functions, against torch: every axis, ragged extents, one to many warps."""

from __future__ import annotations

import pytest
from gpu.test_tiles import listed, whole

SHAPES = [(1, 1024), (64, 64), (128, 16), (100, 12), (5, 7), (16, 200), (3, 5, 6), (8, 4, 32), (1000,), (2, 1)]
THREADS = [32, 128, 512]
AXES = [(shape, axis) for shape in SHAPES for axis in range(len(shape))]
KERNEL = """
@ph.fn
def larger(a, b):
    return a if a > b else b


@ph.fn
def last(a, b):
    return b


@ph.fn
def maps(a, b, c, d):  # x -> a x + b, then x -> c x + d; modulo 2^32, so exactly
    return a * c, b * c + d


@ph.fn
def moments(mean, squares, n, other_mean, other_squares, m):
    away: ph.let = other_mean - mean
    return mean + away * m / (n + m), squares + other_squares + away * away * n * m / (n + m), n + m


@ph.kernel
@ph.launch({threads})
def kernel(A: ph.tensor[ph.{dtype}][{shape}], B: ph.tensor[ph.{out}][{result}]):
    x = A[{all}]
{body}
    B[{all_b}] = y
"""
SCAN = "    y = ph.{name}(x, {axis}{function})"
COMPOSED = "    _, y = ph.scan((x, x + 1), {axis}, maps)"
VARIANCE = """
    _, squares, n = ph.reduce((x, ph.zeros(x.shape), ph.full(x.shape, 1.0)), {axis}, moments)
    y = {kept}"""
GREATEST = "    z = ph.reduce(x, {axis}, larger)\n    y = {kept}"


@pytest.fixture
def run(load_kernels, torch):
    """run(body, given, result's shape and dtype): what the kernel leaves."""
    names = {torch.int32: "i32", torch.float16: "f16", torch.float32: "f32", torch.float64: "f64", torch.int8: "i8", torch.bool: "bool"}

    def compute(body: str, given, out, threads: int, shape=None, axis: int = 0):
        shape = tuple(given.shape) if shape is None else shape
        text = KERNEL.format(
            threads=threads, dtype=names[given.dtype], out=names[out], shape=listed(given.shape), result=listed(shape), all=whole(given.shape),
            all_b=whole(shape), body=body,
        )  # fmt: skip
        got = torch.full(shape, 77, device="cuda").to(out)
        load_kernels(text).kernel[1](given, got)
        torch.cuda.synchronize()
        return got

    return compute


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("shape,axis", AXES, ids=str)
def test_scan(shape, axis, threads, run, torch):
    generator = torch.Generator(device="cuda").manual_seed(len(shape) * 100 + axis)
    draw = lambda low, high: torch.randint(low, high, shape, device="cuda", generator=generator)  # noqa: E731
    numbers = draw(-(2**20), 2**20).int()
    assert torch.equal(run(SCAN.format(name="cumsum", axis=axis, function=""), numbers, torch.int32, threads), numbers.cumsum(axis).int())
    assert torch.equal(run(SCAN.format(name="cumprod", axis=axis, function=""), numbers, torch.int32, threads), numbers.cumprod(axis).int())
    small = draw(-8, 9)
    assert torch.equal(run(SCAN.format(name="cumsum", axis=axis, function=""), small.to(torch.int8), torch.int32, threads), small.cumsum(axis).int())
    assert torch.equal(run(SCAN.format(name="cumsum", axis=axis, function=""), small.half(), torch.float16, threads), small.cumsum(axis).half())
    reals = torch.randn(shape, device="cuda", generator=generator).double()
    got = run(SCAN.format(name="cumsum", axis=axis, function=""), reals, torch.float64, threads)
    assert torch.allclose(got, reals.cumsum(axis), rtol=1e-12, atol=1e-10)
    assert torch.equal(run(SCAN.format(name="scan", axis=axis, function=", larger"), reals.float(), torch.float32, threads), reals.float().cummax(axis).values)
    # In their order: neither combination may be turned round.
    assert torch.equal(run(SCAN.format(name="scan", axis=axis, function=", last"), numbers, torch.int32, threads), numbers)
    want, at = torch.empty_like(numbers).long(), torch.zeros_like(numbers.select(axis, 0)).long()
    for i in range(shape[axis]):
        x = numbers.select(axis, i).long()
        at = (at * x + x + 1 + 2**31) % 2**32 - 2**31
        want.select(axis, i).copy_(at)
    assert torch.equal(run(COMPOSED.format(axis=axis), numbers, torch.int32, threads), want.int())
    flags = torch.rand(shape, device="cuda", generator=generator) < 0.1
    assert torch.equal(run(SCAN.format(name="cumsum", axis=axis, function=""), flags, torch.int32, threads), flags.cumsum(axis).int())


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("shape,axis", AXES, ids=str)
def test_reduction_by_a_function(shape, axis, threads, run, torch):
    generator = torch.Generator(device="cuda").manual_seed(len(shape) * 100 + axis)
    result = tuple(1 if d == axis else n for d, n in enumerate(shape))
    kept = lambda x: f"ph.expand({x}, {axis})" if len(shape) > 1 else x  # noqa: E731 - of a row it is a number
    reals = torch.randn(shape, device="cuda", generator=generator) - 5  # all below what padding would be
    assert torch.equal(run(GREATEST.format(axis=axis, kept=kept("z")), reals, torch.float32, threads, result), reals.amax(axis, keepdim=True))
    got = run(VARIANCE.format(axis=axis, kept=kept("squares / n")), reals, torch.float32, threads, result)
    assert torch.allclose(got.double(), reals.double().var(axis, unbiased=False, keepdim=True), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("threads", THREADS)
def test_flat(threads, run, torch):
    numbers = torch.randint(-100, 100, (16, 64), device="cuda", dtype=torch.int32)
    assert torch.equal(run("    y = ph.cumsum(x)", numbers, torch.int32, threads, (1024,)), numbers.flatten().cumsum(0).int())


def test_in_a_loop(load_kernels, torch):
    """The last sums of one turn begin the next: a row longer than a tile."""
    text = """
@ph.kernel
@ph.launch(128)
def prefix(A: ph.tensor[ph.i32][M, N], B: ph.tensor[ph.i32][M, N]):
    before: ph.var[ph.tile[ph.i32][4, 1]] = 0
    for i in range(0, N, 256):
        x = A[0:+4, i:+256]
        B[0:+4, i:+256] = ph.cumsum(x, 1) + before
        before += ph.sum(x, axis=1, keepdims=True)
"""
    numbers = torch.randint(-1000, 1000, (4, 1001), device="cuda", dtype=torch.int32)
    got = torch.zeros_like(numbers)
    load_kernels(text).prefix[1](numbers, got)
    torch.cuda.synchronize()
    assert torch.equal(got, numbers.cumsum(1).int())
