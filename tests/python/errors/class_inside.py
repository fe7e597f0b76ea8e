from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    class Config:
        tile = 64

    x[0:+64] = 0.0


# $ phobosc class_inside.py
# class_inside.py:8:5: error: a class is not part of the kernel language
#         class Config:
#         ^~~~~
# exit status 1
