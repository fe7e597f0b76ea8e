from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.f32][N], x: ph.tensor[ph.f32][N]):
    x[0:+64] += x[0:+64]


# $ phobosc parameter_named_twice.py
# parameter_named_twice.py:7:34: error: parameter `x` is named twice
#     def add(x: ph.tensor[ph.f32][N], x: ph.tensor[ph.f32][N]):
#                                      ^
# parameter_named_twice.py:7:9: note: first here
#     def add(x: ph.tensor[ph.f32][N], x: ph.tensor[ph.f32][N]):
#             ^
# exit status 1
