# The store stands one level too deep: every turn of the loop writes the result.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.tensorcore
@ph.pipeline(stages=3)
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][K, N], c: ph.tensor[ph.f32][M, N]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, K, 32):
        acc += ph.dot(a[0:+64, k:+32], b[k:+32, 0:+64])
        c[0:+64, 0:+64] = acc


# $ phobosc pipeline_in_the_way.py
# pipeline_in_the_way.py:12:5: error: loop not pipelined: an operation is in the way
#         for k in range(0, K, 32):
#         ^~~
# pipeline_in_the_way.py:14:9: note: tile.store: it may write what a later turn's copies read
#             c[0:+64, 0:+64] = acc
#             ^
# exit status 1
