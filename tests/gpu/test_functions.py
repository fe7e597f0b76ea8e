"""The bounds of docs/approximations.md, on every f32 there is; 16-bit functions, casts and remainders, exactly.

References are torch's in float64 on the same GPU.
"""

from __future__ import annotations

import numpy
import pytest

CHUNK = 1 << 24
# Units in the last place of f32; exp and sigmoid have 1.2 more for each unit of the argument.
BOUNDS = {
    "exp": 2.1, "exp2": 2.4, "log": 1.0, "log2": 2.0, "log1p": 1.5, "rsqrt": 2.0, "sin": 3.0, "cos": 3.0, "tan": 5.0,
    "tanh": 2.1, "erf": 1.2, "sqrt": 0.5, "sigmoid": 3.1,
}  # fmt: skip
SLOPED = ("exp", "sigmoid")
MAP = """
@ph.kernel
@ph.aligned(N=1024)
def apply(A: ph.tensor[ph.{given}][N], B: ph.tensor[ph.{out}][N]):
    i = ph.ctx.block.x * 1024
    x = A[i:+1024]
    B[i:+1024] = {expression}
"""
PAIRS = """
@ph.kernel
@ph.aligned(N=1024)
def apply(A: ph.tensor[ph.{given}][N], C: ph.tensor[ph.{given}][N], B: ph.tensor[ph.{out}][N]):
    i = ph.ctx.block.x * 1024
    x = A[i:+1024]
    y = C[i:+1024]
    B[i:+1024] = {expression}
"""


def dtypes(torch):
    """torch's types by our names; an older torch has no 8-bit floats."""
    named = {
        "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "u8": "uint8",
        "i32": "int32", "i64": "int64", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
    }
    return {ours: getattr(torch, theirs) for ours, theirs in named.items() if hasattr(torch, theirs)}


@pytest.fixture
def mapped(load_kernels, torch):
    """mapped(expression, given, out, *arrays): `expression` of x (and y) on every element."""

    def run(expression: str, given: str, out: str, *arrays):
        text = (MAP if len(arrays) == 1 else PAIRS).format(expression=expression, given=given, out=out)
        result = torch.empty(arrays[0].shape, device="cuda", dtype=dtypes(torch)[out])
        load_kernels(text).apply[arrays[0].numel() // 1024](*arrays, result)
        torch.cuda.synchronize()
        return result

    return run


def floats(torch, chunk: int):
    """The f32 whose bits begin with the byte `chunk`."""
    bits = torch.arange(CHUNK, device="cuda", dtype=torch.int64) + chunk * CHUNK
    return torch.where(bits >= 2**31, bits - 2**32, bits).to(torch.int32).view(torch.float32)


def every_16_bits(torch, dtype):
    return torch.arange(65536, device="cuda", dtype=torch.int32).to(torch.int16).view(dtype)


def ulps(torch, want, got):
    """Distance of f32 `got` from f64 `want`, in units of want's last place; infinite where one is NaN and the other not."""
    magnitude = want.abs().clamp(min=2.0**-126, max=2.0**127)
    unit = torch.exp2(torch.floor(torch.log2(magnitude)) - 23)
    distance = (want - got.double()).abs() / unit
    agree = (want.isnan() & got.isnan()) | (want.float() == got)
    overflow = (want.abs() > 2.0**128 * (1 - 2.0**-24)) & got.isinf()
    return torch.where((agree & ~want.isfinite()) | overflow, 0.0, torch.where(distance.isnan(), float("inf"), distance))


@pytest.mark.parametrize("name", BOUNDS)
def test_bound(name, mapped, torch, load_kernels):
    kernel = load_kernels(MAP.format(expression=f"ph.{name}(x)", given="f32", out="f32")).apply
    got = torch.empty(CHUNK, device="cuda")
    worst = (0.0, 0.0, 0.0)
    for chunk in range(256):
        x = floats(torch, chunk)
        kernel[CHUNK // 1024](x, got)
        error = ulps(torch, getattr(torch, name)(x.double()), got)
        if name in SLOPED:
            error = torch.where(error.isfinite(), error - 1.2 * x.abs().nan_to_num(posinf=0).double(), error)
        i = int(error.argmax())
        worst = max(worst, (error[i].item(), x[i].item(), got[i].item()))
    assert worst[0] <= BOUNDS[name], f"ph.{name}({worst[1]!r}) gave {worst[2]!r}: {worst[0]:.3f} ulp, beyond {BOUNDS[name]}"


def test_exp2_without_subnormals(mapped, torch):
    """As exp2 over all f32 down to the smallest normal result; below it, and of NaN and the infinities, what the page says."""
    smallest = 2.0**-126
    for chunk in range(0, 256, 5):
        x = floats(torch, chunk)
        got = mapped("ph.exp2_ftz(x)", "f32", "f32", x)
        want = torch.exp2(x.double())
        normal = (want >= smallest) | want.isnan()
        assert (got[~normal & (want < smallest * (1 - 1e-6))] == 0).all()
        error = ulps(torch, want, got)[normal]
        assert error.numel() == 0 or error.max() <= 2.4


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_small_sigmoid(dtype, mapped, torch):
    x = torch.full((1024,), -89.0 if dtype == "f32" else -715.0, device="cuda", dtype=dtypes(torch)[dtype])
    assert (mapped("ph.sigmoid(x)", dtype, dtype, x) > 0).all()


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("name", BOUNDS)
def test_narrow(name, dtype, mapped, torch):
    x = every_16_bits(torch, dtypes(torch)[dtype])
    got = mapped(f"ph.{name}(x)", dtype, dtype, x)
    want = getattr(torch, name)(x.double())
    rounded = want.float().to(x.dtype)
    differ = ~((got == rounded) | (got.isnan() & rounded.isnan()))
    # One that differs is a neighbour: computed in f32 it fell on the other side of a tie.
    steps = (got.view(torch.int16).int() - rounded.view(torch.int16).int()).abs()
    allowed = 64 if (name, dtype) == ("tanh", "bf16") else 8
    assert int(differ.sum()) <= allowed and int(steps[differ].max() if differ.any() else 0) <= 1


def test_pow(mapped, torch):
    generator = torch.Generator(device="cuda").manual_seed(1)
    for near_one in (False, True):
        u, v = (torch.rand(CHUNK, device="cuda", generator=generator) for _ in range(2))
        x = u * 1.5 + 0.5 if near_one else torch.exp2(u * 250 - 125)
        y = ((v.double() * 2 - 1) * 130 / torch.log2(x.double())).float()
        y = torch.where(y.isfinite(), y, 1.0)
        error = ulps(torch, torch.pow(x.double(), y.double()), mapped("ph.pow(x, y)", "f32", "f32", x, y))
        i = int(error.argmax())
        assert error[i] <= 5, f"{x[i].item()!r} ** {y[i].item()!r}: {error[i].item():.2f} ulp"
    special = [0.0, 1.0, 2.0, 0.5, 3.0, 2.5, float("inf"), 1e-40, 1e38, 2.0**24, 2.0**25 + 4, float("nan")]
    special = torch.tensor(special + [-s for s in special], device="cuda")
    x = special.repeat_interleave(len(special)).repeat(16)[: 1024 * 9]
    y = special.repeat(len(special) * 16)[: 1024 * 9]
    got = mapped("ph.pow(x, y)", "f32", "f32", x, y)
    want = torch.pow(x.double().cpu(), y.double().cpu()).float().cuda()
    same = (got.isnan() & want.isnan()) | ((got == want) | ((got - want).abs() <= 1e-6 * want.abs())) & (
        torch.signbit(got) == torch.signbit(want)
    )
    i = int((~same).int().argmax())
    assert same.all(), f"{x[i].item()!r} ** {y[i].item()!r} gave {got[i].item()!r}, not {want[i].item()!r}"


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_remainder(dtype, mapped, torch):
    """`%` is exact and has the divisor's sign, whatever the quotient."""
    generator = torch.Generator(device="cuda").manual_seed(2)
    if dtype == "f32":
        bits = [torch.randint(-(2**31), 2**31, (CHUNK,), device="cuda", generator=generator).int() for _ in range(2)]
        x, y = (b.view(torch.float32) for b in bits)
    else:
        x, y = (every_16_bits(torch, dtypes(torch)[dtype]).repeat(16), None)
        y = x[torch.randperm(len(x), device="cuda", generator=generator)]
    got = mapped("x % y", dtype, dtype, x, y)
    # C's fmod, which is exact; torch's is not everywhere.
    with numpy.errstate(invalid="ignore"):
        rest = torch.from_numpy(numpy.fmod(x.float().cpu().numpy(), y.float().cpu().numpy())).to(x.device)
    want = torch.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y.float(), rest).to(x.dtype)
    same = (got == want) | (got.isnan() & want.isnan())
    i = int((~same).int().argmax())
    assert same.all(), f"{x[i].item()!r} % {y[i].item()!r} gave {got[i].item()!r}, not {want[i].item()!r}"


def nearest(torch, x, mantissa_bits: int, lowest_exponent: int, largest: float):
    """f64 rounded to a format, ties to even, saturating."""
    exponent = torch.frexp(x)[1] - 1
    unit = torch.exp2(exponent.clamp(min=lowest_exponent).double() - mantissa_bits)
    return torch.copysign((torch.round(x.abs() / unit) * unit).clamp(max=largest), x)


FORMATS = {"f8e4m3": (3, -6, 448.0), "f8e5m2": (2, -14, 57344.0), "bf16": (7, -126, float(2**127 * (2 - 2**-7)))}


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("given", ["f32", "f64"])
def test_narrowing(given, to, mapped, torch):
    """Numbers beside the ties of the format, where a second rounding would show."""
    generator = torch.Generator(device="cuda").manual_seed(3)
    bits = FORMATS[to][0]
    odd = torch.randint(-(2 ** (bits + 2)), 2 ** (bits + 2), (CHUNK,), device="cuda", generator=generator).double() + 0.5
    scale = torch.exp2(torch.randint(-10, 10, (CHUNK,), device="cuda", generator=generator).double())
    nudge = torch.randint(-1, 2, (CHUNK,), device="cuda", generator=generator).double() * (2.0**-22 if given == "f32" else 2.0**-50)
    x = (odd * scale * (1 + nudge)).to(dtypes(torch)[given])
    got = mapped(f"ph.{to}(x)", given, to, x)
    want = nearest(torch, x.double(), *FORMATS[to])
    i = int((got.double() != want).int().argmax())
    assert (got.double() == want).all(), f"{x[i].item()!r} became {got[i].item()!r}, not {want[i].item()!r}"


def test_integers(mapped, torch):
    """Float to integer truncates and saturates; NaN becomes 0."""
    limits = {"i8": (-128, 127), "u8": (0, 255), "i32": (-(2**31), 2**31 - 1), "i64": (-(2**63), 2**63 - 1)}
    for chunk in range(0, 256, 5):
        x = floats(torch, chunk)
        for to, (low, high) in limits.items():
            want = torch.nan_to_num(x.double(), nan=0, posinf=1e300, neginf=-1e300).trunc().clamp(low, high)
            assert (mapped(f"ph.{to}(x)", "f32", to, x).double() == want).all(), to
            assert (mapped(f"ph.{to}(x)", "f64", to, x.double()).double() == want).all(), f"f64 to {to}"
    # A long integer to bf16 rounds once.
    generator = torch.Generator(device="cuda").manual_seed(4)
    top = torch.randint(128, 256, (CHUNK,), device="cuda", generator=generator)
    shift = torch.randint(2, 54, (CHUNK,), device="cuda", generator=generator)
    below = torch.randint(-1, 2, (CHUNK,), device="cuda", generator=generator)
    x = (top << shift) + (1 << (shift - 1)) + below
    up = (below > 0) | ((below == 0) & (top % 2 == 1))
    want = (top + up).double() * torch.exp2(shift.double())
    assert (mapped("ph.bf16(x)", "i64", "bf16", x).double() == want).all()
    assert (mapped("ph.bf16(x)", "i64", "bf16", -x).double() == -want).all()


@pytest.mark.parametrize("given", ["i8", "u8"])
@pytest.mark.parametrize("to", ["f16", "bf16", "f32", "f64"])
def test_bytes(given, to, mapped, torch):
    """Every byte, exactly."""
    low = -128 if given == "i8" else 0
    x = (torch.arange(CHUNK, device="cuda") % 256 + low).to(dtypes(torch)[given])
    assert (mapped(f"ph.{to}(x)", given, to, x).double() == x.double()).all()
