from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[x.size - 1] = 0.0


# $ phobosc attribute_size.py
# attribute_size.py:8:9: error: the tensor `x` has no attribute `size`
#         x[x.size - 1] = 0.0
#             ^~~~
# hint: a tensor has `shape`, `stride`, `dtype` and `ndim`
# exit status 1
