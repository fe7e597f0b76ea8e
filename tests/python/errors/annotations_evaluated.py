import phobos.lang as ph


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc annotations_evaluated.py
# annotations_evaluated.py:5:31: warning: before Python 3.14 annotations are evaluated, and `N` has no value there
#     def zero(x: ph.tensor[ph.f32][N]):
#                                   ^
# hint: write `from __future__ import annotations` at the top of the file
# annotations_evaluated.py:6:10: error: `TILE` is not defined
#         x[0:+TILE] = 0.0
#              ^~~~
# exit status 1
