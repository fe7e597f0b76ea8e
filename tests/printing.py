"""Kernels that print and what they print, for the simulator's tests and the GPU's."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

LINE = re.compile(r"(\S+\.py):(\d+): (block \(\d+, \d+, \d+\): .*)")


@dataclass
class Case:
    """A module with a kernel `k`, how it is launched, and its lines after the place, in the simulator's order."""

    name: str
    source: str
    arrays: list[np.ndarray]
    lines: list[str]
    scalars: dict = field(default_factory=dict)
    grid: int | tuple = 1


def shown(value, dtype: str) -> str:
    """A value of a dtype as a kernel prints it."""
    if dtype == "bool":
        return str(bool(value))
    if dtype.startswith(("i", "u")):
        return str(int(value))
    return {"f32": "%.9g", "f64": "%.17g"}.get(dtype, "%g") % float(value)


def line(text: str, *values: str, block=(0, 0, 0), index: Iterable[int] | None = None) -> str:
    where = [] if index is None else [str(list(map(int, index)))]
    return f"block ({block[0]}, {block[1]}, {block[2]}): " + " ".join(filter(None, [text, *where, *values]))


def of_tile(text: str, *tiles: tuple[np.ndarray, str], block=(0, 0, 0), before: Iterable[str] = ()) -> list[str]:
    """A line an element; tiles are arrays of one shape with their dtypes."""
    shape = tiles[0][0].shape
    return [
        line(text, *before, *(shown(tile[index], dtype) for tile, dtype in tiles), block=block, index=index)
        for index in itertools.product(*map(range, shape))
    ]


def check_places(printed: str, file: str, source: str) -> list[str]:
    """The lines without their places, each of which must be that of a `ph.print` with the line's text."""
    rest = []
    prints = {
        number: re.search(r'ph\.print\("([^"]*)"', text)[1] for number, text in enumerate(source.splitlines(), 1) if "ph.print(" in text
    }
    for text in printed.splitlines():
        place = LINE.fullmatch(text)
        assert place and place[1] == file, text
        said = place[3].split(": ", 1)[1]
        assert said.startswith(prints[int(place[2])]), text
        rest.append(place[3])
    return rest


HEADER = "from __future__ import annotations\nimport phobos.lang as ph\n\n\n"


def module(body: str, *, parameters: str = "", decorators: str = "", before: str = "") -> str:
    lines = "\n".join("    " + text if text else "" for text in body.strip().splitlines())
    return f"{HEADER}{before}@ph.kernel\n{decorators}def k({parameters}):\n{lines}\n"


# --- values --------------------------------------------------------------------------------------------------------------

NUMPY = {
    "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64,
    "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64, "bool": np.bool_,
}  # fmt: skip


def floats_of(codes: np.ndarray, exponent_bits: int, mantissa_bits: int, infinities: bool) -> np.ndarray:
    """The values of codes of a small float format; without infinities the largest exponent holds numbers, all ones excepted."""
    codes = codes.astype(np.int64)
    mantissa, exponent = codes & (1 << mantissa_bits) - 1, codes >> mantissa_bits & (1 << exponent_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    normal = exponent > 0
    value = np.ldexp(np.where(normal, mantissa + (1 << mantissa_bits), mantissa).astype(float),
                     np.where(normal, exponent, 1) - bias - mantissa_bits)  # fmt: skip
    largest = exponent == (1 << exponent_bits) - 1
    if infinities:
        value = np.where(largest, np.where(mantissa == 0, np.inf, np.nan), value)
    else:
        value = np.where(largest & (mantissa == (1 << mantissa_bits) - 1), np.nan, value)
    return np.where(codes >> (exponent_bits + mantissa_bits) & 1, -value, value)


SMALL = {"bf16": ("u16", 8, 7, True), "f8e4m3": ("u8", 4, 3, False), "f8e5m2": ("u8", 5, 2, True)}


def dtype_case(dtype: str) -> Case:
    """Every kind of value, 37 of them, with the scalar at place 5 beside them."""
    rng = np.random.default_rng(1)
    n = 37
    if dtype in SMALL:
        bits, exponent, mantissa, infinities = SMALL[dtype]
        array = rng.integers(0, np.iinfo(NUMPY[bits]).max, n, dtype=NUMPY[bits], endpoint=True)
        array[:4] = [0, 1, np.iinfo(NUMPY[bits]).max, (1 << exponent) - 1 << mantissa]
        values = floats_of(array, exponent, mantissa, infinities)
        bits, read = bits, lambda slice_: f"ph.bitcast({slice_}, ph.{dtype})"
    else:
        bits, read = dtype, str
        kind = NUMPY[dtype]
        if dtype == "bool":
            array = rng.integers(0, 2, n).astype(bool)
        elif dtype.startswith("f"):
            array = (rng.standard_normal(n) * 10.0 ** rng.integers(-4, 4, n)).astype(kind)
            limits = np.finfo(kind)
            array[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, limits.max, limits.tiny, 0.1]
        else:
            limits = np.iinfo(kind)
            array = rng.integers(limits.min, limits.max, n, dtype=kind, endpoint=True)
            array[:3] = [limits.min, limits.max, 1]
        values = array
    source = module(
        f'x = {read(f"A[0:+{n}]")}\nph.print("tile", x)\nph.print("scalar", {read("A[5]")}, x)',
        parameters=f"A: ph.tensor[ph.{bits}][N]",
    )
    lines = of_tile("tile", (values, dtype)) + of_tile("scalar", (values, dtype), before=[shown(values[5], dtype)])
    return Case(f"dtype_{dtype}", source, [array], lines)


def scalars_case() -> Case:
    """One line a block, of scalars of every dtype, constants and block numbers."""
    given = {
        "a": ("i8", -128), "b": ("u8", 255), "c": ("i16", -32768), "d": ("u16", 65535), "e": ("i32", -(2**31)), "f": ("u32", 2**32 - 1),
        "g": ("i64", -(2**63)), "h": ("u64", 2**64 - 1), "i": ("f16", 0.1), "j": ("bf16", 0.1), "l": ("f32", 0.1), "m": ("f64", 0.1),
        "n": ("bool", True),
    }  # fmt: skip
    rounded = {"f16": float(np.float16(0.1)), "bf16": 0.10009765625, "f32": float(np.float32(0.1))}
    values = [shown(rounded.get(dtype, value), dtype) for dtype, value in given.values()]
    source = module(
        f'ph.print("100% of", {", ".join(given)})\nph.print("", 7, -1.5, False, ph.ctx.block.y, ph.ctx.grid.x)\nph.print("bare")',
        parameters="A: ph.tensor[ph.f32][N], " + ", ".join(f"{name}: ph.{dtype}" for name, (dtype, _) in given.items()),
    )
    lines = []
    for block in ((x, y, 0) for y in range(2) for x in range(3)):
        lines += [
            line("100% of", *values, block=block),
            line("", "7", "-1.5", "False", str(block[1]), "3", block=block),
            line("bare", block=block),
        ]
    return Case("scalars", source, [np.zeros(1, np.float32)], lines, {name: value for name, (_, value) in given.items()}, (3, 2))


# --- layouts -------------------------------------------------------------------------------------------------------------

SHAPES = [(1,), (5,), (3000,), (1, 1), (3, 5), (16, 100), (70, 33), (4, 3, 7), (2, 3, 1, 5), (2, 3, 2, 3, 5)]


def shape_case(shape: tuple, threads: int) -> Case:
    """Each element once, with its index, whatever the tile is padded up to and however many threads hold copies."""
    numbers = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    dims = ", ".join(f"D{i}" for i in range(len(shape)))
    whole = ", ".join(f"0:+{n}" for n in shape)
    source = module(
        f'ph.print("t", A[{whole}])', parameters=f"A: ph.tensor[ph.i32][{dims}]", decorators=f"@ph.launch({threads})\n"
    )
    name = f"shape_{'x'.join(map(str, shape))}_by_{threads}"
    return Case(name, source, [numbers], of_tile("t", (numbers, "i32")))


def derived_case() -> Case:
    """Layouts that follow from others: transposed, broadcast, reduced, reshaped, two side by side."""
    a = np.arange(12 * 20, dtype=np.float32).reshape(12, 20)
    b = a.astype(np.float16)
    body = """
a = A[0:+12, 0:+20]
ph.print("turned", ph.transpose(a))
rows = ph.sum(a, axis=1)
ph.print("rows", rows)
ph.print("column", ph.max(a, axis=0), ph.iota(20))
ph.print("spread", rows[:, None], B[0:+1, 0:+20])
ph.print("all", ph.sum(a))
ph.print("both", a, B[0:+12, 0:+20], a > 100)
ph.print("flat", ph.flat(ph.ctx.block.x + ph.reshape(ph.iota(16), 4, 4)))
"""
    source = module(body, parameters="A: ph.tensor[ph.f32][M, N], B: ph.tensor[ph.f16][M, N]", decorators="@ph.launch(64)\n")
    rows = a.sum(axis=1)
    lines = [
        *of_tile("turned", (a.T, "f32")),
        *of_tile("rows", (rows, "f32")),
        *of_tile("column", (a.max(axis=0), "f32"), (np.arange(20), "i32")),
        *of_tile("spread", (np.repeat(rows[:, None], 20, 1), "f32"), (np.repeat(b[:1], 12, 0), "f16")),
        line("all", shown(a.sum(), "f32")),
        *of_tile("both", (a, "f32"), (b, "f16"), (a > 100, "bool")),
        *of_tile("flat", (np.arange(16), "i32")),
    ]
    return Case("derived", source, [a, b], lines)


def dot_case(m: int, n: int, dtype: str, threads: int, tensorcore: bool, where: str = "after") -> Case:
    """The sums of a product: in the layout of the instruction, after the loop, or in it before or after each turn's product."""
    rng = np.random.default_rng(m + n)
    k, step = 96, 32
    a, b = (rng.integers(-4, 5, shape).astype(NUMPY[dtype]) for shape in ((m, k), (k, n)))
    wide, out = (np.int32, "i32") if dtype == "i8" else (np.float32, "f32")
    sums = [a[:, :i].astype(wide) @ b[:i].astype(wide) for i in range(0, k + 1, step)]
    said = {"before": ('ph.print("sums", i, acc)', ""), "turn": ("", 'ph.print("sums", i, acc)'), "after": ("", "")}[where]
    body = f"""
acc: ph.var = ph.zeros(({m}, {n}), ph.{out})
for i in range(0, K, {step}):
    {said[0] or "pass"}
    acc = ph.dot(A[0:+{m}, i:+{step}], B[i:+{step}, 0:+{n}], acc)
    {said[1] or "pass"}
ph.print("done", acc)
C[0:+{m}, 0:+{n}] = acc
"""
    source = module(
        body,
        parameters=f"A: ph.tensor[ph.{dtype}][M, K], B: ph.tensor[ph.{dtype}][K, N], C: ph.tensor[ph.{out}][M, N]",
        decorators=f"@ph.launch({threads})\n" + ("@ph.tensorcore\n" if tensorcore else ""),
    )
    lines = []
    if where != "after":
        turns = sums[:-1] if where == "before" else sums[1:]
        for i, tile in enumerate(turns):
            lines += of_tile("sums", (tile, out), before=[str(i * step)])
    lines += of_tile("done", (sums[-1], out))
    name = f"dot_{m}x{n}_{dtype}_{'mma' if tensorcore else 'fma'}_{threads}_{where}"
    return Case(name, source, [a, b, np.zeros((m, n), wide)], lines)


# --- control flow --------------------------------------------------------------------------------------------------------


def flow_case() -> Case:
    """In loops, branches and functions each print comes as often as it is reached, in the program's order."""
    before = """@ph.fn
def show(t, depth):
    ph.print("in show", depth, t)
    if depth > 0:
        ph.print("deep", depth)


"""
    body = """
for i in range(3):
    ph.print("turn", i)
    if i % 2 == ph.ctx.block.x:
        ph.print("even or odd", A[0:+3] + i)
        continue
    show(A[0:+2], i)
for j in ph.unroll(2):
    ph.print("unrolled", j, A[0:+2])
left = n
while left > 0:
    left -= 2
    ph.print("left", left)
    if left == 1:
        return
ph.print("end")
"""
    source = module(body, parameters="A: ph.tensor[ph.i32][N], n: ph.i32", before=before, decorators="@ph.launch(32)\n")
    a = np.array([10, 20, 30], np.int32)
    lines = []
    for x in range(2):
        block = (x, 0, 0)
        for i in range(3):
            lines.append(line("turn", str(i), block=block))
            if i % 2 == x:
                lines += of_tile("even or odd", (a + i, "i32"), block=block)
                continue
            lines += of_tile("in show", (a[:2], "i32"), block=block, before=[str(i)])
            lines += [line("deep", str(i), block=block)] if i > 0 else []
        for j in range(2):
            lines += of_tile("unrolled", (a[:2], "i32"), block=block, before=[str(j)])
        lines += [line("left", str(left), block=block) for left in (3, 1)]
    return Case("flow", source, [a], lines, {"n": 5}, 2)


def swizzle_case() -> Case:
    """The block is what the kernel sees under @ph.swizzle, in a function too."""
    before = '@ph.fn\ndef say(x):\n    ph.print("said", x)\n\n\n'
    source = module(
        'ph.print("here", ph.ctx.block.x, ph.ctx.block.y)\nsay(ph.ctx.block.x)',
        parameters="A: ph.tensor[ph.f32][N]", before=before, decorators="@ph.swizzle(2)\n",
    )  # fmt: skip
    columns, rows, group = 4, 3, 2
    lines = []
    for number in range(columns * rows):  # in the order of the hardware's blocks
        first = number // (group * rows) * group
        width = min(columns - first, group)
        place = number % (group * rows)
        block = (first + place % width, place // width, 0)
        lines += [line("here", str(block[0]), str(block[1]), block=block), line("said", str(block[0]), block=block)]
    return Case("swizzle", source, [np.zeros(1, np.float32)], lines, {}, (columns, rows))


def many_case() -> Case:
    """More lines than a GPU keeps by itself."""
    a = np.arange(256, dtype=np.float64) / 7
    source = module('ph.print("one of many", A[0:+256])', parameters="A: ph.tensor[ph.f64][N]")
    blocks = 120
    lines = [text for x in range(blocks) for text in of_tile("one of many", (a, "f64"), block=(x, 0, 0))]
    return Case("many", source, [a], lines, {}, blocks)


def _all() -> list[Case]:
    cases = [dtype_case(dtype) for dtype in (*NUMPY, *SMALL)]
    cases += [scalars_case(), derived_case(), flow_case(), swizzle_case(), many_case()]
    cases += [shape_case(shape, threads) for shape, threads in zip(SHAPES, itertools.cycle((128, 32, 256)))]
    cases += [
        dot_case(64, 64, "f16", 128, True), dot_case(32, 48, "f16", 64, True), dot_case(16, 8, "f16", 256, True),
        dot_case(40, 24, "f32", 128, True), dot_case(32, 32, "i8", 128, True), dot_case(24, 40, "f32", 64, False),
        dot_case(64, 32, "f16", 128, True, "before"), dot_case(64, 32, "f16", 128, True, "turn"),
        dot_case(16, 32, "f32", 64, False, "turn"),
    ]  # fmt: skip
    return cases


CASES: dict[str, Case] = {case.name: case for case in _all()}


def launch(case: Case, kernel, to_device: Callable[[np.ndarray], object] = lambda array: array) -> None:
    kernel[case.grid](*map(to_device, case.arrays), **case.scalars)


class OnGpu:
    """A NumPy array's bytes on the GPU, under a dtype that torch need not have."""

    def __init__(self, torch, array: np.ndarray):
        bytes_ = np.ascontiguousarray(array).view(np.uint8) if array.size else np.zeros(0, np.uint8)
        self.memory = torch.from_numpy(bytes_.copy()).cuda()
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (self.memory.data_ptr(), False), "version": 3,
        }  # fmt: skip


def to_gpu(torch) -> Callable[[np.ndarray], OnGpu]:
    return lambda array: OnGpu(torch, array)
