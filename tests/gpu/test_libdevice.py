"""Every function of ph.libdevice against references in float64, in f16, f32 and f64; whole numbers as operands and results."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from conftest import ROOT

SIZE = 512
KERNEL = """
@ph.kernel
@ph.launch(128)
def kernel(X: ph.tensor[ph.{dtype}][512], Y: ph.tensor[ph.{dtype}][512], Z: ph.tensor[ph.{dtype}][512], W: ph.tensor[ph.{dtype}][512],
           N: ph.tensor[ph.i32][512], R: ph.tensor[ph.{dtype}][512]):
    x, y, z, w, n = X[:], Y[:], Z[:], W[:], N[:]
    R[:] = ph.libdevice.{call}
"""


def each(function):
    return np.vectorize(function, otypes=[float])


def of_torch(name: str):
    def reference(torch, *x):
        return getattr(torch.special, name)(*(torch.from_numpy(a) for a in x)).numpy()

    return reference


def of_numpy(function):
    return lambda torch, *x: function(*x)


def bessel(first: bool):
    """J_n and Y_n by their recurrence, upwards from orders 0 and 1: the orders here are small."""
    names = ("bessel_j0", "bessel_j1") if first else ("bessel_y0", "bessel_y1")

    def reference(torch, n, x):
        low, high = (of_torch(name)(torch, x) for name in names)
        rows = [low, high]
        for order in range(1, 4):
            rows.append(2 * order / x * rows[-1] - rows[-2])
        return np.choose(n, rows[:4])

    return reference


ANY, UNIT, POSITIVE, SMALL, ABOVE_ONE, SHARE = (-20.0, 20.0), (-1.0, 1.0), (1e-3, 50.0), (-5.0, 5.0), (1.0, 50.0), (1e-3, 1.0)
# name: operands as written, the range of x, the reference of what is written
FUNCTIONS = {
    "acos": ("x", UNIT, of_numpy(np.arccos)), "acosh": ("x", ABOVE_ONE, of_numpy(np.arccosh)), "asin": ("x", UNIT, of_numpy(np.arcsin)),
    "asinh": ("x", ANY, of_numpy(np.arcsinh)), "atan": ("x", ANY, of_numpy(np.arctan)), "atanh": ("x", (-0.99, 0.99), of_numpy(np.arctanh)),
    "cbrt": ("x", ANY, of_numpy(np.cbrt)), "ceil": ("x", ANY, of_numpy(np.ceil)), "cos": ("x", ANY, of_numpy(np.cos)),
    "cosh": ("x", SMALL, of_numpy(np.cosh)), "cospi": ("x", ANY, of_numpy(each(lambda x: math.cos(math.pi * math.remainder(x, 2))))),
    "erf": ("x", SMALL, of_numpy(each(math.erf))), "erfc": ("x", (-3.0, 2.0), of_numpy(each(math.erfc))),
    "erfcinv": ("x", SHARE, lambda torch, x: of_torch("ndtri")(torch, x / 2) / -math.sqrt(2)), "erfcx": ("x", (-2.0, 50.0), of_torch("erfcx")),
    "erfinv": ("x", (-0.99, 0.99), of_torch("erfinv")), "exp": ("x", SMALL, of_numpy(np.exp)), "exp10": ("x", (-3.0, 3.0), of_numpy(lambda x: 10.0**x)),
    "exp2": ("x", SMALL, of_numpy(np.exp2)), "expm1": ("x", SMALL, of_numpy(np.expm1)), "fabs": ("x", ANY, of_numpy(np.abs)),
    "floor": ("x", ANY, of_numpy(np.floor)), "j0": ("x", POSITIVE, of_torch("bessel_j0")), "j1": ("x", POSITIVE, of_torch("bessel_j1")),
    "lgamma": ("x", POSITIVE, of_numpy(each(math.lgamma))), "log": ("x", POSITIVE, of_numpy(np.log)), "log10": ("x", POSITIVE, of_numpy(np.log10)),
    "log1p": ("x", POSITIVE, of_numpy(np.log1p)), "log2": ("x", POSITIVE, of_numpy(np.log2)),
    "logb": ("x", POSITIVE, of_numpy(each(lambda x: math.frexp(x)[1] - 1))), "nearbyint": ("x", ANY, of_numpy(np.rint)), "normcdf": ("x", (-3.0, 3.0), of_numpy(each(lambda x: math.erfc(-x / math.sqrt(2)) / 2))),
    "normcdfinv": ("x", (1e-3, 0.999), of_torch("ndtri")), "rcbrt": ("x", POSITIVE, of_numpy(lambda x: 1 / np.cbrt(x))), "rint": ("x", ANY, of_numpy(np.rint)),
    "round": ("x", ANY, of_numpy(lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x))), "rsqrt": ("x", POSITIVE, of_numpy(lambda x: 1 / np.sqrt(x))),
    "sin": ("x", ANY, of_numpy(np.sin)), "sinh": ("x", SMALL, of_numpy(np.sinh)),
    "sinpi": ("x", ANY, of_numpy(each(lambda x: math.sin(math.pi * math.remainder(x, 2))))), "sqrt": ("x", POSITIVE, of_numpy(np.sqrt)),
    "tan": ("x", UNIT, of_numpy(np.tan)), "tanh": ("x", SMALL, of_numpy(np.tanh)), "tgamma": ("x", (0.1, 7.0), of_numpy(each(math.gamma))),
    "trunc": ("x", ANY, of_numpy(np.trunc)), "y0": ("x", POSITIVE, of_torch("bessel_y0")), "y1": ("x", POSITIVE, of_torch("bessel_y1")),
    "atan2": ("x, y", ANY, of_numpy(np.arctan2)), "copysign": ("x, y", ANY, of_numpy(np.copysign)), "fdim": ("x, y", ANY, of_numpy(lambda x, y: np.maximum(x - y, 0))),
    "fmax": ("x, y", ANY, of_numpy(np.fmax)), "fmin": ("x, y", ANY, of_numpy(np.fmin)), "fmod": ("x, y", ANY, of_numpy(np.fmod)),
    "hypot": ("x, y", ANY, of_numpy(np.hypot)), "pow": ("x, y", (0.1, 3.0), of_numpy(np.power)), "remainder": ("x, y", ANY, of_numpy(each(math.remainder))),
    "rhypot": ("x, y", ANY, of_numpy(lambda x, y: 1 / np.hypot(x, y))), "fma": ("x, y, z", ANY, of_numpy(lambda x, y, z: x * y + z)),
    "norm3d": ("x, y, z", ANY, of_numpy(lambda *v: np.sqrt(sum(a * a for a in v)))), "rnorm3d": ("x, y, z", ANY, of_numpy(lambda *v: sum(a * a for a in v) ** -0.5)),
    "norm4d": ("x, y, z, w", ANY, of_numpy(lambda *v: np.sqrt(sum(a * a for a in v)))), "rnorm4d": ("x, y, z, w", ANY, of_numpy(lambda *v: sum(a * a for a in v) ** -0.5)),
    "ldexp": ("x, n", ANY, of_numpy(lambda x, n: x * 2.0**n)), "scalbn": ("x, n", ANY, of_numpy(lambda x, n: x * 2.0**n)),
    "powi": ("x, n", (0.5, 3.0), of_numpy(lambda x, n: x**n)), "jn": ("n, x", (1.0, 50.0), bessel(True)), "yn": ("n, x", (1.0, 50.0), bessel(False)),
    "ilogb": ("x", POSITIVE, of_numpy(each(lambda x: math.frexp(x)[1] - 1))),
}  # fmt: skip
# Bessel functions, and the logarithm of gamma near 1 and 2, cross 0: what is off is measured against 1.
BESSEL = {"j0", "j1", "y0", "y1", "jn", "yn"}
ABSOLUTE = BESSEL | {"lgamma"}
BESSEL_ERROR = 1e-6  # torch's own, of whatever type
# Of powers, gamma and what runs off towards infinity the argument's own last place matters more.
LOOSE = {"pow", "normcdf", "tgamma", "erfcx", "erfc", "cosh", "sinh", "exp10", "powi", "fma", "atanh", "normcdfinv", "erfcinv", "erfinv", "tan"}


def names() -> set[str]:
    return set(re.findall(r"(?m)^PHOBOS_LIBDEVICE\((\w+)", (ROOT / "compiler/include/phobos/Support/Libdevice.def").read_text()))


def test_every_function_is_tested():
    if not (ROOT / "compiler").exists():
        pytest.skip("a bundle has no sources")
    assert names() == set(FUNCTIONS) | {"nextafter"}


@pytest.mark.parametrize("dtype", ["f32", "f64", "f16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name, dtype, load_kernels, torch):
    written, (low, high), reference = FUNCTIONS[name]
    generator = np.random.default_rng(len(name))
    kind = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[dtype]
    given = {letter: generator.uniform(low, high, SIZE).astype(kind) for letter in "xyzw"}
    given["n"] = generator.integers(0, 4, SIZE, np.int32)
    arrays = [torch.from_numpy(given[letter]).to("cuda") for letter in "xyzwn"]
    result = torch.full((SIZE,), 77.0, device="cuda").to(arrays[0].dtype)
    load_kernels(KERNEL.format(dtype=dtype, call=f"{name}({written})")).kernel[1](*arrays, result)
    torch.cuda.synchronize()
    operands = [given[letter] if letter == "n" else given[letter].astype(np.float64) for letter in written.split(", ")]
    want = reference(torch, *operands)
    places = 64 if name in LOOSE else 16
    unit = max(np.finfo(kind).eps * (1 if dtype == "f16" else places), np.finfo(np.float64).eps * 256)
    unit = max(unit, BESSEL_ERROR) if name in BESSEL else unit
    scale = np.maximum(np.abs(want), 1.0) if name in ABSOLUTE else np.abs(want)
    if dtype == "f16":
        want = want.astype(np.float16).astype(np.float64)
    away = np.abs(result.cpu().numpy().astype(np.float64) - want)
    assert (away <= unit * scale + np.finfo(kind).tiny).all(), f"{name}: {np.max(away / np.maximum(scale, 1e-30)) / np.finfo(kind).eps:.1f} last places"


def test_next_numbers(load_kernels, torch):
    x = torch.tensor([0.0, 1.0, -1.0, 3.5] * 128, device="cuda")
    result, n = torch.empty_like(x), torch.zeros(512, device="cuda", dtype=torch.int32)
    load_kernels(KERNEL.format(dtype="f32", call="nextafter(x, y)")).kernel[1](x, x + 1, x, x, n, result)
    torch.cuda.synchronize()
    assert torch.equal(result, torch.nextafter(x, x + 1))


def test_mixed_operands(load_kernels, torch):
    """A number beside a tile, an integer beside a float, a narrow integer as the whole one."""
    text = """
@ph.kernel
@ph.launch(32)
def kernel(X: ph.tensor[ph.f32][32], N: ph.tensor[ph.i8][32], R: ph.tensor[ph.f32][2, 32], I: ph.tensor[ph.i32][32]):
    R[0, :] = ph.libdevice.hypot(X[:], 3)
    R[1, :] = ph.libdevice.ldexp(1.5, N[:])
    I[:] = ph.libdevice.ilogb(X[:])
"""
    x, n = torch.arange(1, 33, device="cuda").float(), torch.arange(32, device="cuda").to(torch.int8) - 16
    result, exponents = torch.empty(2, 32, device="cuda"), torch.empty(32, device="cuda", dtype=torch.int32)
    load_kernels(text).kernel[1](x, n, result, exponents)
    torch.cuda.synchronize()
    assert torch.allclose(result[0], torch.sqrt(x * x + 9)) and torch.equal(result[1], 1.5 * 2.0 ** n.float())
    assert torch.equal(exponents, x.log2().floor().int())


def test_byte_permutations(load_kernels, torch):
    text = """
@ph.kernel
@ph.launch(32)
def kernel(A: ph.tensor[ph.i32][256], B: ph.tensor[ph.i32][256], S: ph.tensor[ph.i32][256], R: ph.tensor[ph.i32][3, 256]):
    R[0, :] = ph.byteperm(A[:], B[:], S[:])
    R[1, :] = ph.byteperm(A[:], B[:], 0x0123)
    R[2, :] = ph.i32(ph.byteperm(ph.u32(A[:]), 0, 0x7BA9))
"""
    generator = np.random.default_rng(0)
    a, b, s = (generator.integers(-(2**31), 2**31, 256).astype(np.int32) for _ in range(3))
    result = torch.zeros((3, 256), device="cuda", dtype=torch.int32)
    load_kernels(text).kernel[1](*(torch.from_numpy(x).to("cuda") for x in (a, b, s)), result)
    torch.cuda.synchronize()

    def permuted(a: int, b: int, s: int) -> int:
        pool = (a & 0xFFFFFFFF).to_bytes(4, "little") + (b & 0xFFFFFFFF).to_bytes(4, "little")
        digits = [s >> 4 * i & 15 for i in range(4)]
        picked = [(255 if pool[d & 7] >> 7 else 0) if d & 8 else pool[d] for d in digits]
        return int.from_bytes(bytes(picked), "little", signed=True)

    wanted = [[permuted(int(x), *rest) for x, rest in zip(a, others)] for others in (zip(b.tolist(), s.tolist()), zip(b.tolist(), [0x0123] * 256), [(0, 0x7BA9)] * 256)]
    assert (result.cpu().numpy() == np.array(wanted)).all()
