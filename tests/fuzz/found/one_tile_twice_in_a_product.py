"""Reads past a slot: one tile as both operands had a slot as deep as one side's k only."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(32)
@ph.tensorcore(f32="tf32x3")
def kernel(A: ph.tensor[ph.i8][16, 8], C: ph.tensor[ph.i32][16, 16]):
    x = A[:, :] + A[:, :]
    C[:, :] = ph.dot_t(x, x)


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'i8', 'shape': (16, 8), 'seed': 1},
        {'name': 'C', 'dtype': 'i32', 'shape': (16, 16), 'seed': 2},
    ],
}
