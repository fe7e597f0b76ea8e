from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc launch_without_arguments.py
# launch_without_arguments.py:7:2: error: `@ph.launch` needs arguments
#     @ph.launch
#      ^~~~~~~~~
# hint: `ph.launch` takes (threads=None, min_blocks=None, max_regs=None)
# exit status 1
