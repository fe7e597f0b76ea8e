"""What docs/approximations.md calls exact or correctly rounded, bit for bit: NaN, infinities, signed zeros and subnormal numbers included."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from gpu import accuracy
from gpu.accuracy import FLOATS, WIDE, assert_same, compute, rounded, wide

SIZE = 1 << 16
UNARY = {
    "ph.abs(x)": np.abs, "-x": np.negative, "ph.floor(x)": np.floor, "ph.ceil(x)": np.ceil, "ph.round(x)": np.rint,
    "ph.trunc(x)": np.trunc, "ph.sqrt(x)": np.sqrt, "1 / x": lambda x: 1 / x,
}  # fmt: skip
CLASSES = {
    "ph.isnan(x)": np.isnan, "ph.isinf(x)": np.isinf, "x == x": lambda x: x == x, "x != x": lambda x: x != x, "x < 0": lambda x: x < 0,
    "x <= 0": lambda x: x <= 0, "x > 0": lambda x: x > 0, "x >= 0": lambda x: x >= 0, "ph.bool(x)": lambda x: x != 0,
}  # fmt: skip
BINARY = {"x + y": np.add, "x - y": np.subtract, "x * y": np.multiply, "x / y": np.divide}
COMPARED = {
    "x < y": np.less,
    "x <= y": np.less_equal,
    "x == y": np.equal,
    "x != y": np.not_equal,
    "x > y": np.greater,
    "x >= y": np.greater_equal,
}
# Which of -0 and +0 wins is open.
EXTREMES = {
    "ph.min(x, y)": np.minimum, "ph.max(x, y)": np.maximum, "ph.clamp(x, y, 1.5)": lambda x, y: np.minimum(np.maximum(x, y), 1.5),
    "ph.clamp(x, -0.5, y)": lambda x, y: np.minimum(np.maximum(x, -0.5), y),
}  # fmt: skip
INTEGERS = {f"i{width}": (-(2 ** (width - 1)), 2 ** (width - 1) - 1) for width in (8, 16, 32, 64)}
INTEGERS |= {f"u{width}": (0, 2**width - 1) for width in (8, 16, 32, 64)}


@pytest.fixture
def apply(load_kernels, torch):
    def run(expression: str, out: str, **arrays):
        return compute(load_kernels, torch, expression, out, **arrays)

    return run


def quiet(function, *x):
    with np.errstate(all="ignore"):
        return function(*x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("expression", UNARY)
def test_unary(expression, dtype, apply, torch):
    x = accuracy.numbers(torch, dtype, SIZE)
    # f64 is what this machine's own arithmetic gives; longdouble has more than twice the bits of the others.
    given = x.numpy() if dtype == "f64" else wide(x)
    assert_same(
        f"{expression} in {dtype}",
        rounded(quiet(UNARY[expression], given), dtype),
        wide(apply(expression, dtype, x=x)),
        x,
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("expression", CLASSES)
def test_class(expression, dtype, apply, torch):
    x = accuracy.numbers(torch, dtype, SIZE)
    assert_same(f"{expression} in {dtype}", CLASSES[expression](wide(x)), apply(expression, "bool", x=x).numpy(), x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("expression", BINARY | COMPARED | EXTREMES)
def test_binary(expression, dtype, apply, torch):
    x, y = accuracy.operands(torch, dtype, SIZE, 2)
    function = (BINARY | COMPARED | EXTREMES)[expression]
    given = [x.numpy(), y.numpy()] if dtype == "f64" else [wide(x), wide(y)]
    if expression in COMPARED:
        assert_same(f"{expression} in {dtype}", function(*given), apply(expression, "bool", x=x, y=y).numpy(), x, y)
        return
    want, got = rounded(quiet(function, *given), dtype), wide(apply(expression, dtype, x=x, y=y))
    assert_same(f"{expression} in {dtype}", want, got, x, y, zeros=expression in BINARY)


def fused(x, y, z, dtype: str):
    """x y + z, rounded once: the product exact, the sum rounded to odd."""
    if dtype == "f64":
        return np.array([exact_fma(*map(float, row)) for row in zip(x, y, z)], WIDE)
    product = x * y
    total = product + z
    back = total - product
    lost = (product - (total - back)) + (z - back)
    towards = np.where(lost > 0, WIDE(np.inf), -WIDE(np.inf))
    odd = np.mod(np.ldexp(np.frexp(np.where(np.isfinite(total), total, 0))[0], 64), 2) == 1
    moves = np.isfinite(total) & np.isfinite(lost) & (lost != 0) & ~odd
    return np.where(moves, np.nextafter(total, towards), total)


def exact_fma(x: float, y: float, z: float):
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        # With a finite product no rounding matters; one that overflows in f64 does not here.
        return float(WIDE(x) * WIDE(y) + WIDE(z))
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return float(WIDE(x) * WIDE(y) + WIDE(z)) if Fraction(x) * Fraction(y) == 0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@pytest.mark.parametrize("dtype", FLOATS)
def test_fma(dtype, apply, torch):
    if dtype == "bf16" and getattr(torch.cuda, "get_device_capability", lambda: (8, 0))() < (8, 0):
        pytest.skip("goes through f32 on this device")
    x, y, z = accuracy.operands(torch, dtype, SIZE, 3)
    if dtype == "f64":
        x, y, z = x[:12288], y[:12288], z[:12288]
    nearby = torch.from_numpy((-x.double() * y.double()).numpy()).to(
        x.dtype
    )  # where what cancels shows the product's last places
    x, y, z = torch.cat([x, x]), torch.cat([y, y]), torch.cat([z, nearby])
    want = rounded(quiet(fused, *map(wide, (x, y, z)), dtype), dtype)
    assert_same(f"ph.fma in {dtype}", want, wide(apply("ph.fma(x, y, z)", dtype, x=x, y=y, z=z)), x, y, z)


# --- `//` and `%`
def floored(x: float, y: float) -> tuple[float | int, float | Fraction]:
    """The quotient, rounded down, and the remainder, which has the divisor's sign."""
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return float(np.divide(x, y)) if y == 0 else math.nan, math.nan
    if math.isinf(y):
        return (-1, y) if x != 0 and (x < 0) != (y < 0) else (0, x)
    quotient = math.floor(Fraction(x) / Fraction(y))
    return quotient, Fraction(x) - quotient * Fraction(y)


@pytest.fixture(scope="module")
def divided():
    return {}


def division(torch, cache: dict, dtype: str):
    if dtype not in cache:
        x, y = accuracy.operands(torch, dtype, SIZE, 2)
        x, y = x[:10240], y[:10240]
        # Quotients of a few bits, of which most pairs have none.
        close = accuracy.numbers(torch, dtype, 4096, 9)[:4096].double()
        few = torch.from_numpy(np.random.default_rng(5).integers(-300, 300, 4096)) / 4
        whole = torch.from_numpy(
            np.random.default_rng(6).integers(-(2 ** accuracy.FORMATS[dtype][0]), 2 ** accuracy.FORMATS[dtype][0], 4096)
        )
        x = torch.cat([x, (close * few).to(x.dtype), (close * whole).to(x.dtype)])
        y = torch.cat([y, close.to(y.dtype), close.to(y.dtype)])
        with np.errstate(all="ignore"):
            cache[dtype] = x, y, [floored(float(a), float(b)) for a, b in zip(x, y)]
    return cache[dtype]


def number(x, digits: int = 80):
    """A Fraction or whole number as a longdouble that rounds as it does."""
    if isinstance(x, float):
        return WIDE(x)
    if x == 0:
        return WIDE(0)
    x = Fraction(x)
    shift = digits - (x.numerator.bit_length() - x.denominator.bit_length())
    scaled = x * Fraction(2) ** shift
    whole = abs(int(scaled)) >> (digits - 62)
    whole = whole | int(Fraction(whole << (digits - 62)) != abs(scaled))
    return np.ldexp(WIDE(whole), digits - 62 - shift) * (1 if x > 0 else -1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_remainder(dtype, apply, torch, divided):
    x, y, results = division(torch, divided, dtype)
    want = rounded(np.array([number(rest) for _, rest in results], WIDE), dtype)
    assert_same(f"x % y in {dtype}", want, wide(apply("x % y", dtype, x=x, y=y)), x, y, zeros=False)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floor_division(dtype, apply, torch, divided):
    """Correctly rounded; of f32 from 2^22 and of f64 from 2^51 on within 1, or within a last place where that is more."""
    x, y, results = division(torch, divided, dtype)
    exact = np.array([number(quotient) for quotient, _ in results], WIDE)
    want, got = rounded(exact, dtype), wide(apply("x // y", dtype, x=x, y=y))
    if dtype in ("f32", "f64"):
        bits = accuracy.FORMATS[dtype][0]
        large = np.isfinite(want) & (np.abs(want) >= 2.0 ** (bits - 2))
        away = np.abs(got[large] - exact[large])
        assert (away <= np.maximum(1, 1.5 * np.ldexp(WIDE(1), np.frexp(exact[large])[1] - bits))).all()
        want = np.where(large, got, want)
    assert_same(f"x // y in {dtype}", want, got, x, y, zeros=False)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("expression", ["x // y", "x % y"])
@pytest.mark.xfail(strict=True, reason="zeros have other signs than Python's")
def test_zero_of_a_division(expression, dtype, apply, torch):
    x = torch.tensor([0.0, -0.0, 0.0, -0.0, 4.0, -4.0, 4.0, -4.0], dtype=torch.float64).to(accuracy.types(torch)[dtype])
    y = torch.tensor([2.0, 2.0, -2.0, -2.0, 2.0, 2.0, -2.0, -2.0], dtype=torch.float64).to(x.dtype)
    want = np.array([eval(expression, {"x": a, "y": b}) for a, b in zip(x.tolist(), y.tolist())])
    assert_same(f"{expression} in {dtype}", want, wide(apply(expression, dtype, x=x, y=y)), x, y)


# --- conversions
def of_integers(torch, name: str):
    """Numbers of an integer type: its ends, all powers of two and their neighbours, and a sample of each length; as what torch has, and as Python's."""
    low, high = INTEGERS[name]
    width = int(name[1:])
    random = np.random.default_rng(width)
    x = [sign * ((1 << bit) + step) for bit in range(width + 1) for step in range(-3, 4) for sign in (1, -1)]
    x += [
        sign * int(random.integers(0, 1 << 62) >> int(random.integers(0, 62))) << int(random.integers(0, 3))
        for sign in (1, -1)
        for _ in range(4000)
    ]
    x = sorted({y for y in x if low <= y <= high} | {low, high})
    raw = np.array([y - (1 << width) if y >= 1 << (width - 1) else y for y in x], dtype=f"int{width}")
    return torch.from_numpy(raw), np.array([WIDE(y >> 32) * 2**32 + WIDE(y & 0xFFFFFFFF) for y in x])


@pytest.mark.parametrize("to", [*FLOATS, "f8e4m3", "f8e5m2"])
@pytest.mark.parametrize("given", FLOATS)
def test_float_to_float(given, to, apply, torch):
    """Once, to nearest even; 8-bit floats saturate."""
    x = accuracy.numbers(torch, given, SIZE)
    if given in ("f32", "f64") and accuracy.FORMATS[to][0] < accuracy.FORMATS[given][0]:
        # Of the narrower type the numbers, what lies between them, and what lies beside that.
        some = (
            accuracy.every(torch, "f16" if to == "f16" else "bf16")
            if to not in FLOATS[2:]
            else accuracy.sweep(torch, 1 << 16)
        )
        some = wide(some)[np.isfinite(wide(some))]
        middle = (some + rounded(some * (1 + WIDE(2.0) ** (1 - accuracy.FORMATS[to][0])), to)) / 2
        near = torch.from_numpy(middle.astype(np.float64)).to(x.dtype)
        x = torch.cat([x, near, torch.nextafter(near, near * 2), torch.nextafter(near, near * 0)])
    if to in FLOATS:
        assert_same(f"ph.{to} of {given}", rounded(wide(x), to), wide(apply(f"ph.{to}(x)", to, x=x)), x)
        return
    want = rounded(wide(x), to, saturates=True)
    assert_same(f"ph.{to} of {given}", want, wide(apply(f"ph.f32(ph.{to}(x))", "f32", x=x)), x)


@pytest.mark.parametrize("given", ["f8e4m3", "f8e5m2"])
@pytest.mark.parametrize("to", FLOATS)
def test_from_eight_bits(given, to, apply, torch):
    """Every code, exactly."""
    codes = torch.arange(256, dtype=torch.int16).to(torch.uint8)
    bits, lowest, _ = accuracy.FORMATS[given]
    code = np.arange(256)
    exponent, mantissa = (code & 127) >> (bits - 1), code & ((1 << (bits - 1)) - 1)
    want = np.ldexp(WIDE(1) * (mantissa + ((exponent > 0) << (bits - 1))), np.maximum(exponent, 1) + lowest - bits)
    if given == "f8e4m3":
        want[code & 127 == 127] = np.nan
    else:
        want[exponent == 31] = np.where(mantissa[exponent == 31] == 0, np.inf, np.nan)
    want = np.where(code & 128, -want, want)
    assert_same(f"ph.{to} of {given}", want, wide(apply(f"ph.{to}(ph.bitcast(x, ph.{given}))", to, x=codes)), codes)


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("given", FLOATS)
def test_float_to_integer(given, to, apply, torch):
    """Truncates and saturates; NaN becomes 0."""
    low, high = INTEGERS[to]
    edges = torch.tensor([float(y) for y in (low, high)], dtype=torch.float64)
    edges = torch.cat(
        [
            edges,
            torch.nextafter(edges, edges * 2),
            torch.nextafter(edges, edges * 0),
            edges + 0.5,
            edges - 0.5,
            edges + 1,
            edges - 1,
        ]
    )
    x = torch.cat([accuracy.numbers(torch, given, SIZE), edges.to(accuracy.types(torch)[given])])
    signed = to.replace("u", "i")
    cast = f"ph.{to}(x)" if to == signed else f"ph.bitcast(ph.{to}(x), ph.{signed})"
    got = apply(cast, signed, x=x).numpy().view(f"{'uint' if to != signed else 'int'}{to[1:]}")
    truncated = np.trunc(np.where(np.isnan(wide(x)), 0, wide(x)))
    want = np.clip(truncated, WIDE(low), WIDE(high >> 32) * 2**32 + WIDE(high & 0xFFFFFFFF))
    assert_same(f"ph.{to} of {given}", want, got.astype(WIDE), x, zeros=False)


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("given", INTEGERS)
def test_integer_to_float(given, to, apply, torch):
    """Once, to nearest even."""
    x, numbers = of_integers(torch, given)
    source = "x" if given.startswith("i") else f"ph.bitcast(x, ph.{given})"
    assert_same(
        f"ph.{to} of {given}", rounded(numbers, to), wide(apply(f"ph.{to}({source})", to, x=x)), numbers, zeros=False
    )


# --- bits
@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits(dtype, apply, torch):
    x, _ = of_integers(torch, dtype)
    width, signed = int(dtype[1:]), dtype.replace("u", "i")
    source = "x" if dtype == signed else f"ph.bitcast(x, ph.{dtype})"
    raw = [int(y) & ((1 << width) - 1) for y in x]
    for name, function in (("popcount", lambda y: bin(y).count("1")), ("clz", lambda y: width - y.bit_length())):
        assert apply(f"ph.i32(ph.{name}({source}))", "i32", x=x).tolist() == [function(y) for y in raw], name


@pytest.mark.parametrize("dtype", FLOATS)
def test_bitcast(dtype, apply, torch):
    """There and back, NaN's payload included."""
    width = 16 if dtype in ("f16", "bf16") else int(dtype[1:])
    integer = accuracy.types(torch)[f"i{width}"]
    bits = (
        accuracy.every(torch, dtype).view(integer)
        if width == 16
        else accuracy.numbers(torch, dtype, SIZE).view(integer)
    )
    bits = torch.cat(
        [
            bits,
            torch.from_numpy(np.random.default_rng(0).integers(-(1 << 62), 1 << 62, 4096) >> (63 - width)).to(integer),
        ]
    )
    assert torch.equal(apply(f"ph.bitcast(x, ph.{dtype})", dtype, x=bits).view(integer), bits)
    assert torch.equal(
        apply(f"ph.bitcast(x, ph.i{width})", f"i{width}", x=bits.view(accuracy.types(torch)[dtype])), bits
    )
