from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    a, b: ph.var = 0.0, 1.0
    x[0] = a + b


# $ phobosc annotation_of_two_names.py
# annotation_of_two_names.py:8:5: error: only a single name can be annotated, not several
#         a, b: ph.var = 0.0, 1.0
#         ^~~~
# hint: bind and annotate each name on its own line
# exit status 1
