from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(alpha=[1.0, 2.0])
def apply(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = alpha


# $ phobosc autotune_of_a_parameter.py
# autotune_of_a_parameter.py:8:36: error: `alpha` is a tuned constant and a parameter
#     def apply(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#                                        ^~~~~
# exit status 1
