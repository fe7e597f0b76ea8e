"""Reductions, changes of shape and mixed types on the GPU, against torch: every axis, ragged extents, one to many warps."""

from __future__ import annotations

import pytest

SHAPES = [(1, 1024), (64, 64), (128, 16), (100, 12), (5, 7), (16, 200), (3, 5, 6), (8, 4, 32), (1000,), (2, 1)]
THREADS = [32, 128, 512]
REDUCE = """
@ph.kernel
@ph.launch({threads})
def reduce(A: ph.tensor[ph.{dtype}][{shape}], B: ph.tensor[ph.{out}][{result}]):
    B[{all_b}] = {expression}
"""


def whole(shape) -> str:
    return ", ".join([":"] * len(shape))


def listed(shape) -> str:
    return ", ".join(map(str, shape))


AXES = [(shape, axis) for shape in SHAPES for axis in range(len(shape))]


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("shape,axis", AXES, ids=str)
def test_reduction(shape, axis, threads, load_kernels, torch):
    generator = torch.Generator(device="cuda").manual_seed(len(shape) * 100 + axis)
    result = tuple(1 if d == axis else n for d, n in enumerate(shape))

    def run(name: str, dtype: str, out: str, given, empty):
        expression = f"ph.{name}(A[{whole(shape)}], axis={axis}, keepdims=True)"
        text = REDUCE.format(
            threads=threads, dtype=dtype, out=out, shape=listed(shape), result=listed(result), all_b=whole(shape), expression=expression
        )
        got = torch.full(result, 77, device="cuda", dtype=empty)
        load_kernels(text).reduce[1](given, got)
        torch.cuda.synchronize()
        return got

    numbers = torch.randint(-(2**20), 2**20, shape, device="cuda", generator=generator, dtype=torch.int64).int()
    assert torch.equal(run("sum", "i32", "i32", numbers, torch.int32), numbers.sum(axis, keepdim=True).int())
    halves = torch.randn(shape, device="cuda", generator=generator).half()
    assert torch.equal(run("max", "f16", "f16", halves, torch.float16), halves.amax(axis, keepdim=True))
    reals = torch.randn(shape, device="cuda", generator=generator)
    got = run("sum", "f32", "f32", reals, torch.float32)
    assert torch.allclose(got.double(), reals.double().sum(axis, keepdim=True), rtol=1e-5, atol=1e-4)
    # Few values, so that there are ties; one NaN, which is the greatest.
    few = torch.randint(0, 4, shape, device="cuda", generator=generator).float()
    few.view(-1)[few.numel() // 2] = float("nan")
    ranked = few.nan_to_num(nan=9.0)
    places = torch.arange(shape[axis], device="cuda").view([-1 if d == axis else 1 for d in range(len(shape))]).expand(shape)
    first = torch.where(ranked == ranked.amax(axis, keepdim=True), places, shape[axis]).amin(axis, keepdim=True)
    assert torch.equal(run("argmax", "f32", "i32", few, torch.int32), first.int())
    flags = torch.rand(shape, device="cuda", generator=generator) < 0.1
    assert torch.equal(run("any", "bool", "bool", flags, torch.bool), flags.any(axis, keepdim=True))


def test_not_a_number_stays(load_kernels, torch):
    text = REDUCE.format(threads=64, dtype="f32", out="f32", shape="64, 32", result="64", all_b=":", expression="ph.max(A[:, :], axis=1)")
    a = torch.randn(64, 32, device="cuda")
    a[7, 3] = float("nan")
    got = torch.empty(64, device="cuda")
    load_kernels(text).reduce[1](a, got)
    assert got.isnan().nonzero().flatten().tolist() == [7]
    assert torch.equal(got[:7], a[:7].amax(1))


def test_equal_inputs_give_equal_bits(load_kernels, torch):
    text = REDUCE.format(threads=256, dtype="f32", out="f32", shape="4096", result="1", all_b=":", expression="ph.sum(A[:])")
    kernel = load_kernels(text).reduce
    a = torch.randn(4096, device="cuda")
    results = torch.empty(16, device="cuda")
    for i in range(16):
        kernel[1](a, results[i : i + 1])
    assert len(set(results.tolist())) == 1


TURN = """
@ph.kernel
@ph.launch({threads})
def turn(A: ph.tensor[ph.{dtype}][{m}, {n}], B: ph.tensor[ph.{dtype}][{n}, {m}]):
    B[:, :] = ph.transpose(A[:, :])
"""


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("dtype", ["bool", "i8", "f16", "f32", "f64"])
@pytest.mark.parametrize("m,n", [(64, 64), (32, 128), (100, 12), (1, 64), (7, 5)])
def test_transpose(m, n, dtype, threads, load_kernels, torch):
    kinds = {"bool": torch.bool, "i8": torch.int8, "f16": torch.float16, "f32": torch.float32, "f64": torch.float64}
    a = torch.randint(-100, 100, (m, n), device="cuda").to(kinds[dtype])
    b = torch.zeros(n, m, device="cuda", dtype=kinds[dtype])
    load_kernels(TURN.format(m=m, n=n, dtype=dtype, threads=threads)).turn[1](a, b)
    assert torch.equal(b, a.t())


RESHAPE = """
@ph.kernel
@ph.launch({threads})
def reshape(A: ph.tensor[ph.f16][64, 32], B: ph.tensor[ph.f16][8, 16, 16], C: ph.tensor[ph.f32][32, 64]):
    a = A[:, :]
    B[:, :, :] = ph.reshape(a, [8, 16, 16])
    C[:, :] = ph.reshape(ph.transpose(a), [32, 64]) + ph.expand(ph.sum(ph.f32(a), axis=0), 1)
"""


@pytest.mark.parametrize("threads", THREADS)
def test_reshape_and_broadcast(threads, load_kernels, torch):
    a = torch.randn(64, 32, device="cuda").half()
    b = torch.zeros(8, 16, 16, device="cuda", dtype=torch.float16)
    c = torch.zeros(32, 64, device="cuda")
    load_kernels(RESHAPE.format(threads=threads)).reshape[1](a, b, c)
    assert torch.equal(b, a.reshape(8, 16, 16))
    assert torch.allclose(c, a.t().float() + a.float().sum(0)[:, None], atol=1e-5)


SOFTMAX = """
@ph.kernel
@ph.launch({threads})
def softmax(A: ph.tensor[ph.{dtype}][M, N], B: ph.tensor[ph.{dtype}][M, N]):
    i = ph.ctx.block.x * {rows}
    x = ph.f32(ph.load(A[i:+{rows}, 0:+{width}], other=float("-inf")))
    e = ph.exp(x - ph.rowmax(x))
    B[i:+{rows}, 0:+{width}] = e / ph.rowsum(e)
"""


ODD = [((16, 96), (16, 48, 2)), ((16, 96), (16, 3, 32)), ((5, 80), (5, 5, 16)), ((48, 2, 32), (96, 32)), ((96,), (3, 32)), ((12, 1, 4), (1, 48)),
       ((3, 64), (3, 32, 2)), ((3, 4, 6, 8), (12, 48)), ((7, 8, 5), (56, 5))]  # fmt: skip


@pytest.mark.parametrize("threads", [32, 128])
@pytest.mark.parametrize("given,wanted", ODD, ids=str)
def test_reshape_of_odd_extents(given, wanted, threads, load_kernels, torch):
    """There and back; what is made of the padding on the way is not seen."""
    text = f"""
@ph.kernel
@ph.launch({threads})
def there(A: ph.tensor[ph.f32][{listed(given)}], B: ph.tensor[ph.f32][{listed(wanted)}], C: ph.tensor[ph.f32][{listed(given)}]):
    b = ph.reshape(A[{whole(given)}], {listed(wanted)}) + 1.0
    B[{whole(wanted)}] = b
    C[{whole(given)}] = ph.reshape(b, {listed(given)}) + ph.sum(b)
"""
    a = torch.arange(torch.Size(given).numel(), device="cuda").float().view(given)
    b, c = torch.zeros(wanted, device="cuda"), torch.zeros(given, device="cuda")
    load_kernels(text).there[1](a, b, c)
    torch.cuda.synchronize()
    assert torch.equal(b, a.view(wanted) + 1.0) and torch.equal(c, a + 1.0 + (a + 1.0).sum())


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("dtype", ["f16", "f32"])
@pytest.mark.parametrize("m,n,rows,width", [(33, 1000, 1, 1024), (37, 61, 4, 64), (16, 16, 16, 16), (9, 3000, 1, 4096)])
def test_softmax(m, n, rows, width, dtype, threads, load_kernels, torch):
    a = torch.randn(m, n, device="cuda").to(torch.float16 if dtype == "f16" else torch.float32)
    b = torch.empty_like(a)
    kernel = load_kernels(SOFTMAX.format(rows=rows, width=width, dtype=dtype, threads=threads)).softmax
    kernel[-(-m // rows)](a, b)
    want = torch.softmax(a.double(), 1)
    assert torch.allclose(b.double(), want, atol=1e-6 if dtype == "f32" else 1e-3, rtol=1e-5 if dtype == "f32" else 1e-3)
