from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.lanch(128)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc decorator_unknown.py
# decorator_unknown.py:7:2: error: unknown decorator `ph.lanch`
#     @ph.lanch(128)
#      ^~~~~~~~~~~~~
# hint: did you mean `@ph.launch`?
# exit status 1
