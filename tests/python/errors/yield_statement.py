from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    for i in range(4):
        yield x[i]


# $ phobosc yield_statement.py
# yield_statement.py:9:9: error: `yield` is not part of the kernel language
#             yield x[i]
#             ^~~~~
# hint: a device function gives its values with `return`
# exit status 1
