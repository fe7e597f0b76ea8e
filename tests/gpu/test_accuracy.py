"""ph.libdevice within the bounds of docs/approximations.md, and the built-in functions of f64, which are the same: every f16 and bf16, f32 and f64 of
every exponent; special values of all. f32 of the built-in functions is in test_functions.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gpu import accuracy, references
from gpu.accuracy import FLOATS, WIDE, assert_same, compute, rounded, ulps, wide

STEP = 1 << 10  # of how many neighbouring f32 one is taken
SIZE = 1 << 11  # of f64
# Units in the last place of f32 and of f64.
BOUNDS = {
    "acos": (3.5, 2.5), "acosh": (4.5, 3.5), "asin": (4.5, 2.5), "asinh": (3.5, 3.5), "atan": (2.5, 2.5), "atan2": (3.5, 2.5), "atanh": (3.5, 2.5),
    "cbrt": (1.5, 4.5), "cos": (2.5, 2.5), "cosh": (2.5, 1.5), "cospi": (2.5, 2.5), "erf": (2.5, 2.5), "erfc": (4.5, 5.5), "erfcinv": (4.5, 6.5),
    "erfcx": (4.5, 4.5), "erfinv": (3.5, 5.5), "exp": (2.5, 1.5), "exp10": (2.5, 2.5), "exp2": (2.5, 1.5), "expm1": (1.5, 1.5), "hypot": (3.5, 2.5),
    "j0": (9.5, 7.5), "j1": (9.5, 7.5), "jn": (16, 16), "lgamma": (6.5, 4.5), "log": (1.5, 1.5), "log10": (3.5, 2.5), "log1p": (1.5, 1.5),
    "log2": (1.5, 1.5), "norm3d": (3.5, 2.5), "norm4d": (3.5, 2.5), "normcdf": (5.5, 5.5), "normcdfinv": (5.5, 8.5), "pow": (8.5, 2.5),
    "rcbrt": (2.5, 1.5), "rhypot": (2.5, 1.5), "rnorm3d": (2.5, 1.5), "rnorm4d": (2.5, 1.5), "rsqrt": (2.5, 1.5), "sin": (2.5, 2.5), "sinh": (3.5, 2.5),
    "sinpi": (2.5, 2.5), "tan": (4.5, 2.5), "tanh": (2.5, 2.5), "tgamma": (11.5, 10.5), "y0": (9.5, 7.5), "y1": (9.5, 7.5), "yn": (16, 16),
}  # fmt: skip
# What crosses 0 where no float is: or so far off absolutely.
ABSOLUTE = dict.fromkeys(("j0", "j1", "jn", "y0", "y1", "yn", "lgamma"), (2.2e-6, 5e-12))
# Correctly rounded, as is what they are made of.
EXACT = {
    "ceil": 1, "copysign": 2, "fabs": 1, "fdim": 2, "floor": 1, "fma": 3, "fmax": 2, "fmin": 2, "fmod": 2, "ilogb": 1, "ldexp": 2, "logb": 1,
    "nearbyint": 1, "nextafter": 2, "remainder": 2, "rint": 1, "round": 1, "scalbn": 2, "sqrt": 1, "trunc": 1,
}  # fmt: skip
MORE_OPERANDS = {"atan2": 2, "hypot": 2, "pow": 2, "rhypot": 2, "norm3d": 3, "rnorm3d": 3, "norm4d": 4, "rnorm4d": 4}
OF_ONE = [name for name in BOUNDS if name not in MORE_OPERANDS and name not in ("jn", "yn")]
BUILT_IN = ["exp", "exp2", "log", "log2", "log1p", "rsqrt", "sin", "cos", "tan", "tanh", "erf"]
FAR = math.inf
# Where f64 has a result that is neither infinite, NaN nor 0 (in lgamma's and the Bessel functions' case: where it has been looked at).
DOMAINS = {
    "acos": (-1, 1), "acosh": (1, FAR), "asin": (-1, 1), "atanh": (-1, 1), "cosh": (-710, 710), "erfc": (-30, 26.5), "erfcinv": (0, 2),
    "erfcx": (-26.6, 1e150), "erfinv": (-1, 1), "exp": (-745, 709.7), "exp10": (-323, 308.2), "exp2": (-1074, 1023.9), "expm1": (-745, 709.7),
    "j0": (-1e4, 1e4), "j1": (-1e4, 1e4), "lgamma": (-50, 1e300), "log": (0, FAR), "log10": (0, FAR), "log1p": (-1, FAR), "log2": (0, FAR),
    "normcdf": (-37, 37), "normcdfinv": (0, 1), "rsqrt": (0, FAR), "sinh": (-710, 710), "tgamma": (-170, 171.6), "y0": (0, 1e4), "y1": (0, 1e4),
}  # fmt: skip
NONE, INF = math.nan, math.inf
# Those of which a zero gives one of its sign, or an infinity of its sign.
ODD = [
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "erf",
    "erfinv",
    "expm1",
    "log1p",
    "sin",
    "sinh",
    "sinpi",
    "tan",
    "tanh",
]
POLES = ["rcbrt", "rsqrt", "tgamma"]
SPECIAL = {
    "acos": {1.0: 0.0, 1.5: NONE, -1.5: NONE, INF: NONE}, "acosh": {1.0: 0.0, 0.5: NONE, -INF: NONE, INF: INF}, "asin": {2.0: NONE, INF: NONE},
    "asinh": {INF: INF, -INF: -INF}, "atan": {}, "atanh": {1.0: INF, -1.0: -INF, 2.0: NONE}, "cbrt": {INF: INF, -INF: -INF},
    "cos": {0.0: 1.0, INF: NONE, -INF: NONE}, "cosh": {0.0: 1.0, INF: INF, -INF: INF}, "cospi": {0.0: 1.0, 0.5: 0.0, 1.0: -1.0, INF: NONE},
    "erf": {INF: 1.0, -INF: -1.0}, "erfc": {INF: 0.0, -INF: 2.0}, "erfcinv": {0.0: INF, 2.0: -INF, -1.0: NONE, 3.0: NONE},
    "erfcx": {INF: 0.0, -INF: INF}, "erfinv": {1.0: INF, -1.0: -INF, 2.0: NONE}, "exp": {INF: INF, -INF: 0.0, 0.0: 1.0},
    "exp10": {INF: INF, -INF: 0.0, 0.0: 1.0}, "exp2": {INF: INF, -INF: 0.0, 0.0: 1.0}, "expm1": {INF: INF, -INF: -1.0},
    "j0": {0.0: 1.0, INF: 0.0, -INF: 0.0}, "j1": {0.0: 0.0, INF: 0.0}, "lgamma": {1.0: 0.0, 2.0: 0.0, 0.0: INF, -1.0: INF, INF: INF, -INF: INF},
    "log": {0.0: -INF, 1.0: 0.0, -1.0: NONE, -INF: NONE, INF: INF}, "log10": {0.0: -INF, 1.0: 0.0, -1.0: NONE, INF: INF},
    "log1p": {-1.0: -INF, -2.0: NONE, INF: INF}, "log2": {0.0: -INF, 1.0: 0.0, 8.0: 3.0, -1.0: NONE, INF: INF},
    "normcdf": {INF: 1.0, -INF: 0.0}, "normcdfinv": {0.0: -INF, 1.0: INF, -1.0: NONE, 2.0: NONE}, "rcbrt": {INF: 0.0, -INF: -0.0},
    "rsqrt": {INF: 0.0, -1.0: NONE, -INF: NONE}, "sin": {INF: NONE, -INF: NONE}, "sinh": {INF: INF, -INF: -INF},
    "sinpi": {INF: NONE}, "tan": {INF: NONE, -INF: NONE}, "tanh": {INF: 1.0, -INF: -1.0},
    "tgamma": {-1.0: NONE, -INF: NONE, INF: INF, 1.0: 1.0}, "y0": {0.0: -INF, -1.0: NONE, INF: 0.0},
    "y1": {0.0: -INF, -1.0: NONE, INF: 0.0},
}  # fmt: skip


def assert_bound(name: str, what: str, want, got, dtype: str, *inputs, slack=0):
    """Within the function's bound, or for 16 bits within that in f32 and half a unit of their own; `slack` is in last places more."""
    double = dtype == "f64"
    places, far = BOUNDS[name][double] + slack, ABSOLUTE.get(name, (0, 0))[double]
    error = ulps(want, got, dtype)
    narrow = accuracy.FORMATS[dtype][0] < 24
    bound = 0.501 + places * 2.0 ** (accuracy.FORMATS[dtype][0] - 24) * 2 if narrow else places
    with np.errstate(invalid="ignore"):
        good = (error <= bound) | (np.abs(want - got) <= far) | (narrow & (rounded(want, dtype) == got))
    if narrow and far:
        unit = np.ldexp(
            WIDE(1),
            np.maximum(np.frexp(np.nan_to_num(want))[1], accuracy.FORMATS[dtype][1]) - accuracy.FORMATS[dtype][0],
        )
        with np.errstate(invalid="ignore"):
            good |= np.abs(want - got) <= far + unit
    if not good.all():
        i = int(np.argmin(good))
        given = ", ".join(repr(float(x[i])) for x in inputs)
        raise AssertionError(
            f"{what} in {dtype} of {given} gave {got[i]!r}, not {want[i]!r}: {float(error[i]):.3f} ulp; {int((~good).sum())} are off"
        )


def inside(name: str, x):
    low, high = DOMAINS.get(name, (-FAR, FAR))
    return x[(x.double() > low) & (x.double() < high) & (x != 0)]


def reference(name: str, *x):
    with np.errstate(all="ignore"):
        return WIDE(1) * references.ARRAYS[name](*x)


def exactly(name: str, *x):
    function = references.exact(name)
    return np.array([function(*(a if isinstance(a, int) else float(a) for a in row)) for row in zip(*x)], WIDE)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("name", OF_ONE)
def test_bound(name, dtype, load_kernels, torch):
    x = inside(name, accuracy.numbers(torch, dtype, (1 << 32) // STEP))
    x = x[x.isfinite()]
    got = wide(compute(load_kernels, torch, f"ph.libdevice.{name}(x)", dtype, x=x))
    assert_bound(name, f"ph.libdevice.{name}", reference(name, wide(x)), got, dtype, x)


@pytest.mark.parametrize("written", [f"ph.libdevice.{name}" for name in OF_ONE] + [f"ph.{name}" for name in BUILT_IN])
def test_double(written, load_kernels, torch):
    pytest.importorskip("mpmath")
    name = written.split(".")[-1]
    random = np.random.default_rng(1)
    near = [torch.from_numpy(random.uniform(-reach, reach, SIZE // 4)) for reach in (1, 12, 800)]
    x = inside(
        name, torch.cat([accuracy.random64(torch, SIZE // 2), accuracy.random64(torch, SIZE, -30, 10, 1), *near])
    )
    if name in ("j0", "j1", "y0", "y1"):
        x = x[x.abs() > 1e-290][::4]
    assert_bound(
        name,
        written,
        exactly(name, x.tolist()),
        wide(compute(load_kernels, torch, f"{written}(x)", "f64", x=x)),
        "f64",
        x,
    )


@pytest.mark.parametrize("dtype,lowest,bound", [("f16", -17, 0.52), ("bf16", -90, 0.52), ("f64", -745, 3)])
def test_sigmoid(dtype, lowest, bound, load_kernels, torch):
    """As far as it is no zero; f32 is in test_functions.py."""
    x = accuracy.numbers(torch, dtype, 1 << 14)
    x = x[x >= lowest]
    got = wide(compute(load_kernels, torch, "ph.sigmoid(x)", dtype, x=x))
    assert ulps(reference("sigmoid", wide(x)), got, dtype).max() <= bound


WRITTEN = [(f"ph.libdevice.{name}", dtype) for name in OF_ONE for dtype in FLOATS] + [
    (f"ph.{name}", dtype) for name in BUILT_IN for dtype in FLOATS
]
LOST = {(f"ph.{name}", dtype) for name in ("sin", "tan", "tanh") for dtype in ("f16", "bf16", "f32")} - {
    ("ph.tanh", "bf16")
}
LOSES = pytest.mark.xfail(strict=True, reason="-0 gives +0")


@pytest.mark.parametrize("written,dtype", [pytest.param(*row, marks=LOSES if row in LOST else ()) for row in WRITTEN])
def test_special(written, dtype, load_kernels, torch):
    name = written.split(".")[-1]
    rows = [*SPECIAL[name].items(), (NONE, NONE)]
    if name in ODD + POLES:
        rows += [(zero, zero if name in ODD else math.copysign(INF, zero)) for zero in (0.0, -0.0)]
    elif 0.0 in SPECIAL[name]:
        rows += [(-0.0, SPECIAL[name][0.0])]
    if name in ("j0", "log2"):  # on a GPU these are one last place away from a number that is exact
        rows = [(given, result) for given, result in rows if result == 0 or not math.isfinite(result)]
    x = torch.tensor([given for given, _ in rows], dtype=torch.float64).to(accuracy.types(torch)[dtype])
    want = np.array([result for _, result in rows], WIDE)
    zeros = name not in ("acos", "cospi", "erfcx", "j0", "j1", "y0", "y1", "lgamma")
    assert_same(
        f"{written} in {dtype}", want, wide(compute(load_kernels, torch, f"{written}(x)", dtype, x=x)), x, zeros=zeros
    )


# --- several operands
def calls(torch, name: str, dtype: str, count: int):
    """The call as written, and what it is given."""
    double = dtype == "f64"
    if count > 1 and name in ("ldexp", "scalbn"):
        x = accuracy.numbers(torch, dtype, 1 << 14)
        reach = {"f16": 40, "bf16": 300, "f32": 300, "f64": 2200}[dtype]
        n = torch.from_numpy(np.random.default_rng(1).integers(-reach, reach, len(x), np.int32, endpoint=True))
        return f"ph.libdevice.{name}(x, n)", {"x": x, "n": n}
    letters = "xyzw"[:count]
    if count == 1:
        return f"ph.libdevice.{name}(x)", {"x": accuracy.numbers(torch, dtype, 1 << 14)}
    values = accuracy.operands(torch, dtype, 1 << (12 if double else 15), count)
    # Pairs that are near each other, as most of random exponents are not.
    size = 4096
    near = [
        torch.from_numpy(np.random.default_rng(seed).uniform(-8, 8, size)).to(values[0].dtype) for seed in range(count)
    ]
    return f"ph.libdevice.{name}({', '.join(letters)})", {
        letter: torch.cat(pair) for letter, pair in zip(letters, zip(values, near))
    }


def exact_reference(torch, name: str, dtype: str, arrays):
    """Of one operation: in this machine's f64 for that, else in longdouble and rounded once; fma of 16 bits goes through f32."""
    given = [x.numpy() if dtype == "f64" and name != "round" or x.dtype == torch.int32 else wide(x) for x in arrays]
    if name == "fma":
        from gpu.test_exact import fused

        double = "f64" if dtype == "f64" else "f32"
        return rounded(rounded(fused(*map(wide, arrays), double), double), dtype)
    if name == "nextafter":
        single = [x.float().numpy() for x in arrays]
        return rounded(np.nextafter(*(given if dtype == "f64" else single)).astype(WIDE), dtype)
    functions = {"sqrt": np.sqrt, **{k: references.ARRAYS[k] for k in EXACT if k not in ("ilogb", "fma", "nextafter")}}
    return rounded(WIDE(1) * functions[name](*given), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [name for name in EXACT if name != "ilogb"])
def test_exact(name, dtype, load_kernels, torch):
    call, arrays = calls(torch, name, dtype, EXACT[name])
    if name == "fma" and dtype == "f64":
        arrays = {letter: x[:8192] for letter, x in arrays.items()}
    with np.errstate(all="ignore"):
        want = exact_reference(torch, name, dtype, [*arrays.values()])
    got = wide(compute(load_kernels, torch, call, dtype, **arrays))
    zeros = name not in ("fmax", "fmin", "fdim")  # which zero wins is open
    assert_same(f"{call} in {dtype}", want, got, *arrays.values(), zeros=zeros)


@pytest.mark.parametrize("dtype", FLOATS)
def test_exponents(dtype, load_kernels, torch):
    x = accuracy.numbers(torch, dtype, 1 << 14)
    finite = np.isfinite(wide(x)) & (wide(x) != 0)
    # Of 0 and NaN the least i32, of infinities the greatest.
    want = np.where(
        finite, np.frexp(np.where(finite, wide(x), 1))[1] - 1, np.where(np.isinf(wide(x)), 2**31 - 1, -(2**31))
    )
    assert compute(load_kernels, torch, "ph.libdevice.ilogb(x)", "i32", x=x).tolist() == want.tolist()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", MORE_OPERANDS)
def test_several(name, dtype, load_kernels, torch):
    call, arrays = calls(torch, name, dtype, MORE_OPERANDS[name])
    got = wide(compute(load_kernels, torch, call, dtype, **arrays))
    want = reference(name, *(wide(x) for x in arrays.values()))
    given = [*arrays.values()]
    assert_bound(name, call, want, got, dtype, *given)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
def test_pow(dtype, load_kernels, torch):
    """ph.pow and `**`, of the types that test_functions.py leaves out."""
    _, arrays = calls(torch, "pow", dtype, 2)
    given = [wide(x) for x in arrays.values()]
    for written in ("ph.pow(x, y)", "x**y"):
        got, want = wide(compute(load_kernels, torch, written, dtype, **arrays)), reference("pow", *given)
        assert_bound("pow", written, want, got, dtype, *arrays.values(), slack=1)  # longdouble's own


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_whole_powers(dtype, load_kernels, torch):
    """Within 1 + abs(n)."""
    random = np.random.default_rng(2)
    x = torch.from_numpy(random.uniform(-4, 4, 4096)).to(accuracy.types(torch)[dtype])
    n = torch.from_numpy(random.integers(-16, 16, 4096, np.int32, endpoint=True))
    got = wide(compute(load_kernels, torch, "ph.libdevice.powi(x, n)", dtype, x=x, n=n))
    assert (ulps(reference("powi", wide(x), n.numpy()), got, dtype) <= 1 + np.abs(n.numpy())).all()


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", ["jn", "yn"])
def test_orders(name, dtype, load_kernels, torch):
    pytest.importorskip("mpmath")
    random = np.random.default_rng(3)
    x = torch.from_numpy(np.exp2(random.uniform(-6, 10, 512))).to(accuracy.types(torch)[dtype])
    n = torch.from_numpy(random.integers(0, 5, 512).astype(np.int32))
    got = wide(compute(load_kernels, torch, f"ph.libdevice.{name}(n, x)", dtype, n=n, x=x))
    assert_bound(name, f"ph.libdevice.{name}", exactly(name, n.tolist(), x.tolist()), got, dtype, n, x)
