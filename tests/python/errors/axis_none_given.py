from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def total(x: ph.tensor[ph.f32][N]):
    x[0] = ph.sum(x[0:+64], axis=())


# $ phobosc axis_none_given.py
# axis_none_given.py:8:34: error: expected at least one axis
#         x[0] = ph.sum(x[0:+64], axis=())
#                                      ^~
# hint: leave out `axis` to reduce over all of them
# exit status 1
