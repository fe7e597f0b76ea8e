from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    start = ph.program_id(0) * 64
    x[start:+64] = 0.0


# $ phobosc call_of_triton_program_id.py
# call_of_triton_program_id.py:8:13: error: `ph.program_id` is not known
#         start = ph.program_id(0) * 64
#                 ^~~~~~~~~~~~~
# hint: did you mean `ph.ctx.block.x`?
# exit status 1
