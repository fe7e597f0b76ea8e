"""A kernel with everything that a run of it needs, and running it: on the simulator or a GPU, beside the evaluations in NumPy.

A case is plain data: `str(case)` is a Python file that is the kernel's module and, as CASE, the rest; `read` takes it back.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import itertools
import linecache
import os
from dataclasses import dataclass, fields

import numpy as np
from fuzz import printed, tile_evaluator, tile_text
from fuzz.formats import BITS, FLOAT8, MEMORY, UNSIGNED, decoded, encoded, is_float, rounded, unit
from fuzz.ranges import Tile, Undecided

FOLDED_PLACES = 16  # where the compiler has computed a function of a constant, by another library than NumPy
GUARD = 64  # elements around an array, which must stay as they are
HEADER = "from __future__ import annotations\n\nimport phobos.lang as ph\n"


@dataclass
class Array:
    """A tensor argument: its contents are decided by `data` and `seed`, its place in memory by `order` (axes from the outermost),
    `padding` (elements between the rows of the innermost axis), `step` (stride of that axis), `shift` (elements from an aligned
    address) and `repeated` (an axis of stride 0)."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: str = "small"
    seed: int = 0
    order: tuple[int, ...] | None = None
    padding: int = 0
    shift: int = 0
    step: int = 1
    repeated: int | None = None


@dataclass
class Case:
    text: str  # of the module: device functions and one kernel, `kernel`
    arguments: list  # Arrays and numbers, in the kernel's order
    grid: tuple[int, int, int] = (1, 1, 1)
    arch: str = "sm_80"
    seed: int = 0  # of the simulator
    check: str = "all"
    optimise: str = "0"

    def __str__(self) -> str:
        given = "".join(f"        {said(a) if isinstance(a, Array) else repr(a)},\n" for a in self.arguments)
        rest = "".join(f'    "{name}": {value!r},\n' for name, value in said(self).items() if name not in ("text", "arguments"))
        return f'{self.text.rstrip()}\n\n\nCASE = {{\n    "arguments": [\n{given}    ],\n{rest}}}\n'


def said(thing) -> dict:
    """The fields of a dataclass that are not as usual."""
    return {f.name: getattr(thing, f.name) for f in fields(thing) if getattr(thing, f.name) != f.default}


def read(text: str) -> Case:
    kernel, _, rest = text.partition("\nCASE = ")
    given = eval(rest, {"inf": np.inf, "nan": np.nan})  # our own files
    given["arguments"] = [Array(**a) if isinstance(a, dict) else a for a in given["arguments"]]
    return Case(kernel, **given)


# --- Contents
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, 3.5, -2.5, 0.5, 65504.0, 1e30, 2.0**-24, 127.5, -129.0, 3e9]


def contents(array: Array):
    """Random values as they lie in memory, in C order."""
    draw = np.random.default_rng(array.seed)
    kind, count = MEMORY[array.dtype], array.shape
    if array.dtype == "bool":
        return draw.integers(0, 2, count).astype(kind)
    if array.data == "bits":
        raw = draw.integers(0, 256, (*count, BITS[array.dtype] // 8), dtype=np.uint8)
        return np.ascontiguousarray(raw).view(kind).reshape(count)
    if not is_float(array.dtype):
        low, high = (0, 12) if array.dtype in UNSIGNED else (-6, 7)
        return draw.integers(low, high, count).astype(kind)
    with np.errstate(all="ignore"):
        if array.data == "small":
            values = draw.integers(-4, 5, count).astype(float)
        elif array.data == "unit":
            values = draw.random(count) * 2 - 1
        elif array.data == "special":
            values = draw.choice(SPECIAL, count)
        else:  # wide
            values = draw.standard_normal(count) * np.exp2(draw.integers(-12, 13, count))
        return encoded(np.asarray(rounded(values, array.dtype)), array.dtype)


class Buffer:
    """An array in memory, with guards around it."""

    def __init__(self, array: Array):
        self.array = array
        rank = len(array.shape)
        order = array.order or tuple(range(rank))
        strides, pitch = [0] * rank, array.step
        for place, axis in enumerate(reversed(order)):
            if axis == array.repeated:
                continue
            strides[axis] = pitch
            pitch *= max(array.shape[axis], 1)
            pitch += array.padding if place == 0 and rank > 1 else 0
        self.start, self.strides = GUARD + array.shift, tuple(strides)
        kind = np.dtype(MEMORY[array.dtype])
        count = pitch + 2 * GUARD + array.shift
        room = np.full(count * kind.itemsize + 64, 0xA5, np.uint8)
        skip = -room.ctypes.data % 64
        self.raw = room[skip : skip + count * kind.itemsize].view(kind)
        self.view[...] = contents(array)
        self.before = self.raw.copy()

    @property
    def view(self):
        item = self.raw.itemsize
        return np.ndarray(self.array.shape, self.raw.dtype, self.raw, self.start * item, tuple(s * item for s in self.strides))

    def on_host(self):
        if self.array.dtype in FLOAT8 or self.array.dtype == "bf16":
            return Dlpack(self)
        return self.view.view(np.bool_) if self.array.dtype == "bool" else self.view

    def on_gpu(self, torch):
        """A torch tensor, and the buffer it lies in."""
        names = {
            "bool": "bool", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
            "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
        }  # fmt: skip
        name = names.get(self.array.dtype) or ("uint" if self.array.dtype[0] == "u" else "int") + self.array.dtype[1:]
        raw = torch.from_numpy(self.raw.view(f"int{self.raw.itemsize * 8}").copy()).cuda()
        return raw.view(getattr(torch, name)).as_strided(self.array.shape, self.strides, self.start), raw

    def memory(self):
        """The contents for the evaluation of the tile dialect, where integers are signed and bools bytes."""
        dtype = "i8" if self.array.dtype == "bool" else self.array.dtype.replace("u", "i")
        raw = self.view
        values = np.asarray(decoded(raw, dtype) if is_float(dtype) else np.ascontiguousarray(raw).reshape(raw.shape).view(f"i{raw.itemsize}"))
        return tile_evaluator.Memory(self.array.name, Tile(dtype, values))

    def astray(self) -> int:
        """Elements outside the array that have changed."""
        bits = f"u{self.raw.itemsize}"
        changed = self.raw.view(bits) != self.before.view(bits)
        inside = np.ndarray(self.array.shape, bool, changed, self.start, self.strides)
        inside[...] = False
        return int(changed.sum())


class Dlpack:
    """An array of a type that NumPy lacks, for any library that reads DLPack."""

    CODES = {"bf16": 4, "f8e4m3": 10, "f8e5m2": 12}

    class Tensor(ctypes.Structure):
        _fields_ = [
            ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_index", ctypes.c_int32), ("rank", ctypes.c_int32),
            ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("extents", ctypes.c_void_p),
            ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ]  # fmt: skip

    def __init__(self, buffer: Buffer):
        self.buffer = buffer
        rank, dtype = len(buffer.array.shape), buffer.array.dtype
        numbers = ctypes.c_int64 * max(rank, 1)
        self.extents, self.strides = numbers(*buffer.array.shape), numbers(*buffer.strides)
        address = buffer.raw.ctypes.data + buffer.start * buffer.raw.itemsize
        self.tensor = self.Tensor(
            address, 1, 0, rank, self.CODES[dtype], BITS[dtype], 1, ctypes.addressof(self.extents), ctypes.addressof(self.strides)
        )

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **keywords):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


# --- Running
_numbers = itertools.count()


def load_kernel(text: str):
    """The kernel of a module's text, without a file on disk."""
    name = f"<case {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict = {"__name__": name}
    exec(compile(text, name, "exec"), names)
    return names["kernel"]


@dataclass
class Verdict:
    """ok; refused (the compiler will not have the kernel); undecided (what it does is left open); or fault."""

    kind: str
    text: str = ""
    phase: str = ""  # of a fault: where it showed
    known: float = 0.0  # share of the stored elements of which something is known


def dims(kernel, buffers: dict[str, Buffer]) -> dict[str, int]:
    found = {}
    for parameter in kernel.signature["parameters"]:
        if parameter["kind"] == "tensor":
            shape = buffers[parameter["name"]].array.shape
            found |= {dim: extent for dim, extent in zip(parameter["dims"], shape) if isinstance(dim, str)}
    return found


def expected(case: Case, kernel, arguments) -> tuple[dict[str, tile_evaluator.Memory], list[printed.Print]]:
    """What each element of each tensor may be afterwards, by the kernel's tile phase, and what is printed."""
    from phobos.testing import lower

    text = lower(kernel, *arguments, phase="tile", arch=case.arch, generic=True)
    buffers = [Buffer(a) for a in case.arguments if isinstance(a, Array)]
    memory = {buffer.array.name: buffer.memory() for buffer in buffers}
    scalars = {}
    for parameter, value in zip(kernel.signature["parameters"], case.arguments):
        if parameter["kind"] == "scalar":
            scalars[parameter["name"]] = scalar(parameter["dtype"], value)
    return memory, tile_evaluator.run(tile_text.parse(text), memory, scalars, case.grid)


def scalar(dtype: str, value) -> Tile:
    """A number as a kernel is given it."""
    if is_float(dtype):
        return Tile(dtype, np.asarray(rounded(np.array(float(value)), dtype)))
    bits = BITS[dtype]
    wrapped = (int(value) + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    return Tile("i8" if dtype == "bool" else dtype.replace("u", "i"), np.array(wrapped, f"int{bits}"))


def difference(buffer: Buffer, memory: tile_evaluator.Memory, places: float = 0) -> str:
    """The first element that is not what it may be, or nothing. Floats may be off by some last places (f64: of f32)."""
    name, astray = buffer.array.name, buffer.astray()
    if astray:
        return f"{astray} elements around {name} have changed"
    raw = buffer.view
    if is_float(memory.dtype):
        got = decoded(raw, memory.dtype)
        with np.errstate(all="ignore"):
            slack = places * unit(got, "f32" if memory.dtype == "f64" else memory.dtype) if places else 0.0
            good = (memory.lo <= got + slack) & (got - slack <= memory.hi) | np.isnan(got) & np.isnan(memory.lo)
    else:
        got = np.ascontiguousarray(raw).reshape(raw.shape).view(f"i{raw.itemsize}")
        good = got == memory.lo
    wrong = np.argwhere(~(good | memory.unknown))
    if not len(wrong):
        return ""
    at = tuple(map(int, wrong[0]))
    lo, hi = memory.lo[at], memory.hi[at]
    want = f"{lo!r}" if lo == hi or np.isnan(lo) else f"{lo!r} to {hi!r}"
    return f"{len(wrong)} of {got.size} elements of {name} are wrong, the first at {list(at)}: got {got[at]!r}, want {want}"


def run(case: Case, target: str = "host") -> Verdict:
    """Compiles, evaluates, launches and compares. A kernel that ends this process is for the caller to notice."""
    import phobos
    from fuzz.python_kernels import run_as_python

    os.environ["PHOBOS_SIM_OPT"] = case.optimise
    buffers = {a.name: Buffer(a) for a in case.arguments if isinstance(a, Array)}
    kernel = None
    try:
        kernel = load_kernel(case.text)
        with phobos.target(target), phobos.sim(arch=case.arch, check=case.check, seed=case.seed):
            hosted = [buffers[a.name].on_host() if isinstance(a, Array) else a for a in case.arguments]
            memory, prints = expected(case, kernel, hosted)
            if target == "host":
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    kernel[case.grid](*hosted)
                if text := printed.difference(output.getvalue(), prints):
                    return Verdict("fault", text, "prints")
            else:
                launch_on_gpu(case, kernel, buffers)
    except phobos.CompileError as error:
        internal = any(word in str(error) for word in ("fault of the compiler", "internal", "' op "))
        return Verdict("fault" if internal else "refused", str(error), "compiling")
    except Undecided:
        return Verdict("undecided")
    except phobos.SimulationError as error:
        return Verdict("fault", str(error), "checks")
    for name, buffer in buffers.items():
        if text := difference(buffer, memory[name]):
            return Verdict("fault", text, "values")
    # The same text as Python would run it, beside the tile phase: the front end's part.
    again = {a.name: Buffer(a) for a in case.arguments if isinstance(a, Array)}
    run_as_python(case, kernel, again)
    for name, buffer in again.items():
        if text := difference(buffer, memory[name], FOLDED_PLACES):
            return Verdict("fault", "run as Python, " + text, "front end")
    return Verdict("ok", known=share_known(buffers, memory))


def share_known(buffers, memory) -> float:
    """Of the elements that the kernel stored: those that have one finite value, or a range of a tenth of it."""
    good = total = 0
    for name, buffer in buffers.items():
        m = memory[name]
        with np.errstate(all="ignore"):
            narrow = (m.hi - m.lo <= 0.1 * np.abs(m.lo)) if is_float(m.dtype) else np.ones(m.lo.shape, bool)
        stored = m.stored
        good += int((stored & narrow & ~m.unknown).sum())
        total += int(stored.sum())
    return good / total if total else 1.0


def launch_on_gpu(case: Case, kernel, buffers: dict[str, Buffer]) -> None:
    import torch

    placed = {name: buffer.on_gpu(torch) for name, buffer in buffers.items()}
    arguments = [placed[a.name][0] if isinstance(a, Array) else a for a in case.arguments]
    kernel[case.grid](*arguments)
    torch.cuda.synchronize()
    for name, (_, raw) in placed.items():
        buffers[name].raw[...] = raw.cpu().numpy().view(buffers[name].raw.dtype)
