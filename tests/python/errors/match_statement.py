from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], mode: ph.i32):
    match mode:
        case 0:
            x[0:+64] = 0.0
        case _:
            x[0:+64] = 1.0


# $ phobosc match_statement.py
# match_statement.py:8:5: error: `match` is not part of the kernel language
#         match mode:
#         ^~~~~
# hint: use `if` and `elif`
# exit status 1
