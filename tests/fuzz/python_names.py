"""The functions of `ph` on the values of python_values.py: what each name of docs/builtins.md means."""

from __future__ import annotations

import numpy as np
from fuzz import ranges
from fuzz.formats import (
    BITS,
    FLOATS,
    INTEGERS,
    MEMORY,
    accumulator,
    decoded,
    encoded,
    is_float,
    rounded,
)
from fuzz.python_values import KINDS, Value, common, convert, element, elementwise


def float_function(function):
    return lambda *x: elementwise(function, *x, least="f32")


def rounding(function):
    return lambda x: x if not is_float(element(x)) and element(x) != "bool" else elementwise(function, x, least="i32")


def float_test(function):
    return lambda x: Value("bool", np.asarray(function(elementwise(lambda a: a, x, least="f32").array)))


def x_shape(x):
    return x.shape if isinstance(x, Value) else ()


def fused(x, y, z):
    dtype = common((x, y, z))
    dtype = dtype if is_float(dtype) else "f32"
    tiles = [ranges.Tile(dtype, np.ascontiguousarray(a)) for a in np.broadcast_arrays(*(convert(v, dtype).array for v in (x, y, z)))]
    made = ranges.fma(*tiles)
    shape = np.broadcast_shapes(x_shape(x), x_shape(y), x_shape(z))
    return Value(dtype, np.reshape(made.lo / 2 + made.hi / 2, shape))


def bits(count):
    def function(x):
        pattern = x.array.view(f"u{x.array.dtype.itemsize}")
        return Value(x.dtype, np.vectorize(lambda n: count(int(n), BITS[x.dtype]), otypes=[np.int64])(pattern).astype(KINDS[x.dtype]))

    return function


def where(condition, x, y):
    chosen = convert(condition, "bool")
    dtype = common((x, y))
    return Value(dtype, np.where(chosen.array, convert(x, dtype).array, convert(y, dtype).array))


def extreme(greatest: bool):
    function = np.maximum if greatest else np.minimum

    def both(t, other=None, axis=None, keepdims=False):
        if other is not None:
            if not isinstance(t, Value) and not isinstance(other, Value):
                return max(t, other) if greatest else min(t, other)
            return elementwise(function, t, other)
        t = convert(t, "i32") if t.dtype == "bool" else t
        return Value(t.dtype, np.asarray(function.reduce(t.array, axis, keepdims=keepdims)))

    return both


def cdiv(a, b):
    if not isinstance(a, Value) and not isinstance(b, Value):
        return -(-a // b)
    quotient = a // b
    return quotient + convert(a % b != 0, quotient.dtype)


def accumulated(function):
    def reduce(t, axis=None, keepdims=False):
        wide = accumulator(t.dtype)
        array = convert(t, wide).array
        made = np.asarray(function(array, axis=axis, keepdims=keepdims, dtype=array.dtype))
        made = Value(wide, np.asarray(rounded(made, wide)) if is_float(wide) else made)
        return convert(made, t.dtype) if is_float(t.dtype) else made

    return reduce


def running(function):
    def scan(t, axis=None):
        wide = accumulator(t.dtype)
        array = convert(t, wide).array
        made = np.asarray(function(array, axis=axis, dtype=array.dtype))
        made = Value(wide, np.asarray(rounded(made, wide)) if is_float(wide) else made)
        return convert(made, t.dtype) if is_float(t.dtype) else made

    return scan


def logical(function):
    return lambda t, axis=None, keepdims=False: Value("bool", np.asarray(function(t.array != 0, axis, keepdims=keepdims)))


def place_of(greatest: bool):
    def find(t, axis=None, keepdims=False):
        array = t.array.astype(np.int8) if t.dtype == "bool" else t.array
        axis = 0 if axis is None else axis
        made = (np.argmax if greatest else np.argmin)(array, axis)
        made = np.expand_dims(made, axis) if keepdims else made
        return Value("index", np.asarray(made, np.int32))

    return find


def dot(a, b, acc=None):
    wide = "f16" if a.dtype != b.dtype else a.dtype
    result = "i32" if not is_float(wide) else "f64" if wide == "f64" else "f32"
    array = a.array.astype(np.int64) @ b.array.astype(np.int64) if result == "i32" else a.array @ b.array
    if acc is not None:
        array = array + convert(acc, result).array
    return Value(result, np.asarray(rounded(array, result)) if is_float(result) else array.astype(np.int32))


def reshape(t, *shape):
    return Value(t.dtype, t.array.reshape(shape[0] if isinstance(shape[0], (tuple, list)) else shape))


def transpose(t, *axes):
    axes = axes[0] if axes and isinstance(axes[0], tuple) else axes
    return Value(t.dtype, t.array.transpose(axes or None))


def triangle(lower: bool):
    def keep(t, k=0):
        rows, columns = np.indices(t.shape)
        mask = columns <= rows + k if lower else columns >= rows + k
        return Value(t.dtype, np.where(mask, t.array, t.array.dtype.type(0)))

    return keep


def full(shape, value, dtype=None):
    name = dtype.name if dtype else element(value)
    return Value(name, np.full(shape, convert(value, name).array))


def iota(n, dtype=None):
    return convert(Value("index", np.arange(n, dtype=np.int32)), dtype.name if dtype else "index")


def bitcast(x, dtype):
    raw = np.ravel(encoded(x.array, x.dtype)).view(MEMORY[dtype.name])
    return Value(dtype.name, decoded(raw, dtype.name).reshape(x.shape))


def holds(condition, message=None):
    assert np.all(convert(condition, "bool").array)


class DType:
    def __init__(self, name: str):
        self.name = name

    def __call__(self, x):
        if isinstance(x, float) and not is_float(self.name) and self.name != "bool":
            x = int(x)
        return convert(x, self.name)


def as_is(*args, **keywords):
    """Decorators, with arguments or without."""
    return args[0] if args and callable(args[0]) else as_is


NAMES = {name: DType(name) for name in (*INTEGERS, *FLOATS, "bool", "f8e4m3", "f8e5m2")}
NAMES |= {name: as_is for name in ("kernel", "fn", "launch", "tensorcore", "pipeline", "aligned", "autotune", "persistent", "dependent", "cluster")}
NAMES |= {
    name: float_function(function)
    for name, function in {
        "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log1p": np.log1p, "sqrt": np.sqrt,
        "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "erf": ranges.erf,
        "pow": np.power, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    }.items()
}  # fmt: skip
NAMES |= {"floor": rounding(np.floor), "ceil": rounding(np.ceil), "round": rounding(np.rint), "trunc": rounding(np.trunc)}
NAMES |= {
    "abs": lambda x: elementwise(np.abs, x, least="i32"), 
    "isnan": float_test(np.isnan), "isinf": float_test(np.isinf), "fma": fused, "where": where, "cdiv": cdiv,
    "popcount": bits(lambda n, width: bin(n).count("1")), "clz": bits(lambda n, width: width - n.bit_length()),
    "min": extreme(False), "max": extreme(True), "clamp": lambda x, low, high: NAMES["min"](NAMES["max"](x, low), high),
    "cumsum": running(np.cumsum), "cumprod": running(np.cumprod), "sum": accumulated(np.sum), "prod": accumulated(np.prod), "any": logical(np.any), "all": logical(np.all),
    "argmax": place_of(True), "argmin": place_of(False), "rowsum": lambda t: NAMES["sum"](t, -1, True),
    "rowmax": lambda t: NAMES["max"](t, axis=-1, keepdims=True), "rowargmax": lambda t: NAMES["argmax"](t, -1, True),
    "dot": dot, "dot_t": lambda a, b, acc=None: dot(a, b.T, acc), "reshape": reshape, "transpose": transpose,
    "flat": lambda t: reshape(t, -1), "expand": lambda t, axis: Value(t.dtype, np.expand_dims(t.array, axis)),
    "broadcast": lambda t, *shape: Value(t.dtype, np.broadcast_to(t.array, shape[0] if isinstance(shape[0], tuple) else shape)),
    "tril": triangle(True), "triu": triangle(False), "zeros": lambda shape, dtype=None: full(shape, 0, dtype or NAMES["f32"]),
    "full": full, "iota": iota, "bitcast": bitcast, "unroll": range, "print": lambda *values: None, "assert_": holds,
}  # fmt: skip
