"""A load out of bounds: three rows were copied by fours, along the axis that is left when the other's stride is 0."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A3: ph.tensor[ph.f32][3, 37], A4: ph.tensor[ph.f32][M3, M4], O5: ph.tensor[ph.f32][18, M5]):
    b: ph.let = ph.ctx.block.x
    O5[b:+3, 4:+64] += ph.dot_t(A3[:, b:+32], A4[b:+64, 0:+32])


CASE = {
    "arguments": [
        {'name': 'A3', 'dtype': 'f32', 'shape': (3, 37), 'data': 'unit', 'seed': 406646, 'repeated': 1},
        {'name': 'A4', 'dtype': 'f32', 'shape': (64, 37), 'data': 'unit', 'seed': 336047},
        {'name': 'O5', 'dtype': 'f32', 'shape': (18, 69), 'seed': 698735},
    ],
}
