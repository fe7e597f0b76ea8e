"""ph.std's activations and their gradients within the bounds of docs/approximations.md: every f16 and bf16, f32 and f64 of every exponent."""

from __future__ import annotations

import numpy as np
import pytest
from gpu import accuracy, references
from gpu.accuracy import FLOATS, WIDE, compute, wide

STEP = 1 << 10  # of how many neighbouring f32 one is taken
SIZE = 1 << 12  # of f64
SELU, SELU_ALPHA = WIDE("1.0507009873554804934193349852946"), WIDE("1.6732632423543772848170429916717")
SQRT2, SQRT2PI = np.sqrt(WIDE(2)), np.sqrt(WIDE(2) * WIDE("3.14159265358979323846264338327950288"))


def power(x):
    """e to the x, finite, which longdouble holds further than f64."""
    return np.exp(np.clip(x, -11000, 11000))


def sigmoid(x):
    return 1 / (1 + power(-x))


def inner(x):
    """The argument of gelu_tanh's sigmoid, and its derivative."""
    factor = 2 * np.sqrt(2 / WIDE("3.14159265358979323846264338327950288"))
    return factor * (x + WIDE("0.044715") * x**3), factor * (1 + 3 * WIDE("0.044715") * x * x)


def gelu_tanh_grad(x):
    u, du = inner(np.clip(x, -1000, 1000))
    return sigmoid(u) + np.clip(x, -1000, 1000) * sigmoid(u) * sigmoid(-u) * du


def squares(x):
    """What tanh(log(1 + exp(x))) is a quotient of: n and n + 2."""
    e = power(np.minimum(x, 5000))
    return e * (e + 2), e * (e + 2) + 2


def mish_grad(x):
    n, most = squares(x)
    e = power(np.minimum(x, 5000))
    return n / most + 4 * np.maximum(x, -11000) * (e / most) * ((e + 1) / most)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(power(-np.abs(x)))


def times(x, y):
    """A product in which 0 is stronger than infinity."""
    return np.where(y == 0, y * np.sign(x), x * y)


# What is written: the reference (where it needs erfc, given one), and the bound: units in the last place of f32 (f64), more for each unit of x, and
# 2^-24 (2^-53) of abs(x), of gradients of 1 + abs(x).
ACTIVATIONS = {
    "sign(x)": (lambda x: np.where(np.isnan(x), 0, np.sign(x)), 0, 0, 0),
    "expm1(x)": (lambda x: np.expm1(x), 3, 1.2, 0),
    "relu(x)": (lambda x: np.maximum(x, 0), 0, 0, 0),
    "relu6(x)": (lambda x: np.clip(x, 0, 6), 0, 0, 0),
    "leaky_relu(x)": (lambda x: np.where(x > 0, x, WIDE("0.01") * x), 1.5, 0, 0),
    "elu(x)": (lambda x: np.where(x > 0, x, np.expm1(x)), 3, 0, 0),
    "selu(x)": (lambda x: SELU * np.where(x > 0, x, SELU_ALPHA * np.expm1(x)), 4, 0, 0),
    "celu(x)": (lambda x: np.where(x > 0, x, np.expm1(x)), 3, 0, 0),
    "gelu(x)": (lambda x, erfc: times(x, erfc(-x / SQRT2) / 2), 2.5, 0, 1),
    "gelu_tanh(x)": (lambda x: times(x, sigmoid(inner(np.clip(x, -1000, 1000))[0])), 0, 0, 4),
    "silu(x)": (lambda x: times(x, sigmoid(x)), 4, 1.2, 0),
    "mish(x)": (lambda x: times(x, squares(x)[0] / squares(x)[1]), 5, 1.2, 0),
    "softplus(x)": (lambda x: np.where(x > 20, x, softplus(x)), 4, 1.2, 0),
    "softsign(x)": (lambda x: np.where(np.isinf(x), np.nan, x / (1 + np.abs(x))), 2, 0, 0),
    "hardtanh(x)": (lambda x: np.clip(x, -1, 1), 0, 0, 0),
    "hardsigmoid(x)": (lambda x: np.clip((x + 3) / 6, 0, 1), 1.5, 0, 0),
    "hardswish(x)": (lambda x: times(x, np.clip((x + 3) / 6, 0, 1)), 2, 0, 0),
    "log_sigmoid(x)": (lambda x: -softplus(-x), 4, 1.2, 0),
    "tanh_shrink(x)": (lambda x: x - np.tanh(x), 0, 0, 4),
    "soft_shrink(x)": (lambda x: np.where(np.abs(x) <= 0.5, 0 * x, x - np.copysign(WIDE(0.5), x)), 0.5, 0, 0),
    "hard_shrink(x)": (lambda x: np.where(np.abs(x) <= 0.5, 0, x), 0, 0, 0),
    "threshold(x, 0.5, -3.0)": (lambda x: np.where(np.isnan(x) | (x > 0.5), x, -3), 0, 0, 0),
}
GRADIENTS = {
    "relu_grad(x, y)": (lambda x: WIDE(1) * (x > 0), 0, 0, 0),
    "relu6_grad(x, y)": (lambda x: WIDE(1) * ((x > 0) & (x < 6)), 0, 0, 0),
    "leaky_relu_grad(x, y)": (lambda x: np.where(x > 0, 1, WIDE("0.01")), 1, 0, 0),
    "elu_grad(x, y)": (lambda x: np.where(x > 0, 1, power(x)), 2.5, 1.2, 0),
    "selu_grad(x, y)": (lambda x: SELU * np.where(x > 0, 1, SELU_ALPHA * power(x)), 3.5, 1.2, 0),
    "celu_grad(x, y)": (lambda x: np.where(x > 0, 1, power(x)), 2.5, 1.2, 0),
    "gelu_grad(x, y)": (lambda x, erfc: erfc(-x / SQRT2) / 2 + times(x, power(-x * x / 2)) / SQRT2PI, 0, 0, 2.5),
    "gelu_tanh_grad(x, y)": (gelu_tanh_grad, 0, 0, 4),
    "silu_grad(x, y)": (lambda x: sigmoid(x) * (1 + times(x, sigmoid(-x))), 0, 0, 4),
    "mish_grad(x, y)": (mish_grad, 0, 0, 4),
    "softplus_grad(x, y)": (lambda x: np.where(x > 20, 1, sigmoid(x)), 3.5, 1.2, 0),
    "softsign_grad(x, y)": (lambda x: 1 / (1 + np.abs(x)) ** 2, 4, 0, 0),
    "hardtanh_grad(x, y)": (lambda x: WIDE(1) * (np.abs(x) < 1), 0, 0, 0),
    "hardsigmoid_grad(x, y)": (lambda x: (np.abs(x) < 3) / WIDE(6), 1, 0, 0),
    "hardswish_grad(x, y)": (lambda x: np.where(x <= -3, 0, np.where(x >= 3, 1, x / 3 + WIDE(0.5))), 0, 0, 1),
    "log_sigmoid_grad(x, y)": (lambda x: sigmoid(-x), 3.5, 1.2, 0),
    "tanh_shrink_grad(x, y)": (lambda x: np.tanh(x) ** 2, 6, 0, 0),
    "soft_shrink_grad(x, y)": (lambda x: WIDE(1) * (np.abs(x) > 0.5), 0, 0, 0),
    "hard_shrink_grad(x, y)": (lambda x: WIDE(1) * (np.abs(x) > 0.5), 0, 0, 0),
    "threshold_grad(x, y, 0.5)": (lambda x: WIDE(1) * (x > 0.5), 0, 0, 0),
}
# Of the gate, the third operand's place taken by ones; x is a factor more. Of gradients the second result.
GATED = {
    "glu(y, x)": (sigmoid, 3.5, 1.2, 0),
    "geglu(y, x)": ACTIVATIONS["gelu(x)"],
    "swiglu(y, x)": ACTIVATIONS["silu(x)"],
    "glu_grad(y, x, z)": (lambda x: sigmoid(x) * sigmoid(-x), 7.5, 1.2, 0),
    "geglu_grad(y, x, z)": GRADIENTS["gelu_grad(x, y)"],
    "swiglu_grad(y, x, z)": GRADIENTS["silu_grad(x, y)"],
}


def bound_in_words(places: float, more: float, part: float, gradient: bool) -> str:
    """As docs/approximations.md has it."""
    words = f"({places:g} + {more:g} abs(x)) ulp" if more else f"{places:g} ulp" if places else ""
    absolute = (
        (f"{part:g} " if part != 1 else "") + "2^-24 " + ("(1 + abs(x))" if gradient else "abs(x)") if part else ""
    )
    return " + ".join(filter(None, (words, absolute))) or ("correctly rounded" if places else "exact")


def exact(dtype: str, function, x):
    with np.errstate(all="ignore"):
        return WIDE(1) * (function(x, erfc(dtype)) if function.__code__.co_argcount == 2 else function(x))


def allowed(want, reach, dtype: str, places: float, more: float, part: float, scale):
    """How far off a result may be, where abs(x) is `reach`."""
    bits, lowest, _ = accuracy.FORMATS["f64" if dtype == "f64" else "f32"]
    slack = (places + more * reach) * unit(want, dtype if dtype == "f64" else "f32") + part * np.ldexp(scale, -bits)
    if more:  # 1 / (1 + exp(-x)) is 0 where exp(-x) overflows
        slack = slack + np.where(reach > (709 if dtype == "f64" else 88), np.ldexp(1 + reach, lowest), 0)
    return slack + (0.501 * unit(want, dtype) if dtype in ("f16", "bf16") else 0)


def unit(want, dtype: str):
    """A last place."""
    bits, lowest, _ = accuracy.FORMATS[dtype]
    return np.ldexp(WIDE(1), np.maximum(np.frexp(np.where(np.isfinite(want), want, 0))[1], lowest + 1) - bits)


def erfc(dtype: str):
    if dtype != "f64":
        return references.ARRAYS["erfc"]
    one = np.vectorize(references.exact("erfc"), otypes=[WIDE])
    return lambda x: np.where(
        np.abs(x) > 200, np.where(x > 0, 0, 2), one(np.clip(np.nan_to_num(x), -200, 200).astype(float))
    )


def assert_within(what: str, want, got, slack, dtype: str, *inputs):
    with np.errstate(invalid="ignore"):
        good = (np.abs(got - want) <= slack) | accuracy.same(accuracy.rounded(want, dtype), got, zeros=False)
    if not good.all():
        i = int(np.argmin(good))
        given = ", ".join(repr(float(x[i])) for x in inputs)
        raise AssertionError(
            f"{what} of {given} gave {got[i]!r}, not {want[i]!r}; {int((~good).sum())} of {good.size} are off"
        )


def inputs(torch, dtype: str):
    x = accuracy.numbers(torch, dtype, (1 << 32) // STEP if dtype == "f32" else SIZE)
    return x[~x.isinf()]  # of which test_std.py says what torch does


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("call", ACTIVATIONS | GRADIENTS)
def test_bound(call, dtype, load_kernels, torch):
    function, places, more, part = (ACTIVATIONS | GRADIENTS)[call]
    x = inputs(torch, dtype)
    if call in GRADIENTS:  # torch's conventions for NaN are several
        x = x[~x.isnan()]
    if call.startswith("mish_grad"):
        x = x[x > -1e37]  # see below
    given = wide(x)
    arrays = {"x": x, "y": torch.ones_like(x)} if call in GRADIENTS else {"x": x}
    want, got = exact(dtype, function, given), wide(compute(load_kernels, torch, f"ph.std.{call}", dtype, **arrays))
    reach = np.abs(np.nan_to_num(given))
    slack = allowed(want, reach, dtype, places, more, part, 1 + reach if call in GRADIENTS else reach)
    assert_within(f"{call} in {dtype}", want, got, slack, dtype, x)


@pytest.mark.parametrize("dtype", ["bf16", "f32", "f64"])
def test_mish_grad_far_below_0(dtype, load_kernels, torch):
    x = torch.full((8,), -torch.finfo(accuracy.types(torch)[dtype]).max, dtype=accuracy.types(torch)[dtype])
    assert (compute(load_kernels, torch, "ph.std.mish_grad(x, 1.0)", dtype, x=x) == 0).all()


@pytest.mark.parametrize("call", ["leaky_relu_grad(x, 1.0)", "selu_grad(x, 1.0)", "hardsigmoid_grad(x, 1.0)", "hardswish_grad(x, 1.0)"])
def test_number_as_gradient(call, load_kernels, torch):
    x = torch.zeros(8, dtype=torch.float64)
    want = exact("f64", GRADIENTS[call.replace("1.0", "y")][0], wide(x))
    assert accuracy.ulps(want, wide(compute(load_kernels, torch, f"ph.std.{call}", "f64", x=x)), "f64").max() <= 4


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("call", GATED)
def test_gated(call, dtype, load_kernels, torch):
    """As the function of the gate is, times x, and two roundings more."""
    function, places, more, part = GATED[call]
    x = inputs(torch, dtype)
    x = x[x.isfinite()]
    y = x[torch.from_numpy(np.random.default_rng(1).permutation(len(x)))]
    y = torch.where(y.abs() > 64, y / y * 3, y)
    given, factor = wide(x), wide(y)
    gate = exact(dtype, function, given)
    gradient = "grad" in call
    more_arrays = {"z": torch.ones_like(x), "results": "_, result"} if gradient else {}
    want, got = gate * factor, wide(compute(load_kernels, torch, f"ph.std.{call}", dtype, x=x, y=y, **more_arrays))
    base = "f64" if dtype == "f64" else "f32"
    reach = np.abs(given)
    slack = allowed(gate, reach, base, places, more, part, 1 + reach if gradient else reach) * np.abs(factor)
    slack = slack + 2 * 0.501 * unit(want, base) + (0.501 * unit(want, dtype) if dtype in ("f16", "bf16") else 0)
    assert_within(f"{call} in {dtype}", want, got, slack, dtype, y, x)
