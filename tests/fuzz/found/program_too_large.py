"""Corrupted memory: a program of warp ops had more words than a warp has room for."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A6: ph.tensor[ph.i64][24, M6, M7, 5], O7: ph.tensor[ph.i32][M8, M9]):
    b: ph.let = ph.ctx.block.x
    O7[b:+3, b:+7] = ph.prod(ph.u32(A6[b:+24, b:+3, b + 10:b + 10 + 7, b:+5]), axis=(-4, 3))


CASE = {
    "arguments": [
        {'name': 'A6', 'dtype': 'i64', 'shape': (24, 3, 20, 5), 'seed': 464708},
        {'name': 'O7', 'dtype': 'i32', 'shape': (4, 13), 'seed': 656049},
    ],
    "seed": 370,
}
