from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def product(a: ph.tensor[ph.f32][K], b: ph.tensor[ph.f32][K], c: ph.tensor[ph.f32][1]):
    c[0] = ph.dot(a[0:+64], b[0:+64])


# $ phobosc dot_of_vectors.py
# dot_of_vectors.py:8:19: error: expected a tile of rank 2 as an operand of `ph.dot`, got f32[64]
#         c[0] = ph.dot(a[0:+64], b[0:+64])
#                       ^~~~~~~~
# exit status 1
