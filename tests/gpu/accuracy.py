"""What the tests of exactness share: inputs, rounding, and distances in units of the last place, all in NumPy's longdouble."""

from __future__ import annotations

import numpy as np

WIDE = np.longdouble
# Bits of the significand, exponent of the smallest normal number, exponent of the largest.
FORMATS = {"f8e4m3": (4, -6, 8), "f8e5m2": (3, -14, 15), "f16": (11, -14, 15), "bf16": (8, -126, 127)}
FORMATS |= {"f32": (24, -126, 127), "f64": (53, -1022, 1023)}
FLOATS = ("f16", "bf16", "f32", "f64")
BLOCK = 1024
KERNEL = """
@ph.kernel
@ph.aligned(LENGTH=1024)
def apply({parameters}, OUT: ph.tensor[ph.{out}][LENGTH]):
    i = ph.ctx.block.x * 1024
{loads}
    {results} = {expression}
    OUT[i:+1024] = result
"""


def types(torch) -> dict:
    named = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "bool": "bool"}
    named |= {"i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64"}
    return {ours: getattr(torch, theirs) for ours, theirs in named.items()}


def compute(load_kernels, torch, expression: str, out: str, results: str = "result", **arrays):
    """`expression` of tensors by their names, element by element, or which of its several results is named so; on the CPU."""
    names = {kind: name for name, kind in types(torch).items()}
    size = len(next(iter(arrays.values())))
    padded = {name: torch.cat([x, x[:1].expand(-size % BLOCK)]).cuda() for name, x in arrays.items()}
    text = KERNEL.format(
        parameters=", ".join(f"{name.upper()}: ph.tensor[ph.{names[x.dtype]}][LENGTH]" for name, x in padded.items()),
        loads="\n".join(f"    {name} = {name.upper()}[i:+1024]" for name in padded),
        out=out,
        expression=expression,
        results=results,
    )
    result = torch.empty(size + -size % BLOCK, device="cuda", dtype=types(torch)[out])
    load_kernels(text).apply[len(result) // BLOCK](*padded.values(), result)
    torch.cuda.synchronize()
    return result.cpu()[:size]


# --- inputs
def every(torch, dtype: str):
    """All 2^16 numbers of a type."""
    return torch.arange(65536, dtype=torch.int32).to(torch.int16).view(types(torch)[dtype])


def sweep(torch, step: int, seed: int = 0):
    """One f32 of each `step` neighbouring bit patterns, so of every exponent and sign."""
    first = np.arange(0, 1 << 32, step, dtype=np.uint64)
    bits = first + np.random.default_rng(seed).integers(0, step, len(first), dtype=np.uint64)
    return torch.from_numpy(bits.astype(np.uint32).view(np.float32))


def random64(torch, size: int, low: int = -1074, high: int = 1023, seed: int = 0):
    """f64 of both signs, their exponents drawn evenly."""
    random = np.random.default_rng(seed)
    x = np.ldexp(random.uniform(1, 2, size), random.integers(low, high, size, endpoint=True))
    return torch.from_numpy(np.where(random.integers(0, 2, size) == 1, x, -x))


def special(torch, dtype: str):
    """Zeros, infinities, NaN, the ends of the subnormal and normal numbers, halves, and neighbours of 1."""
    bits, lowest, highest = FORMATS[dtype]
    smallest, last = 2.0 ** (lowest - bits + 1), 2.0 ** (1 - bits)
    x = [0.0, smallest, 3 * smallest, 2.0**lowest - smallest, 2.0**lowest, float(2 - WIDE(last)) * 2.0**highest]
    x += [
        np.inf,
        np.nan,
        1.0,
        1 + last,
        1 - last / 2,
        0.5,
        1.5,
        2.5,
        3.5,
        0.5 - last / 4,
        1 / 3,
        2.0,
        3.0,
        7.0,
        10.0,
        88.0,
        100.0,
    ]
    return torch.tensor([sign * y for y in x for sign in (1.0, -1.0)], dtype=torch.float64).to(types(torch)[dtype])


def numbers(torch, dtype: str, size: int, seed: int = 0):
    """Special values, then all there are of a narrow type, or a sample of every exponent."""
    if dtype in ("f16", "bf16"):
        rest = every(torch, dtype)[torch.from_numpy(np.random.default_rng(seed).permutation(65536))]
    elif dtype == "f32":
        rest = sweep(torch, (1 << 32) // size, seed)
    else:
        rest = torch.cat([random64(torch, size // 2, seed=seed), random64(torch, size // 2, -60, 60, seed)])
    return torch.cat([special(torch, dtype), rest])


def operands(torch, dtype: str, size: int, count: int):
    """Tuples of numbers: special values with special values, then numbers in a different order for each."""
    edge = special(torch, dtype)
    if count == 2:
        edges = [edge.repeat_interleave(len(edge)), edge.repeat(len(edge))]
    else:
        picks = np.random.default_rng(count).integers(0, len(edge), (count, 4096))
        edges = [edge[torch.from_numpy(pick)] for pick in picks]
    rest = [numbers(torch, dtype, size, seed) for seed in range(count)]
    shuffled = [x[torch.from_numpy(np.random.default_rng(seed + 7).permutation(len(x)))] for seed, x in enumerate(rest)]
    return [torch.cat(pair) for pair in zip(edges, shuffled)]


def wide(x):
    """A tensor's floats as they are."""
    return x.double().numpy().astype(WIDE)


# --- results
def rounded(x, dtype: str, saturates: bool = False):
    """x to the nearest number of a type, ties to even; beyond the largest infinite, or where it saturates the largest."""
    bits, lowest, highest = FORMATS[dtype]
    finite = np.where(np.isfinite(x), x, 0)
    exponent = np.maximum(np.frexp(finite)[1] - 1, lowest) - (bits - 1)
    near = np.ldexp(np.rint(np.ldexp(finite, -exponent)), exponent)
    largest = np.ldexp(WIDE(2 ** (bits - (dtype == "f8e4m3")) - 1), highest - bits + 1 + (dtype == "f8e4m3"))
    near = np.where(np.abs(near) > largest, np.copysign(largest if saturates else WIDE(np.inf), near), near)
    edge = np.copysign(largest, x) if saturates else x
    return np.copysign(np.where(np.isnan(x), x, np.where(np.isinf(x), edge, near)), x)


def same(want, got, zeros: bool = True):
    """Equal, the sign of a zero included, or both NaN."""
    equal = (want == got) & ((np.signbit(want) == np.signbit(got)) | (not zeros))
    return equal | (np.isnan(want) & np.isnan(got))


def assert_same(what: str, want, got, *inputs, zeros: bool = True):
    wrong = ~same(want, got, zeros)
    if wrong.any():
        i = int(np.argmax(wrong))
        given = ", ".join(repr(float(x[i])) for x in inputs)
        raise AssertionError(
            f"{what} of {given} gave {got[i]!r}, not {want[i]!r}; {int(wrong.sum())} of {wrong.size} are wrong"
        )


def ulps(want, got, dtype: str):
    """Distance of `got` from the exact `want` in units of want's last place; infinite where one is NaN and the other not, 0 where both overflow."""
    bits, lowest, highest = FORMATS[dtype]
    finite = np.where(np.isfinite(want), want, 0)
    exponent = np.clip(np.frexp(finite)[1] - 1, lowest, highest)
    largest = np.ldexp(WIDE(2**bits - 1), highest - bits + 1)
    with np.errstate(invalid="ignore"):
        # What overflows is as far off as the next number above the largest would be.
        reached = np.where(np.isinf(got), np.copysign(np.ldexp(WIDE(1), highest + 1), got), got)
        aimed = np.where(
            np.abs(want) > largest, np.copysign(np.minimum(np.abs(want), np.ldexp(WIDE(1), highest + 1)), want), want
        )
        distance = np.abs(np.ldexp(reached - aimed, bits - 1 - exponent))
    distance = np.where(same(want, got, zeros=False), 0, distance)
    return np.where(np.isnan(distance), np.inf, distance)
