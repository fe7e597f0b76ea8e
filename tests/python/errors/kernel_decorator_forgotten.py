from __future__ import annotations

import phobos.lang as ph


@ph.launch(128)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc kernel_decorator_forgotten.py
# error: kernel_decorator_forgotten.py has no kernel
# hint: a kernel is a function under @ph.kernel
# exit status 1
