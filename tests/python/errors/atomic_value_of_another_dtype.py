from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f16][1]):
    ph.atomic_add(y[0], ph.sum(x[0:+16]))


# $ phobosc atomic_value_of_another_dtype.py
# atomic_value_of_another_dtype.py:8:25: error: expected f16 as the value of an atomic operation, got f32
#         ph.atomic_add(y[0], ph.sum(x[0:+16]))
#                             ^~~~~~~~~~~~~~~~
# hint: convert it: ph.f16(...)
# exit status 1
