from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.persistent
@ph.cluster(2)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc cluster_beside_persistent.py
# cluster_beside_persistent.py:8:2: error: `@ph.cluster` beside `@ph.persistent` is not supported yet
#     @ph.cluster(2)
#      ^~~~~~~~~~~~~
# exit status 1
