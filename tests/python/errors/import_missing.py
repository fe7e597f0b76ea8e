from __future__ import annotations


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc import_missing.py
# import_missing.py:4:2: error: `ph` is not imported
#     @ph.kernel
#      ^~
# hint: write `import phobos.lang as ph` at the top of the file
# exit status 1
