from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(128, max_regs=2)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc launch_too_few_registers.py
# launch_too_few_registers.py:7:26: error: expected `max_regs` to be an int from 16 to 255, got 2
#     @ph.launch(128, max_regs=2)
#                              ^
# exit status 1
