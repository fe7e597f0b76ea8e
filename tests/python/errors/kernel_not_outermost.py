from __future__ import annotations

import phobos.lang as ph


@ph.launch(128)
@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc kernel_not_outermost.py
# kernel_not_outermost.py:7:2: error: `@ph.kernel` must be the outermost decorator
#     @ph.kernel
#      ^~~~~~~~~
# hint: move it above `@ph.launch`
# exit status 1
