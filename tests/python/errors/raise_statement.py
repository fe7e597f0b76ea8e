from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    if N == 0:
        raise ValueError("empty")
    x[0:+64] = 0.0


# $ phobosc raise_statement.py
# raise_statement.py:9:9: error: `raise` is not part of the kernel language
#             raise ValueError("empty")
#             ^~~~~
# hint: a kernel cannot raise; `ph.assert_` checks
# exit status 1
