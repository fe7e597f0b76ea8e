"""Kernels at the nvvm phase, as text, on the simulator: run as they are, or with a line left out."""

from __future__ import annotations

import math
import re
import struct

import numpy as np

ELEMENTS = {"float16": 0, "bfloat16": 1, "float32": 3, "uint8": 8, "int8": 7}
# What orders threads, memory or copies.
ORDERING = re.compile(
    r"^\s*llvm\.fence|^\s*(%\w+ = )?nvvm\.(barrier|bar\.|cp\.async\.(commit|wait|mbarrier|bulk\.(commit|wait))|fence|memory\.barrier|membar|cluster\.(arrive|wait)"
    r"|mbarrier\.(init|arrive|expect_tx|complete_tx|test|try_wait)|wgmma\.(fence|commit|wait)|griddepcontrol\s+wait)"
)
# A wait whose operands are tied to its results; without it they would be undefined, so that it waits for nothing instead.
TIED_WAIT = re.compile(r'"wgmma\.wait_group\.sync\.aligned \d+;"')


RESIDENTS = 2  # CTAs of a persistent kernel


class Lowered:
    """One kernel, compiled for a chip and for these arguments (arrays of NumPy, and numbers)."""

    def __init__(self, kernel, *arguments, arch: str, grid, **constants):
        compiled = kernel.compile(*arguments, arch=arch, **constants)
        self.text: str = compiled.ir["nvvm"]
        self.contract = compiled.contract
        self.arguments, self.grid, self.without_work = arguments, grid, False

    def parameters(self) -> list:
        info = self.contract["kernel"]["parameters"]
        arrays = [a for a, p in zip(self.arguments, info) if p["kind"] == "tensor"]
        dims = {}
        for array, parameter in zip(arrays, (p for p in info if p["kind"] == "tensor")):
            dims |= {dim: extent for extent, dim in zip(array.shape, parameter["dims"]) if isinstance(dim, str)}
        values = []
        for entry in self.contract["parameters"]:
            kind, index = entry["kind"], entry["index"]
            if kind == "pointer":
                values.append(arrays[index])
            elif kind == "counters":
                values.append(np.zeros(2, np.int32))
            elif kind == "tensorMap":
                values.append(tensor_map(arrays[index], entry))
            else:
                number = {
                    "extent": lambda: dims[self.contract["kernel"]["dims"][index]],
                    "stride": lambda: arrays[index].strides[entry["axis"]] // arrays[index].itemsize,
                    "scalar": lambda: self.arguments[index],
                    "grid": lambda: self.blocks()[entry["axis"]],
                }[kind]()
                size = entry["bytes"]
                floats = {2: "<e", 4: "<f", 8: "<d"}
                values.append(struct.pack(floats[size], number) if isinstance(number, float) else number.to_bytes(size, "little", signed=True))
        return values

    def blocks(self) -> tuple[int, int, int]:
        given = self.grid if isinstance(self.grid, tuple) else (self.grid,)
        return (*given, *[1] * (3 - len(given)))

    def run(self, text: str | None = None) -> None:
        from phobos.testing import simulate_module

        simulate_module(
            self.text if text is None else text, *self.parameters(), grid=RESIDENTS if self.contract["persistent"] else self.grid, block=self.contract["threads"],
            dynamic_shared_bytes=self.contract["sharedBytes"],
        )

    def ordering_lines(self) -> list[int]:
        """Without those that only a block without work comes by, unless this launch has such blocks."""
        marked = () if self.without_work else ("tile.without_work",)
        lines = self.text.splitlines()
        return [line for line in ordering_lines(self.text) if not any(mark in lines[line] for mark in marked)]

    def without(self, line: int) -> str:
        return without(self.text, line)


def ordering_lines(text: str) -> list[int]:
    """Those that may be left out: whose value, if there is one, nobody uses; but none that stands in a branch that is never taken."""
    lines = text.splitlines()
    found = [(i, ORDERING.match(line)) for i, line in enumerate(lines)]
    plain = {i for i, match in found if match and (not match[1] or len(re.findall(match[1].split()[0] + r"\b", text)) == 1)}
    return sorted(plain | {i for i, line in enumerate(lines) if TIED_WAIT.search(line) and "dot.for_ptxas" not in line})


def without(text: str, line: int) -> str:
    lines = text.splitlines()
    nothing = [TIED_WAIT.sub('"wgmma.wait_group.sync.aligned 7;"', lines[line])] if TIED_WAIT.search(lines[line]) else []
    return "\n".join(lines[:line] + nothing + lines[line + 1 :])


def tensor_map(array, entry: dict) -> bytes:
    """For an entry of a contract: axes from the one of stride 1 outwards."""
    order = [entry["axis"]] + [axis for axis in reversed(range(array.ndim)) if axis != entry["axis"]]
    return pack_tensor_map(array, order, [entry["box"][axis] for axis in order], entry["swizzle"])


def pack_tensor_map(array, order: list[int], box, swizzle: int) -> bytes:
    """TensorMap of phobos/host/Abi.h; `order`: axes from the innermost outwards, as `box` has them."""

    def pad(values, count: int) -> list[int]:
        return [*values, *[0] * (count - len(values))]

    extents, strides = [array.shape[axis] for axis in order], [array.strides[axis] for axis in order[1:]]
    return struct.pack(
        "<Q5Q4Q5I5HBBBB14x", array.ctypes.data, *pad(extents, 5), *pad(strides, 4), *[1] * 5, *pad(box, 5),
        array.ndim, ELEMENTS[array.dtype.name], swizzle, 0,
    )  # fmt: skip


def blocks(extent: int, tile: int) -> int:
    return math.ceil(extent / tile)
