"""Precision of products, widths of sums, promotion, scalars, floored division, 8-bit floats and atomic sums of narrow floats.

The numbers are those of docs/cases.md.
"""

from __future__ import annotations

import itertools

import pytest

PRODUCT = """
@ph.kernel
@ph.launch(128)
{core}
def product(A: ph.tensor[ph.f32][M, K], B: ph.tensor[ph.f32][K, N], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * 64
    column: ph.let = ph.ctx.block.y * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 32):
        acc += ph.dot(A[row:+64, k:+32], B[k:+32, column:+64])
    C[row:+64, column:+64] = acc
"""


@pytest.fixture
def loss(load_kernels, torch):
    """loss(core, k): the error of a product beside float64, relative to the sum of magnitudes: the greatest, and the norm's."""

    def compute(core: str, k: int):
        generator = torch.Generator(device="cuda").manual_seed(k)
        a, b = (torch.randn(shape, device="cuda", generator=generator) for shape in ((64, k), (k, 64)))
        c = torch.full((64, 64), 77.0, device="cuda")
        load_kernels(PRODUCT.format(core=core)).product[1, 1](a, b, c)
        want = a.double() @ b.double()
        magnitude = a.double().abs() @ b.double().abs()
        return ((c - want).abs() / magnitude).max().item(), ((c - want).norm() / want.norm()).item()

    return compute


def test_case_18_products_of_f32_are_of_f32(loss):
    for core in ("", "@ph.tensorcore"):
        assert max(loss(core, 512)) < 1e-5, core
    assert 1e-4 < loss('@ph.tensorcore(f32="tf32")', 512)[1] < 2e-3, "asked for"


@pytest.mark.parametrize("k", [256, 1024, 4096])
def test_case_19_split_products_lose_no_more_than_plain_ones(k, loss, torch):
    """Where sums are rounded; tensor cores cut theirs, so that errors add up (docs/approximations.md)."""
    plain, split = loss("", k)[1], loss("@ph.tensorcore", k)[1]
    cuts = torch.zeros(1, device="cuda").is_cuda
    assert split <= (k * 2.0**-26 if cuts else 2 * plain), (split, plain)


SQUARE = """
@ph.kernel
@ph.launch(128)
{core}
def square(A: ph.tensor[ph.f32][64, 64], B: ph.tensor[ph.f32][64, 64], C: ph.tensor[ph.f32][64, 64]):
    C[:, :] = ph.dot(A[:, :], B[:, :])
"""
NANS = pytest.mark.xfail(
    strict=True, reason="what the rounding leaves of an infinity, or of what rounds to one, is NaN"
)
SPLITS = ["", '@ph.tensorcore(f32="tf32")'] + [
    pytest.param(f"@ph.tensorcore{mode}", marks=NANS) for mode in ("", '(f32="bf16x3")')
]


@pytest.mark.parametrize("core", SPLITS)
def test_case_19_splits_keep_infinities_and_the_largest_numbers(core, load_kernels, torch):
    """A row of A has one number that is not zero, so that a product is that number times one of B's."""
    inf, largest = float("inf"), torch.finfo(torch.float32).max
    values = torch.tensor([inf, -inf, float("nan"), 3.3e38, largest, -largest, 1e38, 1.0], device="cuda")
    a, b, c = (torch.zeros(64, 64, device="cuda") for _ in range(3))
    a[:8, 0], b[0, :2] = values, torch.tensor([1.0, -0.5], device="cuda")
    load_kernels(SQUARE.format(core=core)).square[1](a, b, c)
    want = values[:, None] * b[0, :2]
    if "tf32" in core:  # an operand itself is rounded, the largest one to infinity
        assert torch.allclose(c[6:8, :2], want[6:], rtol=1e-3) and torch.equal(c[:2, :2], want[:2])
    else:
        assert torch.allclose(c[:8, :2], want, rtol=2e-5, atol=0, equal_nan=True)


BYTES = """
@ph.kernel
@ph.launch(128)
{core}
def product(A: ph.tensor[ph.i8][M, K], B: ph.tensor[ph.i8][K, N], C: ph.tensor[ph.i32][M, N]):
    c: ph.var[ph.tile[ph.i32][{n}, {n}]] = ph.dot(A[0:+{n}, 0:+{n}], B[0:+{n}, 0:+{n}])
    C[0:+{n}, 0:+{n}] = c
"""


@pytest.mark.parametrize("core", ["", "@ph.tensorcore"], ids=["fma", "tensorcore"])
@pytest.mark.parametrize("n", [2, 16, 64])
def test_case_21_products_of_bytes_are_words(n, core, load_kernels, torch):
    a = torch.tensor([[101, 102], [103, -104]], dtype=torch.int8, device="cuda")
    b = torch.tensor([[105, -106], [107, 108]], dtype=torch.int8, device="cuda")
    c = torch.full((2, 2), 77, dtype=torch.int32, device="cuda")
    load_kernels(BYTES.format(core=core, n=n)).product[1](a, b, c)
    assert c.tolist() == [
        [101 * 105 + 102 * 107, -101 * 106 + 102 * 108],
        [103 * 105 - 104 * 107, -103 * 106 - 104 * 108],
    ]


COUNTS = """
@ph.kernel
@ph.launch(64)
def counts(A: ph.tensor[ph.bool][128, 2], B: ph.tensor[ph.i8][128, 2], C: ph.tensor[ph.u8][128, 2], S: ph.tensor[ph.i32][8]):
    n: ph.var[ph.i32] = ph.sum(A[:, :])
    S[0] = n
    S[1] = ph.sum(ph.sum(A[:, :], axis=0))
    S[2] = ph.sum(B[:, :])
    S[3] = ph.sum(C[:, :])
    S[4] = ph.sum(B[:, :] < 0)
    S[5] = ph.i32(ph.any(A[:, :]))
    S[6] = ph.max(ph.cumsum(A[:, :], 0))
    S[7] = ph.prod(B[0:+2, :])
"""


def test_case_22_sums_of_flags_and_bytes_do_not_wrap(load_kernels, torch):
    a = torch.ones(128, 2, dtype=torch.bool, device="cuda")
    b, c = (
        torch.full((128, 2), -128, dtype=torch.int8, device="cuda"),
        torch.full((128, 2), 255, dtype=torch.uint8, device="cuda"),
    )
    got = torch.full((8,), 77, dtype=torch.int32, device="cuda")
    load_kernels(COUNTS).counts[1](a, b, c, got)
    assert got.tolist() == [256, 256, -128 * 256, 255 * 256, 256, 1, 128, 128**4]


HALVES = """
@ph.kernel
@ph.launch(64)
def halves(A: ph.tensor[ph.{dtype}][64], M: ph.tensor[ph.bool][64], B: ph.tensor[ph.{dtype}][64], C: ph.tensor[ph.{dtype}][64]):
    h = A[:]
    x: ph.var = h / h
    x = ph.where(M[:], x, 0)
    y: ph.var = ph.max(h, 0.0)
    for i in range(2):
        y = (y + x) * 0.5 + 1
    narrow: ph.var[ph.tile[ph.{dtype}][64]] = ph.max(h, 0.0)
    B[:] = y
    C[:] = narrow
"""


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_case_23_literals_do_not_widen(dtype, load_kernels, torch):
    kind = {"f16": torch.float16, "bf16": torch.bfloat16}[dtype]
    a = (torch.arange(64, device="cuda") - 31.5).to(kind)
    mask = torch.arange(64, device="cuda") % 3 == 0
    b, c = torch.zeros(64, device="cuda", dtype=kind), torch.zeros(64, device="cuda", dtype=kind)
    load_kernels(HALVES.format(dtype=dtype)).halves[1](a, mask, b, c)
    y = a.float().clamp(min=0)
    assert torch.equal(c.float(), y)
    for _ in range(2):  # each operation is rounded to the narrow type, as it would be in float32 and afterwards
        y = ((y + mask.float()).to(kind).float() * 0.5).to(kind).float().add(1).to(kind).float()
    assert torch.equal(b.float(), y)


SCALARS = """
@ph.kernel
@ph.launch(32)
def keep(A: ph.tensor[ph.f64][3], a: ph.f16, b: ph.bf16, c: ph.f64, d: ph.i8, e: ph.u64, I: ph.tensor[ph.i64][2]):
    A[0] = ph.f64(a)
    A[1] = ph.f64(b)
    A[2] = c
    I[0] = ph.i64(d)
    I[1] = ph.bitcast(e, ph.i64)
"""


def test_case_24_narrow_and_wide_scalars_arrive(load_kernels, torch):
    import phobos

    kernel = load_kernels(SCALARS).keep
    reals, integers = (
        torch.zeros(3, dtype=torch.float64, device="cuda"),
        torch.zeros(2, dtype=torch.int64, device="cuda"),
    )
    for given, want in (
        (42.0, (42, 42, 42)),
        (65500, (65504, 65536, 65500)),
        (-65500.0, (-65504, -65536, -65500)),
        (-0.1, None),
    ):
        for small, large in ((42, 42), (-128, 2**64 - 1), (127, 65500), (-1, 2**63)):
            kernel[1](reals, given, given, given, small, large, integers)
            want = want or (-0.0999755859375, -0.10009765625, -0.1)
            assert tuple(reals.tolist()) == want
            assert integers.tolist() == [small, (large + 2**63) % 2**64 - 2**63]
    for at, wrong, bounds in (
        (3, 65500, "-128 to 127"),
        (4, -65500, "0 to 18446744073709551615"),
        (0, 65520, "fits f16"),
    ):
        values = [1, 1, 1, 1, 1]
        values[at] = wrong
        with pytest.raises(phobos.LaunchError, match=bounds):
            kernel[1](reals, *values, integers)


DIVISION = """
@ph.kernel
@ph.launch(64)
def tiles(A: ph.tensor[ph.{dtype}][N], B: ph.tensor[ph.{dtype}][N], C: ph.tensor[ph.{dtype}][3, N]):
    a = A[0:+{n}]
    b = B[0:+{n}]
    C[0, 0:+{n}] = a // b
    C[1, 0:+{n}] = a % b
    {more}


@ph.kernel
@ph.launch(32)
def scalars(A: ph.tensor[ph.{dtype}][N], B: ph.tensor[ph.{dtype}][N], C: ph.tensor[ph.{dtype}][3, N]):
    for i in range(0, N):
        C[0, i] = A[i] // B[i]
        C[1, i] = A[i] % B[i]
        {of_one}


@ph.kernel
@ph.launch(32)
def indices(C: ph.tensor[ph.{dtype}][3, N]):
    for i in range(0, N):
        a = i // 6 * 3 - 9
        b = i % 6 - 3 if i % 6 < 3 else i % 6 - 2
        C[0, i] = a // b
        C[1, i] = a % b
        C[2, i] = ph.std.cdiv(a, b)
"""
PAIRS = [(a, b) for a in (-9, -6, -3, 0, 3, 6, 9) for b in (-3, -2, -1, 1, 2, 3)]


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64", "f32", "f64"])
def test_case_25_division_floors(dtype, load_kernels, torch):
    kind = {
        "i8": torch.int8,
        "i16": torch.int16,
        "i32": torch.int32,
        "i64": torch.int64,
        "f32": torch.float32,
        "f64": torch.float64,
    }[dtype]
    whole = dtype.startswith("i")
    pairs = PAIRS + list(itertools.product((-7, -1, 1, 7, 100, -100), (-7, -3, 3, 7, 127, -127)))
    if not whole:
        pairs += [(-7.5, 2.0), (7.5, -2.0), (-0.5, 3.0), (5.25, -0.75)]
    ceil = "C[2, {at}] = ph.std.cdiv({a}, {b})" if whole else "C[2, {at}] = -(-{a} // {b})"
    more, of_one = ceil.format(at=f"0:+{len(pairs)}", a="a", b="b"), ceil.format(at="i", a="A[i]", b="B[i]")
    kernels = load_kernels(DIVISION.format(dtype=dtype, n=len(pairs), more=more, of_one=of_one))
    a, b = (torch.tensor(side, device="cuda").to(kind) for side in zip(*pairs))
    want = torch.tensor([[x // y for x, y in pairs], [x % y for x, y in pairs], [-(-x // y) for x, y in pairs]]).to(
        kind
    )
    for kernel in (kernels.tiles, kernels.scalars):
        got = torch.full(want.shape, 77, device="cuda", dtype=kind)
        kernel[1](a, b, got)
        assert torch.equal(got.cpu(), want)
    got = torch.full((3, len(PAIRS)), 77, device="cuda", dtype=kind)
    kernels.indices[1](got)
    assert torch.equal(got.cpu(), want[:, : len(PAIRS)])


UPWARDS = """
@ph.kernel
@ph.launch(32)
def upwards(Z: ph.tensor[ph.i8][N], n: ph.i32, k: ph.i32, u: ph.u32, x: ph.i64, O: ph.tensor[ph.i64][6]):
    O[0] = ph.cdiv(n, k)
    O[1] = ph.max(ph.cdiv(ph.full((32,), n, ph.i32), k))
    O[2] = ph.i64(ph.cdiv(u, 3))
    O[3] = ph.cdiv(x, ph.i64(k))
    O[4] = ph.cdiv(N, 1 << 22)
    O[5] = ph.cdiv(N, 1000)
"""
EDGES = [
    (2**31 - 1, 64, 1000, 2**63 - 1, 2**31 - 2**23),
    (2**31 - 1, 2**31 - 1, 2**32 - 3, 2**40, 2**31 + 5),
    (-(2**31) + 1, -1, 0, -5, 1),
    (1, 1, 2**32 - 1, 1, 1),
    (-(2**31), 3, 1, 1, 1),
    (-(2**31), -3, 1, 1, 1),
    (7, 2, 1, -(2**63), 1),
    (1, 1, 1, 1, 2**31 - 2**20 - 1),
]


@pytest.mark.parametrize("edge", EDGES, ids=str)
def test_case_25_rounding_up_does_not_overflow(edge, load_kernels, torch):
    n, k, u, x, extent = edge
    one, got = torch.zeros(1, dtype=torch.int8, device="cuda"), torch.full((6,), 77, dtype=torch.int64, device="cuda")
    load_kernels(UPWARDS).upwards[1](torch.as_strided(one, (extent,), (0,)), n, k, u, x, got)
    pairs = [(n, k), (n, k), (u, 3), (x, k), (extent, 1 << 22), (extent, 1000)]
    assert got.tolist() == [-(-a // b) for a, b in pairs]


EIGHTHS = """
@ph.kernel
@ph.launch(128)
def widen(A: ph.tensor[ph.u8][256], B: ph.tensor[ph.f32][256], C: ph.tensor[ph.u8][256]):
    t = ph.f32(ph.bitcast(A[:], ph.{dtype}))
    B[:] = t
    C[:] = ph.bitcast(ph.{dtype}(t), ph.u8)


@ph.kernel
@ph.launch(128)
{core}
def product(A: ph.tensor[ph.u8][64, 64], B: ph.tensor[ph.u8][64, 64], C: ph.tensor[ph.f32][64, 64]):
    C[:, :] = ph.dot_t(ph.bitcast(A[:, :], ph.{dtype}), ph.bitcast(B[:, :], ph.{dtype}))


@ph.kernel
@ph.launch(128)
def store(A: ph.tensor[ph.f32][N], B: ph.tensor[ph.{dtype}][N]):
    i = ph.ctx.block.x * 128
    B[i:+128] = A[i:+128]
"""


def decoded(byte: int, dtype: str) -> float:
    mantissa, bias = (3, 7) if dtype == "f8e4m3" else (2, 15)
    sign, exponent, fraction = byte >> 7, byte >> mantissa & (0x7F >> mantissa), byte & (1 << mantissa) - 1
    if byte & 0x7F == 0x7F or (dtype == "f8e5m2" and exponent == 31 and fraction):
        return float("nan")
    if dtype == "f8e5m2" and exponent == 31:
        return -float("inf") if sign else float("inf")
    value = (fraction + (exponent > 0) * 2**mantissa) * 2.0 ** (max(exponent, 1) - bias - mantissa)
    return -value if sign else value


@pytest.mark.parametrize("core", ["", "@ph.tensorcore"], ids=["fma", "tensorcore"])
@pytest.mark.parametrize("dtype", ["f8e4m3", "f8e5m2"])
def test_case_27_eight_bit_floats_on_every_chip(dtype, core, load_kernels, torch):
    kernels = load_kernels(EIGHTHS.format(dtype=dtype, core=core))
    given = torch.arange(256, device="cuda").to(torch.uint8)
    reals, back = torch.zeros(256, device="cuda"), torch.zeros(256, device="cuda", dtype=torch.uint8)
    kernels.widen[1](given, reals, back)
    want = torch.tensor([decoded(byte, dtype) for byte in range(256)], device="cuda")
    assert torch.equal(reals.nan_to_num(nan=7e7), want.nan_to_num(nan=7e7))
    finite = want.isfinite()
    assert torch.equal(back[finite], given[finite])
    assert bool(reals[back[want.isnan()].long()].isnan().all())
    assert bool((reals[back[want.isinf()].long()].abs() == reals[finite].max()).all()), "PTX's satfinite"
    # Products of numbers of a few bits, whose sums are exact.
    a, b = (torch.randint(0x30, 0x40, (64, 64), device="cuda").to(torch.uint8) for _ in range(2))
    c = torch.zeros(64, 64, device="cuda")
    kernels.product[1](a, b, c)
    left, right = want[a.long()].double(), want[b.long()].double()
    error = ((c - left @ right.t()).norm() / c.norm()).item()
    assert error < 2e-3
    for arch in ("sm_75", "sm_80", "sm_86", "sm_89") if core else ():
        assert ".entry store" in kernels.store.compile(arch=arch).ptx
        assert ".entry product" in kernels.product.compile(arch=arch).ptx


SUMS = """
@ph.kernel
@ph.launch(64)
def add(A: ph.tensor[ph.{dtype}][4, 16]):
    ph.atomic_add(A[:, :], 0.5)
"""


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_case_28_atomic_sums_of_every_float(dtype, load_kernels, torch, chip):
    import phobos

    kernel = load_kernels(SUMS.format(dtype=dtype)).add
    if dtype == "bf16":
        with pytest.raises(phobos.CompileError, match="atomic addition of bf16 needs sm_90 or later; sm_80 has none"):
            kernel.compile(arch="sm_80")
        if chip < 90:
            return
    kind = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}[dtype]
    sums = torch.ones(4, 16, device="cuda", dtype=kind)
    kernel[40](sums)
    assert bool((sums == 21).all())


@pytest.mark.parametrize("dtype", ["bool", "i8", "u8", "i16", "u16"])
def test_case_28_atomic_sums_of_bytes_are_refused_by_name(dtype, load_kernels):
    import phobos

    with pytest.raises(phobos.CompileError, match=f"{dtype}") as raised:
        load_kernels(SUMS.format(dtype=dtype).replace("0.5", "1")).add.compile(arch="sm_90a")
    assert "ph.atomic_add(A[:, :], 1)\n" in str(raised.value) and "^" in str(raised.value)


@pytest.fixture
def chip(torch):
    major, minor = torch.cuda.get_device_capability()
    return 10 * major + minor
