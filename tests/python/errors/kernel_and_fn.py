from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.fn
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc kernel_and_fn.py
# kernel_and_fn.py:7:2: error: a function is decorated once as a kernel or device function
#     @ph.fn
#      ^~~~~
# kernel_and_fn.py:6:2: note: decorated here already
#     @ph.kernel
#      ^~~~~~~~~
# exit status 1
