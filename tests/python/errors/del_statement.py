from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+64] = t * 2.0
    del t


# $ phobosc del_statement.py
# del_statement.py:10:5: error: `del` is not part of the kernel language
#         del t
#         ^~~
# exit status 1
