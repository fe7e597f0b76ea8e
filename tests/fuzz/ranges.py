"""What a tile may hold: for each element the least and the greatest value that an implementation may give it.

A float is a range, and a point wherever the language says which number it is: elementwise `+ - * /`, square roots, conversions,
comparisons of points. What it leaves open widens a range: a product may be rounded before it is added to something or not (`wide`),
sums may be taken in any order, functions are near the truth within the bounds of docs/approximations.md. Integers and bools are
known or `unknown`; a float is unknown where it might be NaN or not, or where nothing can be said.
"""

from __future__ import annotations

import math

import numpy as np
from fuzz.formats import LEAST_EXPONENT, MANTISSA, is_float, rounded, unit


class Undecided(Exception):
    """What a kernel does next, or where it reads, depends on a value that is not known."""


class Tile:
    """Elements of one dtype (the language's names; unsigned integers are held as signed). A scalar has no dimensions.

    lo, hi: float64 of the format's values, the same array where every element is a point; for others `lo` alone, exact.
    unknown: where nothing is known, or None. wide: (lo, hi) of a product that was not rounded, or None.
    """

    __slots__ = ("dtype", "hi", "lo", "unknown", "wide")

    def __init__(self, dtype, lo, hi=None, unknown=None, wide=None):
        self.dtype, self.lo = dtype, lo
        self.hi = lo if hi is None else hi
        self.unknown = unknown if unknown is not None and unknown.any() else None
        self.wide = wide

    @property
    def is_point(self) -> bool:
        return self.hi is self.lo

    @property
    def shape(self):
        return self.lo.shape

    def mapped(self, change, dtype=None) -> Tile:
        """The same elements elsewhere: `change` moves an array's elements about."""
        lo = change(self.lo)
        hi = lo if self.is_point else change(self.hi)
        unknown = None if self.unknown is None else change(self.unknown)
        wide = self.wide and (change(self.wide[0]), change(self.wide[1]))
        return Tile(dtype or self.dtype, lo, hi, unknown, wide)

    def scalar(self):
        """The value of a scalar that must be known."""
        if self.unknown is not None or not (self.is_point or np.array_equal(self.lo, self.hi, equal_nan=True)):
            raise Undecided
        return self.lo[()]


def either(*masks):
    """Where any holds, of those that are there."""
    there = [mask for mask in masks if mask is not None]
    return there[0] if len(there) == 1 else np.logical_or.reduce(np.broadcast_arrays(*there)) if there else None


def hull(dtype, candidates, unknown, anyNan):
    """The range over results for the ends of ranges. One that is NaN where no operand was is unknown."""
    lo = hi = candidates[0]
    for other in candidates[1:]:
        lo, hi = np.fmin(lo, other), np.fmax(hi, other)
    nan = np.logical_or.reduce([np.isnan(c) for c in candidates])
    nans = np.logical_and.reduce([np.isnan(c) for c in candidates])
    unknown = either(unknown, nan & ~nans, nans & ~anyNan)
    lo, hi = zero_signs(lo, hi)
    return Tile(dtype, np.where(nans, np.nan, lo), np.where(nans, np.nan, hi), unknown)


def zero_signs(lo, hi):
    """A range from 0 to 0 of which the sign is not known has both: fmin and fmax do not order them."""
    zero = (lo == 0) & (hi == 0)
    return np.where(zero, -0.0, lo), np.where(zero, 0.0, hi)


def ends(x: Tile):
    return [x.lo] if x.is_point else [x.lo, x.hi]


def corners(dtype, function, *operands: Tile) -> Tile:
    """A function that is monotone in each operand, correctly rounded."""
    unknown = either(*(x.unknown for x in operands))
    if all(x.is_point for x in operands):
        return Tile(dtype, rounded(function(*(x.lo for x in operands)), dtype), unknown=unknown)
    candidates = [()]
    for x in operands:
        candidates = [c + (end,) for c in candidates for end in ends(x)]
    nan = np.logical_or.reduce(np.broadcast_arrays(*(np.isnan(x.lo) for x in operands)))
    points = np.logical_and.reduce(np.broadcast_arrays(*(x.lo == x.hi for x in operands)))
    return hull(dtype, [rounded(function(*c), dtype) for c in candidates], unknown, nan | points)


# --- Arithmetic
def fused_with(x: Tile) -> Tile | None:
    return Tile(x.dtype, *x.wide, x.unknown) if x.wide else None


def add(x: Tile, y: Tile, sign=1.0) -> Tile:
    def plus(a, b):
        return a + b if sign > 0 else a - b

    result = corners(x.dtype, plus, x, y)
    for a, b in ((fused_with(x), y), (x, fused_with(y))):
        if a is not None and b is not None:
            result = union(result, corners(x.dtype, plus, a, b))
    return result


def union(x: Tile, y: Tile) -> Tile:
    """Either of two."""
    if x is y:
        return x
    unknown = either(x.unknown, y.unknown)
    if not is_float(x.dtype):
        return Tile(x.dtype, x.lo, unknown=either(unknown, x.lo != y.lo))
    bits = [a.view(np.int64) for a in (x.lo, x.hi, y.lo, y.hi)] if x.shape == y.shape and x.lo.flags.c_contiguous else []
    if bits and x.is_point and y.is_point and y.lo.flags.c_contiguous and np.array_equal(bits[0], bits[2]):
        return Tile(x.dtype, x.lo, unknown=unknown)
    nan = np.isnan(x.lo) & np.isnan(y.lo)
    return hull(x.dtype, [x.lo, x.hi, y.lo, y.hi], unknown, nan)


def straddles(x: Tile):
    """Where it may be 0 or not."""
    return (x.lo <= 0) & (x.hi >= 0) & (x.lo != x.hi)


def maybe_zero_times_infinity(x: Tile, y: Tile, shape):
    if x.is_point and y.is_point:
        return None
    some = [straddles(a) & (np.isinf(b.lo) | np.isinf(b.hi)) for a, b in ((x, y), (y, x))]
    return np.broadcast_to(some[0] | some[1], shape)


def multiply(x: Tile, y: Tile) -> Tile:
    result = corners(x.dtype, np.multiply, x, y)
    result.unknown = either(result.unknown, maybe_zero_times_infinity(x, y, result.shape))
    if x.is_point and y.is_point and x.dtype != "f64":
        product = x.lo * y.lo
        lo = hi = product
    else:
        exact = corners("f64", np.multiply, x, y)
        lo, hi = np.nextafter(exact.lo, -np.inf), np.nextafter(exact.hi, np.inf)
    if not (result.is_point and np.array_equal(lo, result.lo, equal_nan=True)):
        result.wide = (lo, hi)
    return result


def divide(x: Tile, y: Tile) -> Tile:
    result = corners(x.dtype, np.divide, x, y)
    if x.is_point and y.is_point:
        return result
    # 0 / 0, if both may be 0.
    result.unknown = either(result.unknown, straddles(x) & (y.lo <= 0) & (y.hi >= 0))
    around = (y.lo <= 0) & (y.hi >= 0) & ~((y.lo == y.hi) & (np.signbit(y.lo) == np.signbit(y.hi)))
    result.unknown = either(result.unknown, np.broadcast_to(around & ~(np.isnan(x.lo) & np.isnan(x.hi)), result.shape))
    return result


def negate(x: Tile) -> Tile:
    wide = x.wide and (-x.wide[1], -x.wide[0])
    lo = -x.hi
    return Tile(x.dtype, lo, lo if x.is_point else -x.lo, x.unknown, wide)


def remainder(x: Tile, y: Tile) -> Tile:
    """C's fmod: of points exact, whatever the quotient."""
    result = corners(x.dtype, np.fmod, x, y)
    if not (x.is_point and y.is_point):
        # Quotients that a double does not hold whole prove nothing by being equal, nor do infinite ones.
        low, high = np.trunc(x.lo / y.lo), np.trunc(x.hi / y.lo)
        same = (low == high) & (np.abs(low) < 2.0**52)
        fixed = same & (np.broadcast_to(y.lo, result.shape) == y.hi)
        nan = np.isnan(result.lo) & np.isnan(result.hi)
        result.unknown = either(result.unknown, np.broadcast_to(~fixed & ~nan, result.shape))
    return result


def extreme(x: Tile, y: Tile, function) -> Tile:
    """np.minimum or np.maximum; which of two zeros wins is open."""
    unknown = either(x.unknown, y.unknown)
    lo, hi = function(x.lo, y.lo), function(x.hi, y.hi)
    zeros = (lo == 0) & (hi == 0) & (np.signbit(x.lo) != np.signbit(y.lo)) & (x.lo == 0) & (y.lo == 0)
    if x.is_point and y.is_point and not zeros.any():
        return Tile(x.dtype, lo, unknown=unknown)
    return Tile(x.dtype, np.where(zeros, -0.0, lo), np.where(zeros, 0.0, hi), unknown)


def two_sum(a, b):
    """a + b and what rounding lost of it."""
    total = a + b
    back = total - a
    return total, np.where(np.isfinite(total), (a - (total - back)) + (b - back), 0.0)


def fma(x: Tile, y: Tile, z: Tile) -> Tile:
    if x.dtype == "f64":
        # Within last places of the product, which cancellation may make a large part of the result, and of the result.
        result = corners("f64", lambda a, b, c: a * b + c, x, y, z)
        result.unknown = either(result.unknown, maybe_zero_times_infinity(x, y, result.shape))
        parts = np.fmax(np.abs(x.lo * y.lo), np.abs(x.hi * y.hi)), np.fmax(np.abs(result.lo), np.abs(result.hi))
        return widened(result, sum(unit(np.nan_to_num(part), "f64") for part in parts))

    def once(a, b, c):
        total, lost = two_sum(a * b, c)  # the product is exact
        even = (total.view(np.int64) & 1) == 0
        return np.where(even & (lost != 0), np.nextafter(total, np.where(lost > 0, np.inf, -np.inf)), total)

    result = corners(x.dtype, once, *(contiguous(v) for v in (x, y, z)))
    result.unknown = either(result.unknown, maybe_zero_times_infinity(x, y, result.shape))
    return result


def contiguous(x: Tile) -> Tile:
    return x.mapped(np.ascontiguousarray) if x.shape else x.mapped(np.asarray)


def widened(x: Tile, by) -> Tile:
    """As far as `by` from the range, rounded."""
    exact = (by == 0) | ~np.isfinite(x.lo) | ~np.isfinite(x.hi)
    lo = np.where(exact, x.lo, rounded(x.lo - by, x.dtype))
    hi = np.where(exact, x.hi, rounded(x.hi + by, x.dtype))
    return Tile(x.dtype, lo, hi, x.unknown)


# --- Functions. Bounds in last places of f32, of the exact result (docs/approximations.md).
def erf(x):
    return np.vectorize(math.erf, otypes=[float])(x)


INCREASING = {
    "exp": (np.exp, lambda x: 2.1 + 1.2 * np.abs(x)), "exp2": (np.exp2, 2.4), "log": (np.log, 1.0), "log2": (np.log2, 2.0),
    "log1p": (np.log1p, 1.5), "tanh": (np.tanh, 2.1), "erf": (erf, 1.2), "rsqrt": (lambda x: 1 / np.sqrt(x), 2.0),
    "tan": (np.tan, 5.0), "log10": (np.log10, 3.0),
}  # fmt: skip
F64_PLACES = 8.0  # libdevice's and libm's errors together


def function(name: str, x: Tile) -> Tile:
    exact, places = INCREASING[name]
    unknown = x.unknown
    if name == "tan" and not x.is_point:  # increasing between its poles
        unknown = either(unknown, np.floor(x.lo / np.pi + 0.5) != np.floor(x.hi / np.pi + 0.5))
    if name == "rsqrt" and not x.is_point:  # infinite at 0, with its sign
        unknown = either(unknown, straddles(x))
    results = [near(exact(end), places(end) if callable(places) else places, x.dtype, name) for end in ends(x)]
    return hull(x.dtype, [end for pair in results for end in pair], unknown, np.isnan(x.lo) | (x.lo == x.hi))


def near(value, places, dtype: str, name: str = ""):
    """The results allowed for the exact `value`: of f16 and bf16 those of f32, rounded."""
    if dtype == "f64":
        by = F64_PLACES * unit(value, "f64")
    elif name == "tanh" and dtype == "bf16":  # by an instruction of its own
        by = 0.7 * unit(value, "bf16")
    else:
        by = (places + 0.5) * unit(value, "f32")  # half a place more: `value` is rounded too
    inside = np.isfinite(value)
    between = dtype in ("f16", "bf16")
    ends = [np.where(inside, value + sign * by, value) for sign in (-1, 1)]
    return [rounded(rounded(end, "f32") if between else end, dtype) for end in ends]


def wave(name: str, x: Tile) -> Tile:
    """sin, cos: at most as far off as the argument is."""
    exact = {"sin": np.sin, "cos": np.cos}[name]
    places = np.where(np.abs(x.lo) > 65535, 3.0, 2.0)
    middle = x.lo if x.is_point else x.lo / 2 + x.hi / 2
    lo, hi = near(exact(middle), places, x.dtype)
    if x.is_point:
        return hull(x.dtype, [lo, hi], x.unknown, np.isnan(lo))
    width = x.hi - x.lo
    return Tile(x.dtype, np.fmax(lo - width, -1.0), np.fmin(hi + width, 1.0), either(x.unknown, ~np.isfinite(width)))


def power(x: Tile, y: Tile) -> Tile:
    """C's pow; of ranges only where the base is positive."""
    unknown = either(x.unknown, y.unknown)
    results = [near(np.power(a, b), 5.0, x.dtype) for a in ends(x) for b in ends(y)]
    points = x.is_point and y.is_point
    if not points:
        # A base of 1 to any power is 1, to NaN too.
        open_ = ~(x.lo > 0) | ((x.lo <= 1) & (x.hi >= 1) & (x.lo != x.hi) & np.isnan(y.lo))
        unknown = either(unknown, np.broadcast_to(open_, results[0][0].shape))
    return hull(x.dtype, [end for pair in results for end in pair], unknown, np.isnan(results[0][0]) if points else np.isnan(x.lo + y.lo))


# --- Sums
def grain(*values) -> float:
    """A power of two of which all are multiples; 0 if it would be small."""
    for candidate in (1.0, 2.0**-4, 2.0**-8):
        if all(np.array_equal(np.rint(v / candidate), v / candidate) for v in values):
            return candidate
    return 0.0


def sums_exactly(total, step: float, dtype: str) -> bool:
    """Are partial sums of multiples of `step`, whose magnitudes add up to `total`, numbers of the format, in any order? Two bits
    are left for what adds in a way of its own."""
    return bool((total < step * 2.0 ** (MANTISSA[dtype] - 2)).all())


def sum_along(x: Tile, axis: int) -> Tile:
    """In any order, and of products rounded or not."""
    count = x.shape[axis]
    lo, hi = x.wide or (x.lo, x.hi)
    lo, hi = np.fmin(lo, x.lo), np.fmax(hi, x.hi)
    magnitude = np.fmax(np.abs(lo), np.abs(hi)).sum(axis)
    unknown = None if x.unknown is None else x.unknown.any(axis)
    total = lo.sum(axis), hi.sum(axis)
    if x.is_point and not x.wide and sums_exactly(magnitude, grain(x.lo), x.dtype):
        return Tile(x.dtype, *zero_signs(*total), unknown)
    by = (count - 1 + count * 2.0**-20) * 2.0 ** -(MANTISSA[x.dtype] + 1) * magnitude
    if x.wide:  # products rounded below the normal numbers
        by = by + count * least_number(x.dtype)
    return sum_of(x.dtype, total, by, unknown, [x.lo, x.hi], axis)


def sum_of(dtype, total, by, unknown, terms, axis) -> Tile:
    """Sums within `by` of `total`. With infinities among the terms they are infinite or NaN, whatever the order."""
    margin = np.where(np.isfinite(by), by, 0.0)
    lo, hi = rounded(total[0] - margin, dtype), rounded(total[1] + margin, dtype)
    special = np.logical_or.reduce([~np.isfinite(t).all(axis) for t in terms])
    differs = special & ~((lo == hi) | (np.isnan(lo) & np.isnan(hi)))
    overflows = ~special & (np.isinf(lo) | np.isinf(hi) | ~np.isfinite(by))
    return Tile(dtype, *zero_signs(lo, hi), either(unknown, differs | overflows))


def product_along(x: Tile, axis: int) -> Tile:
    """In any order: known as long as no partial product can leave the normal numbers."""
    count = x.shape[axis]
    unknown = None if x.unknown is None else x.unknown.any(axis)
    magnitude = np.fmax(np.abs(x.lo), np.abs(x.hi))
    least = np.where((x.lo > 0) | (x.hi < 0), np.fmin(np.abs(x.lo), np.abs(x.hi)), 0.0)
    exponent = -LEAST_EXPONENT[x.dtype]
    logs = np.log2(np.fmax(magnitude, 1.0)).sum(axis), np.log2(np.fmin(np.where(least == 0, 1.0, least), 1.0)).sum(axis)
    zero = ((x.lo == 0) & (x.hi == 0)).any(axis)
    crosses = (least == 0).any(axis) & ~zero
    good = (logs[0] < exponent) & ((logs[1] > -exponent) | zero) & ~crosses & np.isfinite(magnitude).all(axis)
    by = 2.0 ** -MANTISSA[x.dtype] * count
    sign = np.where((x.lo < 0).sum(axis) % 2, -1.0, 1.0)
    low = np.where(zero, 0.0, least.prod(axis)) * (1 - by)
    high = np.where(zero, 0.0, magnitude.prod(axis)) * (1 + by)
    if count == 1:
        return x.mapped(lambda a: a.reshape(low.shape))
    lo, hi = np.where(sign > 0, low, -high), np.where(sign > 0, high, -low)
    nan = np.isnan(x.lo).any(axis) & np.isnan(x.hi).any(axis)
    lo, hi = zero_signs(rounded(lo, x.dtype), rounded(hi, x.dtype))
    return Tile(x.dtype, np.where(nan, np.nan, lo), np.where(nan, np.nan, hi), either(unknown, ~good & ~nan))


def least_number(dtype: str) -> float:
    return 2.0 ** (LEAST_EXPONENT[dtype] - MANTISSA[dtype])


# Relative error of a product of tensor cores beside f32 sums, by how f32 operands are treated.
OPERANDS = {"": 0.0, "tf32x3": 2.0**-20, "bf16x3": 2.0**-15, "tf32": 2.0**-9}


def contract(a: Tile, b: Tile, acc: Tile, mode: str) -> Tile:
    """acc + a b, in any order, by tensor cores or not; `mode` says how f32 operands are treated."""
    if not is_float(a.dtype):
        with_sign = a.lo.astype(np.int64) @ b.lo.astype(np.int64)
        unknown = contracted_unknown(a, b, acc)
        return Tile(acc.dtype, (with_sign + acc.lo).astype(acc.lo.dtype), unknown=unknown)
    middle_a, radius_a = a.lo / 2 + a.hi / 2, 0.0 if a.is_point else a.hi / 2 - a.lo / 2
    middle_b, radius_b = b.lo / 2 + b.hi / 2, 0.0 if b.is_point else b.hi / 2 - b.lo / 2
    size_a, size_b = np.abs(middle_a), np.abs(middle_b)
    product, size = middle_a @ middle_b, size_a @ size_b
    spread = np.zeros(product.shape)
    if not (a.is_point and b.is_point):
        spread = (size_a + radius_a) @ (size_b + radius_b) - size
    total = product + acc.lo, product + acc.hi
    whole = size + np.fmax(np.abs(acc.lo), np.abs(acc.hi))
    unknown = either(contracted_unknown(a, b, acc), ~np.isfinite(spread))  # infinity times what may be 0
    if a.is_point and b.is_point and acc.is_point and not acc.wide:
        step = grain(a.lo), grain(b.lo)
        # Of few bits, so that every part of a split operand holds them.
        few = not mode or (size_a <= 128 * step[0]).all() and (size_b <= 128 * step[1]).all()
        if few and sums_exactly(whole, min(step[0] * step[1], grain(acc.lo)), acc.dtype):
            return Tile(acc.dtype, *zero_signs(*total), unknown)
    depth = a.shape[1]
    by = OPERANDS[mode] * size + (depth + 2) * 2.0 ** -MANTISSA[acc.dtype] * whole + spread
    by = by + (2 * depth + 2) * least_number(acc.dtype)  # rounded below the normal numbers, there and here
    if mode:  # parts of a split operand may be too small for the format, or for its multiplication
        by = by + depth * 2.0**-120 * (1 + size_a.max(initial=0) + size_b.max(initial=0))
        rows, columns = (size_a > 1e37).any(1), (size_b > 1e37).any(0)
        rows, columns = rows | ~np.isfinite(size_a).all(1), columns | ~np.isfinite(size_b).all(0)
        unknown = either(unknown, (rows[:, None] | columns[None, :]))
    return sum_of(acc.dtype, total, by, unknown, [total[0][..., None], total[1][..., None]], -1)


def contracted_unknown(a: Tile, b: Tile, acc: Tile):
    rows = None if a.unknown is None else a.unknown.any(1)[:, None]
    columns = None if b.unknown is None else b.unknown.any(0)[None, :]
    mask = either(rows, columns, acc.unknown)
    return None if mask is None else np.broadcast_to(mask, acc.shape)
