"""References of functions: over many arguments NumPy's longdouble, or float64 where that has no such function, for f32 and narrower; for f64 mpmath's."""

from __future__ import annotations

import functools
import math

import numpy as np
from gpu.accuracy import WIDE

SQRT2 = np.sqrt(WIDE(2))


def each(function):
    """A function of Python's floats on an array; what it refuses is NaN, what overflows infinite."""

    def one(*x):
        try:
            return function(*x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return lambda *x: np.vectorize(one, otypes=[float])(*(a.astype(float) for a in x))


def of_torch(name: str):
    def reference(x):
        import torch

        return getattr(torch.special, name)(torch.from_numpy(x.astype(float))).numpy()

    return reference


def gamma(x: float) -> float:
    return math.copysign(math.inf, x) if x == 0 else math.gamma(x)


def lgamma(x: float) -> float:
    return math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x)


def turned(quarters: int):
    """The sine of pi x, or with a quarter more the cosine: quarters of a turn are taken off exactly."""

    def reference(x):
        finite = np.where(np.isfinite(x), x, WIDE(0))
        nearest = np.rint(2 * finite)
        angle = WIDE("3.14159265358979323846264338327950288") * (finite - nearest / 2)
        quadrant = np.mod(np.mod(nearest, 4) + quarters, 4)
        y = np.where(np.mod(quadrant, 2) == 1, np.cos(angle), np.sin(angle))
        y = np.where(quadrant >= 2, -y, y)
        y = np.where(y == 0, np.copysign(WIDE(0), x) if quarters == 0 else 0, y)
        return np.where(np.isfinite(x), y, np.nan)

    return reference


def bessel(name: str, order: int = 0):
    """J and Y of an order by their recurrence from 0 and 1."""
    low, high = of_torch(f"bessel_{name}0"), of_torch(f"bessel_{name}1")

    def reference(x):
        before, now = low(x), high(x)
        for k in range(1, order):
            before, now = now, 2 * k / x * now - before
        return now if order else before

    return reference


def over_floor(function):
    """Exponents and the like, of which 0, infinities and NaN have their own."""
    return lambda x: np.where(x == 0, -np.inf, np.where(np.isfinite(x), function(x), np.abs(x)))


# For arrays of longdouble.
ARRAYS = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "tanh": np.tanh, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "erf": of_torch("erf"),
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan, "atanh": np.arctanh, "cbrt": np.cbrt,
    "ceil": np.ceil, "cosh": np.cosh, "cospi": turned(1), "erfc": of_torch("erfc"), "erfcx": of_torch("erfcx"), "erfinv": of_torch("erfinv"),
    "erfcinv": lambda x: of_torch("ndtri")(x / 2) / -SQRT2, "exp10": lambda x: np.power(WIDE(10), x), "expm1": np.expm1, "fabs": np.abs,
    "floor": np.floor, "j0": bessel("j"), "j1": bessel("j", 1), "lgamma": each(lgamma), "logb": over_floor(lambda x: np.frexp(x)[1] - 1),
    "nearbyint": np.rint, "normcdf": lambda x: of_torch("erfc")(-x / SQRT2) / 2, "normcdfinv": of_torch("ndtri"), "rcbrt": lambda x: 1 / np.cbrt(x),
    "rint": np.rint, "round": lambda x: np.copysign(np.floor(np.abs(x) + WIDE(0.5)), x), "sinh": np.sinh, "sinpi": turned(0), "tgamma": each(gamma),
    "trunc": np.trunc, "y0": bessel("y"), "y1": bessel("y", 1),
    "atan2": np.arctan2, "copysign": np.copysign, "fdim": lambda x, y: np.where(x > y, x - y, np.where(np.isnan(x) | np.isnan(y), np.nan, 0)),
    "fmax": np.fmax, "fmin": np.fmin, "fmod": np.fmod, "hypot": np.hypot, "pow": np.power, "rhypot": lambda x, y: 1 / np.hypot(x, y),
    "remainder": each(math.remainder), "nextafter": None,
    "norm3d": lambda *x: functools.reduce(np.hypot, x), "rnorm3d": lambda *x: 1 / functools.reduce(np.hypot, x),
    "norm4d": lambda *x: functools.reduce(np.hypot, x), "rnorm4d": lambda *x: 1 / functools.reduce(np.hypot, x), "fma": None,
    "ldexp": lambda x, n: np.ldexp(x, n.astype(int)), "scalbn": lambda x, n: np.ldexp(x, n.astype(int)), "powi": np.power,
}  # fmt: skip


@functools.cache
def exact(name: str):
    """mpmath's function of Python's floats, finite and inside the domain."""
    import mpmath
    from mpmath import mp

    mp.prec = 160
    root = mpmath.sqrt(2)
    erfc = mpmath.erfc

    def erfcinv(x):
        if x > 0.5:
            return mpmath.erfinv(1 - x)
        y = mpmath.sqrt(-mpmath.log(x))
        for _ in range(12):  # Newton's steps on the logarithm
            y += (mpmath.log(erfc(y)) - mpmath.log(x)) * erfc(y) * mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(y * y)
        return y

    def log(base):
        return lambda x: mpmath.log(x) / mpmath.log(base)

    functions = {
        "exp2": lambda x: mpmath.power(2, x), "exp10": lambda x: mpmath.power(10, x), "log2": log(2), "log10": log(10),
        "rsqrt": lambda x: 1 / mpmath.sqrt(x), "rcbrt": lambda x: mpmath.sign(x) / mpmath.cbrt(abs(x)), "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
        "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "erfcx": lambda x: mpmath.exp(x * x) * erfc(x), "erfcinv": erfcinv,
        "normcdf": lambda x: erfc(-x / root) / 2, "normcdfinv": lambda x: -root * erfcinv(2 * x) if x <= 0.5 else root * mpmath.erfinv(2 * x - 1),
        "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if x < 1e4 else mpmath.loggamma(x), "tgamma": mpmath.gamma,
        "j0": lambda x: mpmath.besselj(0, x), "j1": lambda x: mpmath.besselj(1, x), "y0": lambda x: mpmath.bessely(0, x),
        "y1": lambda x: mpmath.bessely(1, x), "jn": mpmath.besselj, "yn": mpmath.bessely, "pow": mpmath.power, "powi": mpmath.power,
        "hypot": lambda *x: mpmath.sqrt(sum(a * a for a in x)), "rhypot": lambda *x: 1 / mpmath.sqrt(sum(a * a for a in x)),
    }  # fmt: skip
    functions |= {f"norm{n}d": functions["hypot"] for n in "34"} | {f"rnorm{n}d": functions["rhypot"] for n in "34"}
    function = functions.get(name) or getattr(mpmath, name)
    bits = 64

    def reference(*x):
        y = function(*(mpmath.mpf(a) if isinstance(a, float) else a for a in x))
        if y == 0 or not mpmath.isfinite(y):
            return WIDE(float(y))
        sign, mantissa, exponent, length = y._mpf_
        shift = max(length - bits, 0)  # the bits below those of a longdouble become one
        kept = mantissa >> shift | (1 if shift and mantissa & ((1 << shift) - 1) else 0)
        high, low = divmod(int(kept), 1 << 32)
        return np.ldexp(WIDE(high) * 2**32 + WIDE(low), int(exponent) + shift) * (-1 if sign else 1)

    return reference
