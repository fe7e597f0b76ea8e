"""The elements of the kernel language in NumPy: how they lie in memory, rounding to them, and which dtype two of them meet at.

Floats of every format are computed with as float64, which holds them all; `rounded` brings a result back to its format. For f32
and narrower `+ - * /` and square roots that are rounded twice, to float64 and then to the format, are as if rounded once.
"""

from __future__ import annotations

import functools

import numpy as np

SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
FLOAT8 = ("f8e4m3", "f8e5m2")
FLOATS = ("f16", "bf16", "f32", "f64")
BITS = {"bool": 8, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f8e4m3": 8, "f8e5m2": 8, "index": 32}
BITS |= {name: int(name[1:]) for name in INTEGERS}

# Explicit bits of the mantissa, least exponent of a normal number, largest finite value.
MANTISSA = {"f8e4m3": 3, "f8e5m2": 2, "bf16": 7, "f16": 10, "f32": 23, "f64": 52}
LEAST_EXPONENT = {"f8e4m3": -6, "f8e5m2": -14, "bf16": -126, "f16": -14, "f32": -126, "f64": -1022}
LARGEST = {
    "f8e4m3": 448.0, "f8e5m2": 57344.0, "bf16": float(2**127 * (2 - 2**-7)), "f16": 65504.0,
    "f32": float(np.finfo(np.float32).max), "f64": float(np.finfo(np.float64).max),
}  # fmt: skip

# What an array of a dtype is in memory; for those that NumPy has no type for, the bits.
MEMORY = {"bool": np.uint8, "bf16": np.uint16, "f8e4m3": np.uint8, "f8e5m2": np.uint8, "f16": np.float16}
MEMORY |= {"f32": np.float32, "f64": np.float64}
MEMORY |= {name: np.dtype(("int" if name[0] == "i" else "uint") + name[1:]).type for name in INTEGERS}


def is_float(dtype: str) -> bool:
    return dtype in MANTISSA


def unit(x, dtype: str):
    """The last place of x in a format, as a float64; of subnormals where x is small."""
    exponent = np.where(x == 0, LEAST_EXPONENT[dtype], np.frexp(x)[1] - 1)
    exponent = np.maximum(exponent, LEAST_EXPONENT[dtype])
    return np.ldexp(1.0, exponent - MANTISSA[dtype])


def rounded(x, dtype: str):
    """float64 to the nearest value of a format, ties to even. 8-bit formats saturate."""
    if dtype == "f64":
        return x
    if dtype in ("f32", "f16"):
        return x.astype(MEMORY[dtype]).astype(np.float64)
    whole = unit(x, dtype)
    result = np.where(np.isfinite(x), np.rint(x / whole) * whole, x)
    largest = LARGEST[dtype]
    if dtype == "bf16":
        return np.where(np.abs(result) > largest, np.copysign(np.inf, x), result)
    return np.where(np.isnan(x), x, np.clip(result, -largest, largest))


def float_of_integer(x):
    """float64 near an integer of up to 64 bits: exact, or with the last bit set where bits were lost, so that rounding it once
    more, to a narrower format, is as if the integer had been rounded."""
    near = x.astype(np.float64)
    if x.dtype.itemsize < 8:
        return near
    lost = x & x.dtype.type(2047)
    odd = (x - lost) | np.where(lost != 0, 2048, 0).astype(x.dtype)
    return np.where(np.abs(near) < 2.0**53, near, odd.astype(np.float64))


def integer_to_float(x, dtype: str):
    return x.astype(np.float64) if dtype == "f64" else rounded(float_of_integer(x), dtype)


def float_to_integer(x, kind):
    """Truncates and saturates; NaN becomes 0."""
    kind = np.dtype(kind).type
    info = np.iinfo(kind)
    whole = np.trunc(np.where(np.isnan(x), 0.0, x))
    # The largest of 64 bits is no float64; what is at least one more than it saturates.
    low, high = whole <= float(info.min), whole >= float(info.max)
    result = np.where(low | high, 0.0, whole).astype(kind)
    return np.where(high, kind(info.max), np.where(low, kind(info.min), result))


@functools.cache
def float8_values(dtype: str):
    """The values of the 256 patterns."""
    mantissa, least = MANTISSA[dtype], LEAST_EXPONENT[dtype]
    values = np.empty(256)
    for bits in range(256):
        exponent, fraction = (bits & 127) >> mantissa, bits & ((1 << mantissa) - 1)
        number = (fraction / (1 << mantissa) + (exponent > 0)) * 2.0 ** (max(exponent, 1) - 1 + least)
        if dtype == "f8e5m2" and exponent == 31:
            number = np.nan if fraction else np.inf
        if dtype == "f8e4m3" and bits & 127 == 127:
            number = np.nan
        values[bits] = -number if bits & 128 else number
    return values


def decoded(raw, dtype: str):
    """Memory to values: float64, integers as they are, bools."""
    if dtype == "bool":
        return raw != 0
    if dtype in FLOAT8:
        return float8_values(dtype)[raw]
    if dtype == "bf16":
        return (raw.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return raw.astype(np.float64) if is_float(dtype) else raw


def encoded(values, dtype: str):
    """Values of the format to memory."""
    if dtype in FLOAT8:
        positive = float8_values(dtype)[: 127 if dtype == "f8e4m3" else 124]  # in order; infinity and NaN come after
        bits = np.searchsorted(positive, np.abs(values)).astype(np.uint8)
        bits = np.where(np.isnan(values), 127, np.where(np.isinf(values), 124, bits)).astype(np.uint8)
        return bits | (np.signbit(values) & ~np.isnan(values)).astype(np.uint8) << 7
    if dtype == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(MEMORY[dtype])


def join(a: str, b: str) -> str | None:
    """The dtype at which two meet; None where there is none."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if is_float(a) and is_float(b):
        if BITS[a] == BITS[b]:
            return "f16" if BITS[a] == 8 else "f32"
        return a if BITS[a] > BITS[b] else b
    if is_float(a) or is_float(b):
        return a if is_float(a) else b
    if "index" in (a, b):
        other = b if a == "index" else a
        return {"u64": None, "u32": "i64", "i64": "i64"}.get(other, "index")
    if (a in SIGNED) == (b in SIGNED):
        return a if BITS[a] > BITS[b] else b
    signed, unsigned = (a, b) if a in SIGNED else (b, a)
    return None if unsigned == "u64" else f"i{max(BITS[signed], 2 * BITS[unsigned])}"


def meet(operands: list[tuple[str, int]], comparing: bool = False) -> str | None:
    """The dtype in which an operator computes. Of each operand its dtype and strength: 0 a literal, which yields to what is not one;
    1 a scalar, of which an index yields to a tile (unless they are compared); 2 a tile."""
    (common, strongest), *rest = sorted(operands, key=lambda operand: -operand[1])
    for dtype, strength in rest:
        if strength == 0 and strongest > 0:
            if dtype == "f32":
                common = common if is_float(common) else "f32"
            elif dtype == "index" and common == "bool":
                common = "i32"
        elif not (strength == 1 and strongest == 2 and dtype == "index" and common != "bool" and not comparing):
            common = common and join(common, dtype)
    return common


def accumulator(dtype: str) -> str:
    """What sums and products of a dtype are kept in."""
    if is_float(dtype):
        return dtype if BITS[dtype] >= 32 else "f32"
    return "i32" if dtype == "bool" or (dtype != "index" and BITS[dtype] < 32) else dtype
