from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    start: int = ph.ctx.block.x * 64
    x[start:+64] = 0.0


# $ phobosc declared_as_a_python_type.py
# declared_as_a_python_type.py:8:12: error: expected `ph.let` or `ph.var`, or `ph.var[type]`
#         start: int = ph.ctx.block.x * 64
#                ^~~
# hint: write `start: ph.var = ...`
# exit status 1
