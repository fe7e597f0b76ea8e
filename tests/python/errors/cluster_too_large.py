from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.cluster(4, 4)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc cluster_too_large.py
# cluster_too_large.py:7:2: error: expected at most 8 blocks in a cluster, got 16
#     @ph.cluster(4, 4)
#      ^~~~~~~~~~~~~~~~
# exit status 1
