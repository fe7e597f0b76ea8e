from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(num_warps=4)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc launch_num_warps.py
# launch_num_warps.py:7:12: error: `ph.launch` has no parameter `num_warps`
#     @ph.launch(num_warps=4)
#                ^~~~~~~~~
# hint: `ph.launch` takes (threads=None, min_blocks=None, max_regs=None)
# exit status 1
