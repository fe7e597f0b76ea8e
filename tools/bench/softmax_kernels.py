"""Softmax of rows, three ways: rows in registers as numbers computed, rows in registers as they were read, and rows that are read twice.

ELEMENT is the type of what is read and written; `common.with_element("softmax_kernels", "f32")` is this file with another.
"""

from __future__ import annotations

import phobos.lang as ph

ELEMENT = ph.f16
LOWEST = -3.4028234663852886e38  # the least finite f32


@ph.kernel(key=["M", "N"])
@ph.autotune(
    ROWS=[1, 2, 4, 8, 16],
    COLUMNS=[1024, 256, 512, 2048, 4096, 8192, 16384, 32768, 65536],
    threads=[128, 32, 64, 256, 512, 1024],
    when="4 * threads <= ROWS * COLUMNS <= 64 * threads",
)
def softmax_tile(X: ph.tensor[ELEMENT][M, N], Y: ph.tensor[ELEMENT][M, N]):
    row: ph.let = ph.ctx.block.x * ROWS
    x: ph.let = ph.f32(ph.load(X[row:+ROWS, 0:+COLUMNS], other=-float("inf")))
    e: ph.let = ph.exp(x - ph.rowmax(x))
    Y[row:+ROWS, 0:+COLUMNS] = e * (1.0 / ph.rowsum(e))


# The row stays in registers in its own type, and exponentials are computed twice: exp(x - most), then exp(x - most - log(total)).
@ph.kernel(key=["M", "N"])
@ph.autotune(
    ROWS=[1, 2, 4],
    COLUMNS=[8192, 1024, 2048, 4096, 16384, 32768, 65536],
    threads=[256, 128, 512, 1024],
    when="8 * threads <= ROWS * COLUMNS <= 64 * threads",
)
def softmax_packed(X: ph.tensor[ELEMENT][M, N], Y: ph.tensor[ELEMENT][M, N]):
    row: ph.let = ph.ctx.block.x * ROWS
    x: ph.let = ph.load(X[row:+ROWS, 0:+COLUMNS], other=-float("inf"))
    most: ph.let = ph.f32(ph.rowmax(x))
    total: ph.let = ph.rowsum(ph.exp(ph.f32(x) - most))
    Y[row:+ROWS, 0:+COLUMNS] = ph.exp(ph.f32(x) - (most + ph.log(total)))


# On-line, with a maximum and a sum for each of LANES places of a turn, so that threads meet once a row and not once a turn.
@ph.kernel(key=["M", "N"])
@ph.autotune(LANES=[1024, 2048, 4096, 8192], STEPS=[4, 2, 8], threads=[256, 512, 1024], when="4 * threads <= LANES <= 8 * threads and LANES * STEPS <= 32 * threads")
def softmax_lanes(X: ph.tensor[ELEMENT][M, N], Y: ph.tensor[ELEMENT][M, N]):
    row: ph.let = ph.ctx.block.x
    TURN: ph.let = LANES * STEPS
    most: ph.var[ph.tile[ph.f32][LANES]] = LOWEST
    total: ph.var[ph.tile[ph.f32][LANES]] = 0.0
    for column in range(0, N, TURN):
        x: ph.let = ph.reshape(ph.f32(ph.load(X[row, column:+TURN], other=-float("inf"))), STEPS, LANES)
        new: ph.let = ph.max(most, ph.max(x, axis=0))
        total = total * ph.exp(most - new) + ph.sum(ph.exp(x - new), axis=0)
        most = new
    top: ph.let = ph.max(most)
    scale: ph.let = 1.0 / ph.sum(total * ph.exp(most - top))
    for column in range(0, N, TURN):
        Y[row, column:+TURN] = ph.exp(ph.f32(X[row, column:+TURN]) - top) * scale


def rows(meta) -> int:
    """The grid of each kernel: a block for ROWS rows."""
    return -(-meta["M"] // meta.get("ROWS", 1))
