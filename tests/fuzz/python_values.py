"""Tiles and scalars of the kernel language as Python objects on NumPy: conversions, and operators with the language's joins of dtypes.

Part of running a kernel's text as Python (python_kernels.py), and independent of the compiler.
"""

from __future__ import annotations

import operator

import numpy as np
from fuzz.formats import INTEGERS, MEMORY, UNSIGNED, float_to_integer, integer_to_float, is_float, meet, rounded

KINDS = {name: MEMORY[name] for name in INTEGERS} | {"bool": np.bool_, "index": np.int32}


def element(value) -> str:
    """The dtype of a value or, for a literal, the one that it has alone."""
    return value.dtype if isinstance(value, Value) else {bool: "bool", int: "index", float: "f32"}[type(value)]


def strength(value) -> int:
    """Literals yield to scalars and tiles, a scalar index to tiles."""
    return (2 if value.array.shape else 1) if isinstance(value, Value) else 0


def common(values, comparing=False) -> str:
    return meet([(element(value), strength(value)) for value in values], comparing)


def convert(value, dtype: str) -> Value:
    """A value or a literal as another dtype."""
    if not isinstance(value, Value):
        if is_float(dtype):
            return Value(dtype, np.asarray(rounded(np.array(float(value)), dtype)))
        return Value(dtype, np.array(value != 0 if dtype == "bool" else int(value), KINDS[dtype]))
    source, array = value.dtype, value.array
    if source == dtype:
        return value
    if dtype == "bool":
        return Value(dtype, np.asarray(array != 0))
    if is_float(source):
        return Value(dtype, np.asarray(rounded(array, dtype) if is_float(dtype) else float_to_integer(array, KINDS[dtype])))
    if is_float(dtype):
        return Value(dtype, np.asarray(integer_to_float(array.astype(np.uint8) if source == "bool" else array, dtype)))
    if dtype == "index" and source in ("i64", "u64", "u32"):  # saturates, so that a far start stays out of range
        array = np.clip(array, *(array.dtype.type(n) for n in (0 if source in UNSIGNED else -(2**31), 2**31 - 1)))
    return Value(dtype, np.asarray(array.astype(KINDS[dtype])))


class Value:
    """A tile or a scalar. Floats are float64 of the dtype's values."""

    __slots__ = ("array", "dtype")

    def __init__(self, dtype: str, array):
        self.dtype, self.array = dtype, array

    @property
    def shape(self):
        return self.array.shape

    @property
    def T(self):
        return Value(self.dtype, self.array.T)

    def __getitem__(self, index):
        return Value(self.dtype, self.array[index])

    def __bool__(self):
        return bool(self.array)

    def __index__(self):
        return int(self.array)

    def __neg__(self):
        value = convert(self, "i32") if self.dtype == "bool" else self
        return Value(value.dtype, -value.array)

    def __pos__(self):
        return convert(self, "i32") if self.dtype == "bool" else self

    def __invert__(self):
        return Value(self.dtype, ~self.array)

    def __abs__(self):
        return elementwise(np.abs, self, least="i32")


def elementwise(function, *operands, least=None, result=None, comparing=False) -> Value:
    """`function` of arrays of one dtype, rounded; `least` is what bools, or all that are no floats, become first."""
    dtype = common(operands, comparing)
    if least and (dtype == "bool" or (is_float(least) and not is_float(dtype))):
        dtype = least
    values = np.broadcast_arrays(*(convert(x, dtype).array for x in operands))
    if function is floor_divide:
        made = floor_divide(*values, "f64" if dtype == "f64" else "f32")
    else:
        made = np.asarray(function(*values))
    result = result or dtype
    return Value(result, np.asarray(rounded(made, dtype)) if is_float(result) else made.astype(KINDS[result]))


def floor_divide(x, y, steps: str):
    """Of floats as NumPy does it, from the remainder; `steps` is the format of what lies between."""
    if x.dtype.kind != "f":
        zero = y == 0
        return np.where(zero, x.dtype.type(0), x // np.where(zero, y.dtype.type(1), y))
    rest = np.fmod(x, y)
    quotient = rounded(rounded(x - rest, steps) / y, steps)
    quotient = rounded(quotient - ((rest != 0) & ((rest < 0) != (y < 0))), steps)
    return np.where(y == 0, x / y, np.rint(quotient))


def modulo(x, y):
    if x.dtype.kind != "f":
        zero = y == 0
        return np.where(zero, x.dtype.type(0), np.remainder(x, np.where(zero, y.dtype.type(1), y)))
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def shifted(left: bool):
    def shift(x, y):
        width = x.dtype.itemsize * 8
        far = y.view(f"u{y.dtype.itemsize}") >= width if y.dtype.kind == "i" else y >= width
        near = np.where(far, y.dtype.type(0), y)
        if left:
            return np.where(far, x.dtype.type(0), x << near)
        return np.where(far, np.where(x < 0, x.dtype.type(-1), x.dtype.type(0)) if x.dtype.kind == "i" else x.dtype.type(0), x >> near)

    return shift


def install_operators():
    arithmetic = {
        "add": (np.add, "i32"), "sub": (np.subtract, "i32"), "mul": (np.multiply, "i32"), "truediv": (np.divide, "f32"),
        "floordiv": (floor_divide, "i32"), "mod": (modulo, "i32"), "pow": (np.power, "f32"), "and": (np.bitwise_and, None),
        "or": (np.bitwise_or, None), "xor": (np.bitwise_xor, None), "lshift": (shifted(True), "i32"), "rshift": (shifted(False), "i32"),
    }  # fmt: skip
    for name, (function, least) in arithmetic.items():
        setattr(Value, f"__{name}__", lambda x, y, f=function, least=least: elementwise(f, x, y, least=least))
        setattr(Value, f"__r{name}__", lambda x, y, f=function, least=least: elementwise(f, y, x, least=least))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        function = getattr(operator, name)
        setattr(Value, f"__{name}__", lambda x, y, f=function: elementwise(f, x, y, result="bool", comparing=True))


install_operators()
