from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    t = ph.load(x[0:+64], mask=ph.iota(64) < N, other=0.0)
    x[0:+64] = t


# $ phobosc call_of_triton_load_mask.py
# call_of_triton_load_mask.py:8:27: error: `ph.load` has no parameter `mask`
#         t = ph.load(x[0:+64], mask=ph.iota(64) < N, other=0.0)
#                               ^~~~
# hint: `ph.load` takes (slice, other=None, cache=None, evict=None)
# exit status 1
