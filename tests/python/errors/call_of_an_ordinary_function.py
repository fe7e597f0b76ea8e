from __future__ import annotations

import phobos.lang as ph


def relu(t):
    return ph.max(t, 0.0)


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = relu(x[0:+64])


# $ phobosc call_of_an_ordinary_function.py
# call_of_an_ordinary_function.py:12:16: error: `relu` is an ordinary function; a kernel calls device functions only
#         x[0:+64] = relu(x[0:+64])
#                    ^~~~
# call_of_an_ordinary_function.py:6:5: note: it is defined here
#     def relu(t):
#         ^~~~
# hint: put `@ph.fn` above it
# exit status 1
