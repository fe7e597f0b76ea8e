from __future__ import annotations

import phobos.lang as ph

SHAPE = [64, 64]


@ph.kernel
def zero(x: ph.tensor[ph.f32][M, N]):
    x[0:+SHAPE[0], 0:+SHAPE[1]] = 0.0


# $ phobosc captured_list_in_the_text.py
# captured_list_in_the_text.py:10:10: error: `SHAPE` is a list; a kernel sees ints, floats, bools, dtypes and tuples of them
#         x[0:+SHAPE[0], 0:+SHAPE[1]] = 0.0
#              ^~~~~
# hint: write a tuple: (...)
# captured_list_in_the_text.py:10:23: error: `SHAPE` is a list; a kernel sees ints, floats, bools, dtypes and tuples of them
#         x[0:+SHAPE[0], 0:+SHAPE[1]] = 0.0
#                           ^~~~~
# hint: write a tuple: (...)
# exit status 1
