"""Conversions between every two layouts that the passes give tiles of one shape, on the simulator: what arrives is what was there.

The layouts are those of a few kernels (products by each kind of instruction, sums, transposes, what is loaded and stored), compiled for
several chips: nobody lists them here. A module at the dot phase converts from each to each, one element type after the other.
"""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
from conftest import BUILD

KERNEL = """
@ph.kernel
@ph.launch({threads})
{decorator}
def kernel(A: ph.tensor[ph.{given}][{m}, {k}], B: ph.tensor[ph.{given}][{k}, {n}], V: ph.tensor[ph.{given}][{n}, {n}],
           X: ph.tensor[ph.{given}][{m}, {n}], C: ph.tensor[ph.{sums}][{m}, {n}], T: ph.tensor[ph.{sums}][{n}, {m}], Q: ph.tensor[ph.{sums}][{m}, {n}]):
    product = ph.dot(A[:, :], B[:, :])
    x = ph.{sums}(X[:, :])
    C[:, :] = product + x + ph.sum(x, axis=1)[:, None] + ph.sum(x, axis=0)[None, :]
    T[:, :] = product.T + ph.transpose(x)
    Q[:, :] = ph.dot(ph.{given}(product), V[:, :])
"""
ELEMENTS = {"i8": np.int8, "f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.int8}
PASSES = "builtin.module(tile.kernel(dot-allocate-shared,dot-insert-barriers),tile-to-llvm)"


def compiled(load_kernels, threads: int, m: int, n: int, k: int):
    """The kernels that these layouts are taken from, at their last phase of tiles."""
    from phobos.testing import lower

    for given, sums in (("float16", "float32"), ("int8", "int32"), ("float32", "float32"), ("float64", "float64")):
        for decorator in ("", "@ph.tensorcore", '@ph.tensorcore(f32="tf32")'):
            short = {name: name.replace("float", "f").replace("int", "i") for name in (given, sums)}
            text = KERNEL.format(threads=threads, decorator=decorator, m=m, n=n, k=k, given=short[given], sums=short[sums])
            kernel = load_kernels(text).kernel
            shapes = [(m, k), (k, n), (n, n), (m, n)], [(m, n), (n, m), (m, n)]
            arrays = [np.zeros(shape, dtype) for some, dtype in zip(shapes, (given, sums)) for shape in some]
            for arch in ("sm_75", "sm_80", "sm_90a"):
                yield lower(kernel, *arrays, phase="pipelined", arch=arch)


def layouts_by_shape(texts) -> dict[tuple[int, ...], list[str]]:
    found: dict[tuple[int, ...], dict[str, None]] = {}
    for text in texts:
        names = dict(re.findall(r"^(#layout\d*) = (#tile\.layout<.*>)$", text, re.MULTILINE))
        for shape, name in re.findall(r"tensor<((?:\d+x)+)\w+, (#layout\d*)>", text):
            found.setdefault(tuple(int(extent) for extent in shape.split("x")[:-1]), {})[names[name]] = None
    return {shape: list(layouts) for shape, layouts in found.items() if len(layouts) > 1}


def pairs_of(count: int) -> list[tuple[int, int, str]]:
    """Every layout to every other, element types in turn."""
    names = list(ELEMENTS)
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b]
    return [(a, b, names[(i + i // len(names)) % len(names)]) for i, (a, b) in enumerate(pairs)]


def module(shape, threads: int, layouts, pairs, chip: str) -> str:
    """Loads in one layout, converts, and stores from the other: the i-th pair to the i-th tile of its element type's output."""
    rows, inner = shape[0], ", %c0" * (len(shape) - 1)
    strides = "[?, 1]" if len(shape) > 1 else "[1]"

    def extents(count: int = 1) -> str:
        return "x".join(map(str, (rows * count, *shape[1:])))

    memory = {element: element.replace("i1", "i8") for element in ELEMENTS}
    view = {e: f"!tile.view<{extents()}x{memory[e]}, strides = {strides}>" for e in ELEMENTS}
    out = {e: f"!tile.view<{extents(len(pairs))}x{memory[e]}, strides = {strides}>" for e in ELEMENTS}
    body = [f"%c{i} = arith.constant {i * rows} : index" for i in range(len(pairs))]
    for i, (source, target, e) in enumerate(pairs):
        a, b = (f"tensor<{extents()}x{e}, #l{layout}>" for layout in (source, target))
        in_memory = [t.replace("xi1,", "xi8,") for t in (a, b)]
        body.append(f"%in{i} = tile.load %{e}[%c0{inner}] : {view[e]} -> {in_memory[0]}")
        if e == "i1":
            body.append(f"%zero{i} = arith.constant dense<0> : {in_memory[0]}")
            body.append(f"%bool{i} = arith.cmpi ne, %in{i}, %zero{i} : {in_memory[0]}")
            body.append(f"%moved{i} = tile.relayout %bool{i} : {a} -> {b}")
            body.append(f"%out{i} = arith.extui %moved{i} : {b} to {in_memory[1]}")
        else:
            body.append(f"%out{i} = tile.relayout %in{i} : {a} -> {b}")
        body.append(f"tile.store %out{i}, %{e}_out[%c{i}{inner}] : {in_memory[1]}, {out[e]}")
    parameters = ", ".join(f"%{e}: {view[e]}, %{e}_out: {out[e]}" for e in ELEMENTS)
    aliases = "".join(f"#l{i} = {layout}\n" for i, layout in enumerate(layouts))
    lines = "\n  ".join([*body, "tile.return"])
    return f'{aliases}module attributes {{tile.chip = "{chip}"}} {{\ntile.kernel @k({parameters}) attributes {{tile.threads = {threads} : i32}} {{\n  {lines}\n}}\n}}\n'


def lowered(text: str) -> str:
    done = subprocess.run([BUILD / "bin" / "phobos-opt", f"--pass-pipeline={PASSES}"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def values(element: str, shape) -> np.ndarray:
    if element == "i1":
        return np.random.default_rng(1).integers(0, 2, shape).astype(np.int8)
    count = int(np.prod(shape))
    return (np.arange(count) % (127 if element == "i8" else 2048 if element == "f16" else count)).astype(ELEMENTS[element]).reshape(shape)


# Threads, and m, n, k: one warp, a warpgroup, extents that are no powers of two.
@pytest.mark.parametrize("threads, m, n, k, chip", [(32, 16, 32, 16, "sm_75"), (128, 64, 32, 32, "sm_90a"), (64, 24, 20, 8, "sm_80"), (256, 128, 32, 32, "sm_80")])
def test_every_pair(load_kernels, monkeypatch, threads, m, n, k, chip):
    import phobos
    from phobos.testing import simulate_module

    monkeypatch.setenv("PHOBOS_SIM_OPT", "0")
    by_shape = layouts_by_shape(compiled(load_kernels, threads, m, n, k))
    assert len(by_shape[m, n]) >= 5
    for shape, layouts in by_shape.items():
        pairs = pairs_of(len(layouts))
        given = {e: values(e, shape) for e in ELEMENTS}
        got = {e: np.full((len(pairs), *shape), 77, ELEMENTS[e]) for e in ELEMENTS}
        arguments = [array for e in ELEMENTS for array in (given[e], got[e])]
        strides = [shape[1].to_bytes(8, "little")] * len(arguments) if len(shape) > 1 else []
        text = lowered(module(shape, threads, layouts, pairs, chip))
        with phobos.target("host"), phobos.sim(check="all", seed=1):
            simulate_module(text, *arguments, *strides, grid=1, block=threads, dynamic_shared_bytes=65536)
        for i, (source, target, e) in enumerate(pairs):
            where = f"{e}, {shape}, from {layouts[source]} to {layouts[target]}"
            np.testing.assert_array_equal(got[e][i], given[e], err_msg=where)
