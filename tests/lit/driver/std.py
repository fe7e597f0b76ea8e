# RUN: phobosc %s --emit tile | FileCheck %s
# RUN: not phobosc %s -D AXIS=3 2>&1 | FileCheck %s --check-prefix=AXIS
# Functions of ph.std are read from the compiler's own copy of their file; an error in one shows it and where it was called.
from __future__ import annotations

import phobos.lang as ph

AXIS = 1


# CHECK: tile.reduce {{.*}} axis 1
# CHECK: math.exp
# CHECK: tile.reduce {{.*}} axis 1
@ph.kernel
def normalise(x: ph.tensor[ph.f32][16, 64]):
    # AXIS: phobos/std.py:{{[0-9]+}}:{{[0-9]+}}: error: axis 3 is out of range for a tile of rank 2
    # AXIS: std.py:[[#@LINE+1]]:12: note: in `softmax`, called from here
    x[:] = ph.std.softmax(x[:], AXIS)
