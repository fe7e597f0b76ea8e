from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], seed: ph.f32):
    x[0:+64] = ph.rand(seed, ph.iota(64))


# $ phobosc random_with_a_float_seed.py
# random_with_a_float_seed.py:8:24: error: expected integers as the seed of `ph.rand`, got a scalar f32
#         x[0:+64] = ph.rand(seed, ph.iota(64))
#                            ^~~~
# hint: floats are rounded towards zero by ph.i64(...)
# exit status 1
