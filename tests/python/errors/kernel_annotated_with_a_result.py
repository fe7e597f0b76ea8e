from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.f32][N]) -> ph.tensor[ph.f32][N]:
    x[0:+64] = 0.0


# $ phobosc kernel_annotated_with_a_result.py
# kernel_annotated_with_a_result.py:7:37: error: a kernel returns nothing
#     def add(x: ph.tensor[ph.f32][N]) -> ph.tensor[ph.f32][N]:
#                                         ^~~~~~~~~~~~~~~~~~~~
# hint: store results in a tensor parameter
# exit status 1
