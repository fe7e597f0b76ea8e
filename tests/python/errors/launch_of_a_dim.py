from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(N)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc launch_of_a_dim.py
# launch_of_a_dim.py:7:12: error: expected the number of threads to be constant; `N` is not
#     @ph.launch(N)
#                ^
# exit status 1
