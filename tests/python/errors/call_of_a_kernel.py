from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


@ph.kernel
def both(x: ph.tensor[ph.f32][N]):
    zero(x)
    x[64:+64] = 1.0


# $ phobosc call_of_a_kernel.py --kernel both
# call_of_a_kernel.py:13:5: error: `zero` is a kernel and cannot be called from a kernel
#         zero(x)
#         ^~~~
# hint: mark it @ph.fn
# exit status 1
