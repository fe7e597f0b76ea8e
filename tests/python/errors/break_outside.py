from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    if ph.ctx.block.x > 4:
        break
    x[0:+64] = 0.0


# $ phobosc break_outside.py
# break_outside.py:9:9: error: `break` outside a loop
#             break
#             ^~~~~
# exit status 1
