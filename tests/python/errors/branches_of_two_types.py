from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    if ph.ctx.block.x == 0:
        t = x[0:+64]
    else:
        t = x[0:+32]
    x[0:+32] = 0.0


# $ phobosc branches_of_two_types.py
# branches_of_two_types.py:11:13: error: `t` is f32[64], got f32[32]
#             t = x[0:+32]
#                 ^~~~~~~~
# branches_of_two_types.py:9:9: note: `t` is first set here
#             t = x[0:+64]
#             ^
# exit status 1
