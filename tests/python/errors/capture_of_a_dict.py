from __future__ import annotations

import phobos.lang as ph

CONFIG = {"tile": 64}


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    x[0:+CONFIG["tile"]] = 0.0


# $ phobosc capture_of_a_dict.py
# capture_of_a_dict.py:10:10: error: the value of `CONFIG` cannot be read from the text
#         x[0:+CONFIG["tile"]] = 0.0
#              ^~~~~~
# hint: a kernel sees ints, floats, bools, dtypes and tuples of them
# exit status 1
