from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def gather(x: ph.tensor[ph.f32][L, M, N], index: ph.tensor[ph.i32][64], y: ph.tensor[ph.f32][64, 8]):
    i = index[:]
    y[:, :] = x[i, 0:+8, i]


# $ phobosc gather_of_apart.py
# gather_of_apart.py:9:26: error: indices that are tiles must stand side by side
#         y[:, :] = x[i, 0:+8, i]
#                              ^
# gather_of_apart.py:9:20: note: a span between them
#         y[:, :] = x[i, 0:+8, i]
#                        ^~~~
# hint: load with one of them, or transpose the tensor
# exit status 1
