from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc body_is_missing.py
# body_is_missing.py:10:1: error: expected an indented block after the function's header, got `@`
#     @ph.kernel
#     ^
# hint: `pass` is the empty block
# exit status 1
