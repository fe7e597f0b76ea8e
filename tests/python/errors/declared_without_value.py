from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    total: ph.var[ph.f32]
    total = 0.0
    x[0] = total


# $ phobosc declared_without_value.py
# declared_without_value.py:8:5: error: `total` is declared without a value
#         total: ph.var[ph.f32]
#         ^~~~~~~~~~~~~~~~~~~~~
# hint: write `total: ph.var = ...`
# exit status 1
