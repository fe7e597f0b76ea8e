from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    import math

    x[0:+64] = math.pi


# $ phobosc import_statement.py
# import_statement.py:8:5: error: `import` is not part of the kernel language
#         import math
#         ^~~~~~
# hint: import at the top of the file
# exit status 1
