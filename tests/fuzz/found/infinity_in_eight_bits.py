"""A constant infinity became an infinity of e5m2, where conversions saturate, and 8 bits widened and narrowed again kept theirs."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A: ph.tensor[ph.f8e5m2][64], O: ph.tensor[ph.f8e5m2][64], P: ph.tensor[ph.f8e5m2][64], Q: ph.tensor[ph.f8e4m3][64]):
    O[:] = ph.full((64,), 1.0, ph.f32) / 0.0
    P[:] = ph.f8e5m2(ph.f32(A[:]))
    Q[:] = ph.full((64,), -1.0, ph.f32) / 0.0


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f8e5m2', 'shape': (64,), 'data': 'special', 'seed': 1},
        {'name': 'O', 'dtype': 'f8e5m2', 'shape': (64,), 'seed': 2},
        {'name': 'P', 'dtype': 'f8e5m2', 'shape': (64,), 'seed': 3},
        {'name': 'Q', 'dtype': 'f8e4m3', 'shape': (64,), 'seed': 4},
    ],
    "grid": (1, 1, 1),
    "arch": 'sm_89',
}
