"""Built-ins that put tiles together and take them apart, written in the kernel language: ph.join, ph.split, ph.cat.

The compiler has this file built in, as it has std.py.
"""

from __future__ import annotations

import phobos.lang as ph


@ph.fn
def join(a, b):
    return ph.where(ph.iota(2) == 0, ph.expand(a, -1), ph.expand(b, -1))


@ph.fn
def earlier(a, i, b, j):
    return (a if i < j else b), ph.min(i, j)


@ph.fn
def later(a, i, b, j):
    return (a if i > j else b), ph.max(i, j)


# The choice is by place, so that a number comes out as it is: a sum would make zeros of one sign, and NaN of what stands beside one.
@ph.fn
def split(t):
    place: ph.let = ph.broadcast(ph.iota(2, ph.i32), t.shape)
    first, _ = ph.reduce((t, place), -1, earlier)
    second, _ = ph.reduce((t, place), -1, later)
    return first, second


@ph.fn
def cat(a, b, axis=0):
    t: ph.let = join(a, b)
    if len(a.shape) == 1:
        return ph.reshape(ph.transpose(t), 2 * a.shape[0])
    elif len(a.shape) == 2 and (axis == 0 or axis == -2):
        return ph.reshape(ph.transpose(t, 2, 0, 1), 2 * a.shape[0], a.shape[1])
    elif len(a.shape) == 2:
        return ph.reshape(ph.transpose(t, 0, 2, 1), a.shape[0], 2 * a.shape[1])
    elif axis == 0 or axis == -3:
        return ph.reshape(ph.transpose(t, 3, 0, 1, 2), 2 * a.shape[0], a.shape[1], a.shape[2])
    elif axis == 1 or axis == -2:
        return ph.reshape(ph.transpose(t, 0, 3, 1, 2), a.shape[0], 2 * a.shape[1], a.shape[2])
    else:
        return ph.reshape(ph.transpose(t, 0, 1, 3, 2), a.shape[0], a.shape[1], 2 * a.shape[2])
