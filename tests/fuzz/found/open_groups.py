"""Reads before copies: copies of a group that was not closed were taken for done by a wait, and their readers had no barrier."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A3: ph.tensor[ph.i8][M0, M1], A4: ph.tensor[ph.i8][16, M0], A7: ph.tensor[ph.f32][M0, M5], A8: ph.tensor[ph.f32][M6, 32], A9: ph.tensor[ph.f16][M7, M8], A10: ph.tensor[ph.f32][M9, M10, 10], O11: ph.tensor[ph.bf16][M11, 9], O16: ph.tensor[ph.i32][131, 47]):
    b: ph.let = ph.ctx.block.x
    acc2: ph.var[ph.tile[ph.i32][64, 16]] = 0
    for k1 in range(0, M0, 64):
        a3 = A3[k1:+64, b:+64].T
        b4 = A4[b:+16, k1:+64]
        acc2 = ph.dot_t(a3, b4, acc2)
    acc7: ph.var[ph.tile[ph.f32][64, 32]] = 0
    for k6 in range(0, M5, 32):
        a8 = A7[b:+64, k6:+32]
        b9 = A8[k6:+32, 0:+32]
        acc7 = ph.dot(a8, b9, acc7)
        O11[b:+4, 4:+4] = A9[b:+4, 8:+4] < A10[0:+4, k6, k6:+4]
    O16[b:+64, 1:+16] = acc2


CASE = {
    "arguments": [
        {'name': 'A3', 'dtype': 'i8', 'shape': (64, 128), 'data': 'unit', 'seed': 456154},
        {'name': 'A4', 'dtype': 'i8', 'shape': (16, 64), 'data': 'unit', 'seed': 608796},
        {'name': 'A7', 'dtype': 'f32', 'shape': (64, 123), 'seed': 211549, 'order': (1, 0)},
        {'name': 'A8', 'dtype': 'f32', 'shape': (123, 32), 'seed': 407612},
        {'name': 'A9', 'dtype': 'f16', 'shape': (4, 11), 'seed': 883730},
        {'name': 'A10', 'dtype': 'f32', 'shape': (3, 2, 10), 'data': 'unit', 'seed': 322997},
        {'name': 'O11', 'dtype': 'bf16', 'shape': (6, 9), 'seed': 452329},
        {'name': 'O16', 'dtype': 'i32', 'shape': (131, 47), 'seed': 335102},
    ],
    "arch": 'sm_90a',
}
