"""The names of the kernel language: `import phobos.lang as ph`.

A kernel is read by the compiler and never run by Python. What is here exists so that a module with kernels can be imported,
and so that editors know the names.

Such a module needs `from __future__ import annotations`: without it Python evaluates `ph.tensor[ph.f16][M, K]` when it defines
the function, and stops with a NameError at M before anything here is asked.
"""

# Some names here are Python's too (min, bool, print, …): this file only gathers, and uses none of them.
from __future__ import annotations

from ._builtins import *  # noqa: F403 - a function for each built-in, written by the build from Sema/Builtins.def
from ._names import Annotation, Context, DType, Namespace
from .decorators import (  # noqa: F401
    aligned,
    autotune,
    cluster,
    dependent,
    fn,
    kernel,
    launch,
    persistent,
    pipeline,
    swizzle,
    tensorcore,
)

i8, i16, i32, i64 = DType("i8", 8), DType("i16", 16), DType("i32", 32), DType("i64", 64)
u8, u16, u32, u64 = DType("u8", 8), DType("u16", 16), DType("u32", 32), DType("u64", 64)
f16, bf16, f32, f64 = DType("f16", 16), DType("bf16", 16), DType("f32", 32), DType("f64", 64)
f8e4m3, f8e5m2 = DType("f8e4m3", 8), DType("f8e5m2", 8)
bool = DType("bool", 8)

tensor = Annotation("tensor", "A parameter in global memory: ph.tensor[dtype][dims].")
tile = Annotation("tile", "A value of static shape: ph.tile[dtype][dims].")
let = Annotation("let", "Binds a name once.")
var = Annotation("var", "A name that can be assigned again: ph.var, or ph.var[type].")
const = Annotation("const", "A compile-time argument: ph.const[dtype].")
list = Annotation("list", "A table of tensors. Not supported yet.")

ctx = Context("ctx", {"block": "xyz", "grid": "xyz", "cluster": "xyz", "thread": "", "warp": "", "lane": ""})
libdevice = Namespace("libdevice")

from . import std  # noqa: E402, F401 - written with the names above


def __getattr__(name: str):
    import difflib

    near = difflib.get_close_matches(name, globals(), 1)
    raise AttributeError(f"phobos.lang has no '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
