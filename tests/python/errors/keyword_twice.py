from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = ph.sum(x[0:+64], axis=0, axis=0)


# $ phobosc keyword_twice.py
# keyword_twice.py:8:37: error: keyword argument `axis` is given twice
#         x[0] = ph.sum(x[0:+64], axis=0, axis=0)
#                                         ^~~~
# keyword_twice.py:8:29: note: first given here
#         x[0] = ph.sum(x[0:+64], axis=0, axis=0)
#                                 ^~~~
# exit status 1
