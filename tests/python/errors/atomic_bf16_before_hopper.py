from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.bf16][N]):
    ph.atomic_add(x[0:+16], 1.0)


# $ phobosc atomic_bf16_before_hopper.py --arch sm_80
# atomic_bf16_before_hopper.py:8:5: error: atomic addition of bf16 needs sm_90 or later; sm_80 has none
#         ph.atomic_add(x[0:+16], 1.0)
#         ^~~~~~~~~~~~~
# exit status 1
