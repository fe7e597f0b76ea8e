"""Sums of rows and of columns, the places of each row's greatest element, and running sums along rows.

ELEMENT is the type of what is read; `common.with_element("reduction_kernels", "f32")` is this file with another.
"""

from __future__ import annotations

import phobos.lang as ph

ELEMENT = ph.f16


@ph.kernel(key=["M", "N"])
@ph.autotune(
    ROWS=[1, 2, 4, 8, 16], COLUMNS=[1024, 256, 512, 2048, 4096], threads=[128, 256, 512], when="8 * threads <= ROWS * COLUMNS <= 32 * threads"
)
def row_sum(X: ph.tensor[ELEMENT][M, N], Y: ph.tensor[ELEMENT][M]):
    row: ph.let = ph.ctx.block.x * ROWS
    total: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    for column in range(0, N, COLUMNS):
        total += X[row:+ROWS, column:+COLUMNS]
    Y[row:+ROWS] = ph.sum(total, axis=1)


# A block sums ROWS rows a turn, of its part of the rows: as many parts as the workspace has, added up by the second kernel in order.
@ph.kernel(key=["PARTS", "M", "N"])
@ph.autotune(
    ROWS=[8, 16, 32, 64, 128], COLUMNS=[256, 64, 128, 512], threads=[128, 256, 512], when="8 * threads <= ROWS * COLUMNS <= 32 * threads"
)
@ph.dependent
def column_parts(X: ph.tensor[ELEMENT][M, N], parts: ph.tensor[ph.f32][PARTS, N]):
    column: ph.let = ph.ctx.block.x * COLUMNS
    part: ph.let = ph.ctx.block.y
    depth: ph.let = ph.cdiv(M, PARTS * ROWS) * ROWS
    begin: ph.let = part * depth
    total: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    for row in range(begin, ph.min(begin + depth, M), ROWS):
        total += X[row:+ROWS, column:+COLUMNS]
    parts[part, column:+COLUMNS] = ph.sum(total, axis=0)


TURN, WIDTH = 16, 64


@ph.kernel
@ph.launch(128)
@ph.dependent
def add_up(parts: ph.tensor[ph.f32][PARTS, N], Y: ph.tensor[ELEMENT][N]):
    column: ph.let = ph.ctx.block.x * WIDTH
    total: ph.var[ph.tile[ph.f32][TURN, WIDTH]] = 0.0
    for part in range(0, PARTS, TURN):
        total += parts[part:+TURN, column:+WIDTH]
    Y[column:+WIDTH] = ph.sum(total, axis=0)


@ph.kernel(key=["M", "N"])
@ph.autotune(
    ROWS=[1, 2, 4, 8, 16], COLUMNS=[4096, 256, 512, 1024, 2048, 8192], threads=[256, 128, 512, 1024],
    when="4 * threads <= ROWS * COLUMNS <= 32 * threads",
)  # fmt: skip
def row_argmax(X: ph.tensor[ELEMENT][M, N], Y: ph.tensor[ph.i64][M]):
    row: ph.let = ph.ctx.block.x * ROWS
    Y[row:+ROWS] = ph.argmax(ph.load(X[row:+ROWS, 0:+COLUMNS], other=-float("inf")), axis=1)


@ph.kernel(key=["M", "N"])
@ph.autotune(
    ROWS=[1, 2, 4, 8, 16], COLUMNS=[4096, 256, 512, 1024, 2048, 8192], threads=[256, 128, 512, 1024],
    when="4 * threads <= ROWS * COLUMNS <= 32 * threads",
)  # fmt: skip
def row_cumsum(X: ph.tensor[ELEMENT][M, N], Y: ph.tensor[ELEMENT][M, N]):
    row: ph.let = ph.ctx.block.x * ROWS
    x: ph.let = ph.f32(X[row:+ROWS, 0:+COLUMNS])
    Y[row:+ROWS, 0:+COLUMNS] = ph.cumsum(x, axis=1)


def rows(meta) -> int:
    return -(-meta["M"] // meta["ROWS"])


def column_blocks(meta) -> tuple[int, int]:
    return -(-meta["N"] // meta["COLUMNS"]), meta["PARTS"]
