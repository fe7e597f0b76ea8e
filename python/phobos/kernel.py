"""The kernel object that `@ph.kernel` makes. Launches go through its C++ base (`kernel[grid](…)`); what is written here is the
rest: where its source is, compiling without launching, what was tuned, what is cached."""

from __future__ import annotations

import functools
import json
import linecache
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType, ModuleType

from . import _phobos
from .decorators import Function
from .errors import CompileError

PHASES = ("ast", "tile", "layout", "dot", "pipelined", "nvvm", "llvm", "ptx")


def _imported(function: FunctionType) -> tuple[list, dict]:
    """Device functions of other files that a kernel's file can call, and those that theirs can: (file, name there, path, name) of each, and the texts of
    the files that have them."""
    rows, texts, seen = [], {}, set()
    files = [(function.__code__.co_filename, function)]
    while files:
        path, taker = files.pop()
        if path in seen:
            continue
        seen.add(path)
        names = dict(taker.__globals__)
        names |= {name: cell.cell_contents for name, cell in zip(taker.__code__.co_freevars, taker.__closure__ or (), strict=True) if _is_set(cell)}
        for name, value in _functions_of(names):
            if value.path != path and value.text and value.__module__ in Function.modules:
                rows.append((path, name, value.path, value.__name__))
                texts[value.path] = value.text
                files.append((value.path, value.__wrapped__))
    return rows, texts


def _functions_of(names: dict, package: str = "", prefix: str = ""):
    """Of names, and of modules among them: of those of a package, what is in it."""
    for name, value in list(names.items()):
        if isinstance(value, Function):
            yield prefix + name, value
        elif isinstance(value, ModuleType) and value.__name__.startswith(package) and _has_functions(value.__name__):
            yield from _functions_of(vars(value), f"{value.__name__}.", f"{prefix}{name}.")


def _has_functions(module: str) -> bool:
    return any(each == module or each.startswith(f"{module}.") for each in Function.modules)


def _is_set(cell) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # a variable that is set later
        return False


class Kernel(_phobos.KernelBase):
    """A kernel. `kernel[grid](…)` launches it; the grid is an int, a tuple of up to three, or a callable of `meta`, which
    maps every dim and tuned constant by name. Arguments go by position or name; `stream=` takes an int or a stream object
    of torch or CuPy, and the names of tuned constants fix them. A launch is enqueued and not waited for.

    The first launch of a kind compiles, and raises CompileError if the kernel is wrong. Every launch raises LaunchError, naming the
    argument, if the arguments, the grid or the machine do not fit, and passes on what a callable grid raises."""

    def __init__(self, function: FunctionType, *, reference=None, enclosing: dict | None = None):
        functools.update_wrapper(self, function)
        self.reference = reference
        self._enclosing = enclosing
        # Read now: the file may be edited before the first launch.
        linecache.checkcache(function.__code__.co_filename)
        self._lines = linecache.getlines(function.__code__.co_filename, function.__globals__)

    def _source(self):
        """For the base, at first use: everything that tells the compiler where the kernel is."""
        function, code = self.__wrapped__, self.__wrapped__.__code__
        if not self._lines:
            raise CompileError(
                f"{code.co_filename}:{code.co_firstlineno}: error: the source of kernel `{self.__name__}` cannot be read\n"
                "hint: kernels are compiled from their text; put the kernel in a file or a notebook cell\n"
            )
        imports = _imported(function)
        return code.co_filename, "".join(self._lines), self.__name__, code.co_firstlineno, function, self._enclosing, *imports

    def __call__(self, *args, **kwargs):
        raise TypeError(f"a kernel is launched with a grid: {self.__name__}[grid](…)")

    def __repr__(self):
        code = self.__wrapped__.__code__
        return f"<kernel {self.__name__} at {code.co_filename}:{code.co_firstlineno}>"

    def compile(self, *args, arch: str | None = None, verify: bool = False, timing: bool = False, **kwargs) -> Compiled:
        """Compiles without launching; needs no GPU. With arguments, for these (arrays may be anywhere); without, for any. The code is
        kept on disk, where a launch with such arguments finds it.

        arch: "sm_90a" and the like; the current device's by default, sm_80 where there is none.
        verify: checks the IR after every pass. timing: fills `timings`.
        Raises CompileError if the kernel is wrong, LaunchError if the arguments do not fit it.
        """
        return Compiled(_phobos.compile(self, args, kwargs, arch or "", verify, timing))

    def best(self, *args, grid=None, **kwargs) -> dict:
        """The tuned constants for these arguments, by name. Tunes if that has not been done, with `grid` or that of the last launch;
        LaunchError if there is neither."""
        return _phobos.best(self, args, kwargs, grid)

    @property
    def cache(self) -> list[Variant]:
        """What is compiled and in memory."""
        return [Variant(**variant) for variant in _phobos.variants(self)]

    def clear(self) -> None:
        """Forgets compiled variants and results of tuning: the next launch tunes again. What is on disk stays."""
        _phobos.clear(self)

    @property
    def signature(self) -> dict:
        """Parameters, dims, tuned constants and promises, as plain data."""
        return _phobos.describe(self)


@dataclass(frozen=True)
class Variant:
    """One compiled variant in a kernel's cache."""

    constants: dict
    chip: str
    registers: int
    shared_bytes: int
    spill_bytes: int
    from_disk: bool


@dataclass(frozen=True)
class Resources:
    """What one block of a compiled kernel needs."""

    registers: int
    shared_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    threads: int


class Compiled:
    """A compiled kernel: its code, and how it came about.

    ptx is text, cubin an ELF file's bytes; remarks and log are what the compiler and the assembler said; constants are the tuned and
    const ones by name; timings are milliseconds by phase and pass, empty unless asked for.
    """

    def __init__(self, compiled: _phobos.Compiled):
        self._compiled = compiled
        self.chip: str = compiled.chip
        self.ptx: str = compiled.ptx
        self.cubin: bytes = compiled.cubin
        self.remarks: list[str] = compiled.remarks
        self.log: str = compiled.log
        self.constants: dict = compiled.constants
        self.resources = Resources(**compiled.resources)
        self.timings: dict[str, float] = compiled.timings

    @property
    def contract(self) -> dict:
        """What another program needs to launch the cubin."""
        return json.loads(self._compiled.contract)

    @functools.cached_property
    def ir(self) -> Mapping[str, str]:
        """The text of each phase: ir["tile"], ir["nvvm"], …"""
        return self._compiled.phases(PHASES)

    def __repr__(self):
        r = self.resources
        return f"<compiled for {self.chip}: {r.registers} registers, {r.shared_bytes} shared bytes, {r.threads} threads>"
