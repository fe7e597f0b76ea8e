from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.i32][N]):
    ph.atomic_add(x[0], 1, scope="system")


# $ phobosc atomic_scope_system.py
# atomic_scope_system.py:8:5: error: the scope "system" of an atomic operation other than cas is not supported yet
#         ph.atomic_add(x[0], 1, scope="system")
#         ^~~~~~~~~~~~~
# exit status 1
