"""ph.std: functions written in the kernel language itself.

The compiler has this file built in and reads it, where a kernel uses it, as it reads the kernel's own device functions. All take and
return tiles or numbers of any floating dtype, which they keep unless said otherwise, and are inlined where they are called.
"""

from __future__ import annotations

import phobos.lang as ph


cdiv = ph.cdiv  # known to the compiler: of constants it is one

@ph.fn
def grouped(pid, n_m, n_n, GROUP):
    """Block (row, column) number `pid` of n_m x n_n in grouped order: GROUP rows at a time, column by column; the last group has the rows that
    are left. What @ph.swizzle(GROUP) does to ph.ctx.block, for kernels that number their blocks themselves."""
    in_group: ph.let = GROUP * n_n
    first: ph.let = pid // in_group * GROUP
    rows: ph.let = ph.min(n_m - first, GROUP)
    return first + pid % in_group % rows, pid % in_group // rows


@ph.fn
def softmax(t, axis):
    """exp(t) / sum(exp(t)) along an axis, computed in f32 at least."""
    x: ph.let = t - ph.max(t, axis=axis, keepdims=True)
    e: ph.let = ph.exp(x)
    return e / ph.sum(e, axis=axis, keepdims=True)
