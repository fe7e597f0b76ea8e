from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][1]):
    ph.atomic_max(y[0], ph.max(x[0:+16]))


# $ phobosc atomic_max_of_floats.py
# atomic_max_of_floats.py:8:19: error: `ph.atomic_max` does not take f32
#         ph.atomic_max(y[0], ph.max(x[0:+16]))
#                       ^~~~
# hint: there are i32, u32, i64 and u64
# exit status 1
