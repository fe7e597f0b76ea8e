from __future__ import annotations

from numba import cuda

import phobos.lang as ph


@ph.kernel
@cuda.jit
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc decorator_of_numba.py
# decorator_of_numba.py:9:2: error: unknown decorator `cuda.jit`
#     @cuda.jit
#      ^~~~~~~~
# hint: a kernel is read, not run: other decorators have no effect on it
# exit status 1
