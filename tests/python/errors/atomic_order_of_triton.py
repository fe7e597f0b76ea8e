from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.i32][N]):
    ph.atomic_add(x[0], 1, order="acquire_release")


# $ phobosc atomic_order_of_triton.py
# atomic_order_of_triton.py:8:34: error: unknown `order` "acquire_release"
#         ph.atomic_add(x[0], 1, order="acquire_release")
#                                      ^~~~~~~~~~~~~~~~~
# hint: one of "relaxed", "acquire", "release", "acq_rel"
# exit status 1
