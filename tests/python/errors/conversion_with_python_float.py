from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.i32][N], y: ph.tensor[ph.f32][N]):
    y[0:+16] = float(x[0:+16])


# $ phobosc conversion_with_python_float.py
# conversion_with_python_float.py:8:16: error: `float` takes a scalar, got a tile i32[16]
#         y[0:+16] = float(x[0:+16])
#                    ^~~~~~~~~~~~~~~
# hint: convert a tile with a dtype: ph.f32(t)
# exit status 1
