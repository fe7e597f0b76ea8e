from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def rows(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][64]):
    total = 0.0
    for i in range(M):
        total += x[i, 0:+64]
    y[:] = total


# $ phobosc accumulator_starts_as_scalar.py
# accumulator_starts_as_scalar.py:10:9: error: `total` is f32, got f32[64]
#             total += x[i, 0:+64]
#             ^~~~~~~~~~~~~~~~~~~~
# accumulator_starts_as_scalar.py:8:5: note: `total` is first set here
#         total = 0.0
#         ^~~~~
# hint: declare its shape: `total: ph.var[ph.tile[ph.f32][64]] = ...`
# exit status 1
