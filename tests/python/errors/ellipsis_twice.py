from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][4, 4, 4]):
    x[..., 0, ...] = 0.0


# $ phobosc ellipsis_twice.py
# ellipsis_twice.py:8:7: error: `...` can stand only once in a subscript
#         x[..., 0, ...] = 0.0
#           ^~~~~~~~~~~
# exit status 1
