from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc output_in_no_folder.py -o no/such/folder.ptx
# error: cannot write no/such/folder.ptx: No such file or directory
# exit status 1
