from __future__ import annotations

import phobos as ph


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc import_of_the_package.py
# import_of_the_package.py:6:2: error: `ph` is the package phobos, whose `lang` is the language of kernels
#     @ph.kernel
#      ^~
# hint: write `import phobos.lang as ph`
# exit status 1
