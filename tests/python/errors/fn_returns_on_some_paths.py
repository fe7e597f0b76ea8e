from __future__ import annotations

import phobos.lang as ph


@ph.fn
def sign(s):
    if s > 0:
        return 1.0


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = sign(x[0])


# $ phobosc fn_returns_on_some_paths.py
# fn_returns_on_some_paths.py:7:5: error: `sign` returns a value on some paths only
#     def sign(s):
#         ^~~~
# fn_returns_on_some_paths.py:9:9: note: a value is returned here
#             return 1.0
#             ^~~~~~~~~~
# fn_returns_on_some_paths.py:14:12: note: in `sign`, called from here
#         x[0] = sign(x[0])
#                ^~~~~~~~~~
# exit status 1
