from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(128)
@ph.launch(256)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc decorator_twice.py
# decorator_twice.py:8:2: error: `@ph.launch` is given twice
#     @ph.launch(256)
#      ^~~~~~~~~~~~~~
# exit status 1
