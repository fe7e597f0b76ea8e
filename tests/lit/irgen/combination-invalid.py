# RUN: not phobosc %s --kernel of_tiles 2>&1 | FileCheck %s --check-prefix=TILES
# RUN: not phobosc %s --kernel printing 2>&1 | FileCheck %s --check-prefix=PRINT
# Every thread combines elements of its own: a function for that only computes.
from __future__ import annotations

import phobos.lang as ph


@ph.fn
def tiles(a, b):
    return a + b + ph.sum(ph.iota(4))


@ph.fn
def says(a, b):
    ph.print("a", a)
    return a + b


@ph.kernel
def of_tiles(X: ph.tensor[ph.f32][16]):
    # TILES: combination-invalid.py:[[#@LINE+3]]:12: error: `tiles` combines elements: it may compute with numbers, but not use tiles, tensors, or print
    # TILES-NEXT: X[:] = ph.reduce(X[:], 0, tiles)
    # TILES-NEXT: ^~~
    X[:] = ph.reduce(X[:], 0, tiles)


@ph.kernel
def printing(X: ph.tensor[ph.f32][16]):
    # PRINT: combination-invalid.py:[[#@LINE+1]]:12: error: `says` combines elements
    X[:] = ph.scan(X[:], 0, says)
