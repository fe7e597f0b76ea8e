from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    def relu(t):
        return ph.max(t, 0.0)

    x[0:+64] = relu(x[0:+64])


# $ phobosc nested_function.py
# nested_function.py:8:5: error: a function inside a kernel is not part of the kernel language
#         def relu(t):
#         ^~~
# hint: define it outside, with `@ph.fn`
# exit status 1
