from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    for i in range(4):
        x[i] = 0.0
      x[0] = 1.0


# $ phobosc indentation_no_level.py
# indentation_no_level.py:10:1: error: unindent does not match any outer indentation level
#           x[0] = 1.0
#     ^~~~~~
# exit status 1
