from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(128)
def center(x: ph.tensor[ph.f32][M, N]):
    t = x[0:+1024, 0:+1024]
    x[0:+1024, 0:+1024] = t - ph.sum(t, axis=0)


# $ phobosc tile_too_large_for_its_threads.py
# tile_too_large_for_its_threads.py:9:9: error: a tile of 1048576 elements is 8192 registers in each of 128 threads; expected at most 1024
#         t = x[0:+1024, 0:+1024]
#             ^~~~~~~~~~~~~~~~~~~
# hint: take tiles of at most 131072 elements, or more threads: @ph.launch(1024)
# exit status 1
