from __future__ import annotations

import phobos.lang as ph


counter = 0


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    global counter
    counter += 1
    x[0:+64] = counter


# $ phobosc global_statement.py
# global_statement.py:11:5: error: `global` is not part of the kernel language
#         global counter
#         ^~~~~~
# hint: outer names are constants here; store results through a tensor parameter
# exit status 1
