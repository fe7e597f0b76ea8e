"""Tiles and extents that are no powers of two, strides and starts that no copy engine takes, and what lies beside a tensor.

The numbers are those of docs/cases.md.
"""

from __future__ import annotations

import pytest

TORCH = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "i8": "int8", "i16": "int16", "i32": "int32"}
SUMS = {"f16": "f32", "bf16": "f32", "f32": "f32", "i8": "i32"}
ODD_TILES = """
@ph.kernel
@ph.launch(128)
def rows(A: ph.tensor[ph.f32][M, N], S: ph.tensor[ph.f32][M], T: ph.tensor[ph.f32][M, N]):
    i = ph.ctx.block.x * {rows}
    t: ph.var[ph.tile[ph.f32][{rows}, {columns}]] = 1.0
    s: ph.var[ph.tile[ph.f32][{rows}, 1]] = 0.0
    for j in range(0, N, {columns}):
        t = A[i:+{rows}, j:+{columns}]
        s += ph.rowsum(t)
        T[i:+{rows}, j:+{columns}] = t * 2
    S[i:+{rows}] = ph.flat(s)
"""
ODD = [((48, 96), 257, 257), ((33, 64), 33, 64), ((100, 64), 65537, 64), ((1, 257), 257, 257), ((3, 7), 20, 50)]


def numbers(torch, *shape, dtype: str = "f32"):
    """Small whole numbers, whose products and sums are exact."""
    return torch.randint(-4, 5, shape, device="cuda").to(getattr(torch, TORCH[dtype]))


@pytest.mark.parametrize("tile,m,n", ODD, ids=str)
def test_case_05_tiles_of_any_extent(tile, m, n, load_kernels, torch):
    rows, columns = tile
    kernel = load_kernels(ODD_TILES.format(rows=rows, columns=columns)).rows
    a = numbers(torch, m, n)
    sums, twice = torch.full((m,), 77.0, device="cuda"), torch.full((m, n), 77.0, device="cuda")
    kernel[-(-m // rows)](a, sums, twice)
    assert torch.equal(sums, a.sum(1))
    assert torch.equal(twice, a * 2)


TRIANGLE = """
@ph.kernel
@ph.launch({threads})
def triangle(A: ph.tensor[ph.i32][131, 4]):
    for n in ph.unroll(1, 131):
        A[n, 0] = ph.sum(ph.iota(n) + 1)
        A[n, 1] = ph.max(ph.iota(n) + 1)
        A[n, 2] = ph.min(-1 - ph.iota(n))
        A[n, 3] = ph.argmax(ph.iota(n))


@ph.kernel
@ph.launch({threads})
def others(A: ph.tensor[ph.i32][131, 8]):
    for n in ph.unroll({first}, 131, 3):
        A[n, 0] = ph.i32(ph.all(ph.iota(n) >= 0))
        A[n, 1] = ph.i32(ph.any(ph.iota(n) < 0))
        A[n, 2] = ph.min(ph.iota(n) + 5)
        A[n, 3] = ph.prod(ph.full((n,), -1, ph.i32))
        A[n, 4] = ph.max(ph.cumsum(ph.iota(n) + 1))
        A[n, 5] = ph.argmin(ph.iota(n) % 7 - ph.iota(n) // 64)
        A[n, 6] = ph.sum(ph.max(ph.iota(n)[:, None] + ph.iota(3)[None, :] - 1000, axis=0))
        A[n, 7] = ph.sum(ph.sum(ph.iota(3)[:, None] * n + ph.iota(n)[None, :], axis=1))
"""


@pytest.mark.parametrize("threads", [32, 256])
def test_case_06_reductions_of_every_length(threads, load_kernels, torch):
    got = torch.zeros(131, 4, device="cuda", dtype=torch.int32)
    load_kernels(TRIANGLE.format(threads=threads, first=1)).triangle[1](got)
    want = [[n * (n + 1) // 2, n, -n, n - 1] for n in range(1, 131)]
    assert got[48, 0] == 1176
    assert torch.equal(got[1:], torch.tensor(want, dtype=torch.int32, device="cuda"))


@pytest.mark.parametrize("threads,first", [(32, 1), (64, 2), (256, 3)])
def test_case_06_what_is_no_element_has_no_part(threads, first, load_kernels, torch):
    got = torch.full((131, 8), 77, device="cuda", dtype=torch.int32)
    load_kernels(TRIANGLE.format(threads=threads, first=first)).others[1](got)
    for n in range(first, 131, 3):
        ranks = [i % 7 - i // 64 for i in range(n)]
        want = [
            1,
            0,
            5,
            (-1) ** n,
            n * (n + 1) // 2,
            ranks.index(min(ranks)),
            3 * (n - 1001) + 3,
            3 * n * (3 * n - 1) // 2,
        ]
        assert got[n].tolist() == want, n


PRODUCT = """
@ph.kernel
@ph.launch(128)
{core}
def product(A: ph.tensor[ph.{dtype}][M, K], B: ph.tensor[ph.{dtype}][K, N], C: ph.tensor[ph.{out}][M, N]):
    row: ph.let = ph.ctx.block.x * {m}
    column: ph.let = ph.ctx.block.y * {n}
    acc: ph.var[ph.tile[ph.{sums}][{m}, {n}]] = 0
    for k in range(0, K, {k}):
        acc += ph.dot(A[row:+{m}, k:+{k}], B[k:+{k}, column:+{n}])
    C[row:+{m}, column:+{n}] = ph.{out}(acc)
"""


@pytest.fixture
def product(load_kernels):
    """product(dtypes of operands and result, tile): a function of three matrices."""

    def make(dtype: str, out: str, tile, core: str = "@ph.tensorcore"):
        m, n, k = tile
        kernel = load_kernels(PRODUCT.format(core=core, dtype=dtype, out=out, sums=SUMS[dtype], m=m, n=n, k=k)).product
        return lambda a, b, c: kernel[-(-c.shape[0] // m), -(-c.shape[1] // n)](a, b, c)

    return make


@pytest.mark.parametrize("core", ["", "@ph.tensorcore"], ids=["fma", "tensorcore"])
@pytest.mark.parametrize("dtype", SUMS)
@pytest.mark.parametrize("depth", [8, 24, 40])
def test_case_08_depths_that_no_instruction_has(depth, dtype, core, product, torch):
    multiply = product(dtype, SUMS[dtype], (32, 64, depth), core)
    for k in (depth, depth + 1, 101, 3 * depth - 1):
        a, b = numbers(torch, 40, k, dtype=dtype), numbers(torch, k, 72, dtype=dtype)
        c = torch.full((40, 72), 77, device="cuda", dtype=getattr(torch, TORCH[SUMS[dtype]]))
        multiply(a, b, c)
        assert torch.equal(c.double(), a.double() @ b.double()), k


COPY = """
@ph.kernel
@ph.launch(256)
def copy(A: ph.tensor[ph.f16][N], B: ph.tensor[ph.f16][N]):
    i = ph.ctx.block.x * 256
    B[i:+256] = A[i:+256]
"""


def test_case_10_copies_of_every_length(load_kernels, torch):
    kernel = load_kernels(COPY).copy
    a, b = torch.randn(1120, device="cuda").half(), torch.empty(1120, device="cuda").half()
    for n in range(1, 1101):
        b.fill_(7.0)
        kernel[-(-n // 256)](a[:n], b[:n])
        assert torch.equal(b[:n], a[:n]) and bool((b[n:] == 7).all()), n


@pytest.mark.parametrize("n", [8, 264, 999, 1000])
def test_case_10_products_of_a_ragged_width(n, product, torch):
    a, b = numbers(torch, 70, 64, dtype="f16"), numbers(torch, 64, n, dtype="f16")
    c = torch.full((70, n), 77.0, device="cuda").half()
    product("f16", "f16", (64, 256, 64))(a, b, c)
    assert torch.equal(c.double(), a.double() @ b.double())


@pytest.mark.parametrize("out", ["i8", "i16", "i32"])
def test_case_11_nothing_is_stored_beside_a_view(out, product, torch):
    a, b = numbers(torch, 130, 64, dtype="i8"), numbers(torch, 466, 64, dtype="i8").t()
    a, b = a.remainder(2), b.remainder(2)  # so that sums fit an i8
    big = torch.full((132, 512), 77, device="cuda", dtype=getattr(torch, TORCH[out]))
    product("i8", out, (64, 128, 64))(a, b, big[1:131, :466])
    assert torch.equal(big[1:131, :466].double(), a.double() @ b.double())
    assert bool((big[:, 466:] == 77).all()) and bool((big[0] == 77).all()) and bool((big[131] == 77).all())


@pytest.mark.parametrize("width", [466, 460, 456, 3])
@pytest.mark.parametrize("dtype,out", [("f16", "f16"), ("bf16", "bf16"), ("f16", "f32")])
def test_case_11_nor_by_products_of_floats(dtype, out, width, product, torch):
    a, b = numbers(torch, 130, 64, dtype=dtype), numbers(torch, 64, 512, dtype=dtype)
    big = torch.full((132, 512), 77.0, device="cuda", dtype=getattr(torch, TORCH[out]))
    product(dtype, out, (64, 128, 64))(a, b[:, :width], big[1:131, :width])
    want = (a.double() @ b.double()[:, :width]).to(big.dtype)
    assert torch.equal(big[1:131, :width], want)
    assert bool((big[:, width:] == 77).all()) and bool((big[0] == 77).all()) and bool((big[131] == 77).all())


STARTS = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def starts(A: ph.tensor[ph.bf16][M, L], B: ph.tensor[ph.bf16][L, N], C: ph.tensor[ph.f32][M, W]):
    i = ph.ctx.block.x
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 128, 64):
        acc += ph.dot(A[0:+64, 130 * i + k:+64], B[130 * i + k:+64, 130 * i:+64])
    C[0:+64, i * 64:+64] = acc
"""


@pytest.mark.parametrize("pitch", [511, 512, 520])
def test_case_12_strides_and_starts_that_are_not_aligned(pitch, product, load_kernels, torch):
    a, b = numbers(torch, 64, pitch, dtype="bf16"), numbers(torch, pitch, pitch, dtype="bf16")
    c = torch.full((64, pitch), 77.0, device="cuda")
    product("bf16", "f32", (64, 128, 64))(a, b, c)
    assert torch.equal(c.double(), a.double() @ b.double())
    c = torch.full((64, 192), 77.0, device="cuda")
    load_kernels(STARTS).starts[3](a, b, c)
    for i in range(3):
        at = 130 * i
        want = a[:, at : at + 128].double() @ b[at : at + 128, at : at + 64].double()
        assert torch.equal(c[:, 64 * i : 64 * i + 64].double(), want), i


@pytest.mark.parametrize("shift", [1, 4, 8])
def test_case_12_bases_that_are_not_aligned(shift, product, torch):
    wide = numbers(torch, 64, 264, dtype="bf16")
    a, b = wide[:, shift : shift + 128], numbers(torch, 128, 128, dtype="bf16")
    c = torch.full((64, 264), 77.0, device="cuda")
    product("bf16", "f32", (64, 128, 64))(a, b, c[:, shift : shift + 128])
    assert torch.equal(c[:, shift : shift + 128].double(), a.double() @ b.double())
    assert bool((c[:, :shift] == 77).all()) and bool((c[:, shift + 128 :] == 77).all())


MASKED = """
@ph.kernel
@ph.launch(128)
def reductions(A: ph.tensor[ph.f32][M, N], S: ph.tensor[ph.f32][M], T: ph.tensor[ph.f32][1], L: ph.tensor[ph.f32][M, N]):
    t = A[0:+64, 0:+64]
    S[0:+64] = ph.sum(t, axis=1)
    T[0] = ph.sum(t * t)
    L[0:+64, 0:+64] = ph.cumsum(t, 1)
"""


@pytest.mark.parametrize("core", ["", "@ph.tensorcore"], ids=["fma", "tensorcore"])
@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_case_15_what_lies_around_is_not_read(dtype, core, product, load_kernels, torch):
    def inside(m, n):
        around = torch.full((m + 80, n + 88), float("nan"), device="cuda").to(getattr(torch, TORCH[dtype]))
        around[8 : 8 + m, 8 : 8 + n] = numbers(torch, m, n, dtype=dtype)
        return around[8 : 8 + m, 8 : 8 + n]

    multiply = product(dtype, "f32", (64, 64, 32), core)
    for m, n, k in ((33, 50, 77), (64, 64, 40), (1, 1, 1)):
        a, b, c = inside(m, k), inside(k, n), torch.full((m, n), 77.0, device="cuda")
        multiply(a, b, c)
        assert torch.equal(c.double(), a.double() @ b.double())
    if dtype == "f32" and not core:
        a = inside(33, 50)
        s, t, sums = (torch.full(shape, 77.0, device="cuda") for shape in ((33,), (1,), (33, 50)))
        load_kernels(MASKED).reductions[1](a, s, t, sums)
        assert torch.equal(s, a.sum(1)) and t[0] == (a * a).sum() and torch.equal(sums, a.cumsum(1))


NEGATIVE = """
@ph.kernel
def greatest(A: ph.tensor[ph.f32][M, N], P: ph.tensor[ph.f32][M, 1], Q: ph.tensor[ph.f32][M, 1], S: ph.tensor[ph.f32][M, N]):
    i = ph.ctx.block.x * 4
    P[i:+4, 0:+1] = ph.rowmax(A[i:+4, 0:+1024])
    x = ph.load(A[i:+4, 0:+1024], other=float("-inf"))
    Q[i:+4, 0:+1] = ph.rowmax(x)
    e = ph.exp(x - ph.rowmax(x))
    S[i:+4, 0:+1024] = e / ph.rowsum(e)
"""


def test_case_17_zeros_outside_and_another_number(load_kernels, torch):
    """Outside a tensor are zeros, which are greater than what is negative; `other=` makes them anything else."""
    a = -1 - torch.rand(6, 1000, device="cuda")
    zero, greatest, softmax = (torch.full((6, n), 77.0, device="cuda") for n in (1, 1, 1000))
    load_kernels(NEGATIVE).greatest[2](a, zero, greatest, softmax)
    assert bool((zero == 0).all())
    assert torch.equal(greatest, a.max(1, keepdim=True).values)
    assert torch.allclose(softmax, torch.softmax(a, 1), rtol=1e-5)
