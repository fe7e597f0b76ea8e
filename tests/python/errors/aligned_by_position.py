from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.aligned("N")
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc aligned_by_position.py
# aligned_by_position.py:7:13: error: expected at most 0 arguments in call of `ph.aligned`
#     @ph.aligned("N")
#                 ^~~
# hint: `ph.aligned` takes (**dims)
# exit status 1
