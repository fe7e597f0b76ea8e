from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * 2.0


# $ phobosc kernel_name_misspelt.py --kernel scal
# error: no kernel 'scal' in kernel_name_misspelt.py; did you mean 'scale'?
# kernels: scale
# hint: phobosc --help lists options, phases and chips
# exit status 2
