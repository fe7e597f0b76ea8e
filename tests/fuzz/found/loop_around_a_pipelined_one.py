"""Reads before copies: around a loop whose copies run ahead, another was pipelined too and took the first's waits away."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A3: ph.tensor[ph.f32][M3, M4], A4: ph.tensor[ph.f32][M3, M5], A5: ph.tensor[ph.u8][M6, M7, 2], A7: ph.tensor[ph.f32][M10, 48], O14: ph.tensor[ph.f32][M16, 3]):
    b: ph.let = ph.ctx.block.x
    v1: ph.var[ph.tile[ph.f32][7, 2]] = 1.0
    for i2 in range(4, 0, -2):
        acc4: ph.var[ph.tile[ph.f32][16, 16]] = 0
        for k3 in range(0, M3, 32):
            a5 = ph.transpose(A3[k3:+32, i2:+16])
            b6 = A4[k3:+32, b:+16]
            acc4 += ph.dot(a5, b6)
            v1 = ph.argmin(A5[8:+12, b:+7, :], axis=0)
        v1 *= ph.dot(ph.f32(ph.full((7, 16), 0.5, ph.f64)), ph.transpose(A7[b:+2, b:+16], 1, 0))
    O14[b:+7, b:+2] = v1


CASE = {
    "arguments": [
        {'name': 'A3', 'dtype': 'f32', 'shape': (64, 24), 'seed': 1},
        {'name': 'A4', 'dtype': 'f32', 'shape': (64, 16), 'seed': 2},
        {'name': 'A5', 'dtype': 'u8', 'shape': (20, 7, 2), 'seed': 3},
        {'name': 'A7', 'dtype': 'f32', 'shape': (3, 48), 'seed': 4},
        {'name': 'O14', 'dtype': 'f32', 'shape': (9, 3), 'seed': 5},
    ],
}
