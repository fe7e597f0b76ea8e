"""The compiler took minutes: a number widened to a tile lay in every thread as often as the tile has elements."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(128)
def kernel(A: ph.tensor[ph.f32][1, 1], O: ph.tensor[ph.f32][64]):
    O[:] = ph.sum(ph.broadcast(A[0:+1, 0:+1], 64, 64), axis=1)


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f32', 'shape': (1, 1), 'seed': 1},
        {'name': 'O', 'dtype': 'f32', 'shape': (64,), 'seed': 2},
    ],
}
