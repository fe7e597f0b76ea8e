from __future__ import annotations

import phobos.lang as ph


@ph.fn
@ph.launch(128)
def double(t):
    return t * 2.0


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = double(x[0:+64])


# $ phobosc fn_with_a_decorator_of_kernels.py
# fn_with_a_decorator_of_kernels.py:7:2: error: `@ph.launch` is for kernels, `double` is a device function
#     @ph.launch(128)
#      ^~~~~~~~~~~~~~
# exit status 1
