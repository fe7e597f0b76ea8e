"""Layer norm and RMS norm of rows that fit a tile, and the gradients of layer norm.

ELEMENT is the type of what is read and written; `common.with_element("norm_kernels", "bf16")` is this file with another. How the gradients are
summed, and why: examples/tutorials/t05_layer_norm.py.
"""

from __future__ import annotations

import phobos.lang as ph

ELEMENT = ph.f16


# RESIDENT threads on a multiprocessor at once is what bounds their registers: a row held in few of them lets more rows be on their way. Where they
# are few, weights and bias are read when the sums are there, out of a cache; where they are not, AHEAD, before the barriers of the sums.
@ph.kernel(key=["M", "N"])
@ph.autotune(
    ROWS=[1, 2, 4],
    COLUMNS=[1024, 256, 2048, 4096, 8192, 16384],
    threads=[128, 64, 256, 512],
    RESIDENT=[1024, 512, 768, 1536],
    AHEAD=[False, True],
    when="8 * threads <= ROWS * COLUMNS and ROWS * COLUMNS * RESIDENT <= (16384 if AHEAD else 32768) * threads",
)
@ph.launch("threads", min_blocks="RESIDENT // threads")
def layer_norm(
    X: ph.tensor[ELEMENT][M, N], W: ph.tensor[ELEMENT][N], B: ph.tensor[ELEMENT][N], Y: ph.tensor[ELEMENT][M, N],
    mean: ph.tensor[ph.f32][M], rstd: ph.tensor[ph.f32][M], eps: ph.f32,
):  # fmt: skip
    row: ph.let = ph.ctx.block.x * ROWS
    share: ph.let = 1.0 / N
    x: ph.let = ph.f32(X[row:+ROWS, 0:+COLUMNS])
    if AHEAD:
        w = W[0:+COLUMNS]
        b = B[0:+COLUMNS]
    middle: ph.let = ph.rowsum(x) * share
    centred: ph.let = ph.where(ph.iota(COLUMNS) < N, x - middle, 0.0)
    scale: ph.let = ph.rsqrt(ph.rowsum(centred * centred) * share + eps)
    if not AHEAD:
        w = W[0:+COLUMNS]
        b = B[0:+COLUMNS]
    Y[row:+ROWS, 0:+COLUMNS] = centred * scale * w + b
    mean[row:+ROWS] = ph.flat(middle)
    rstd[row:+ROWS] = ph.flat(scale)


# Rows that are as long as a tile: nothing is masked, which leaves registers for more of a row. STREAM keeps what is read once out of the way of weights and bias in
# the L1 cache; where a multiprocessor has few threads, they are better read AHEAD of the barriers here too.
@ph.kernel(key=["M", "N"])
@ph.autotune(
    COLUMNS=[1024, 256, 2048, 4096, 8192, 16384],
    threads=[128, 64, 256, 512],
    RESIDENT=[1024, 512, 768],
    AHEAD=[False, True],
    STREAM=[False, True],
    when="8 * threads <= COLUMNS and COLUMNS * RESIDENT <= (24576 if AHEAD else 32768) * threads",
)
@ph.launch("threads", min_blocks="RESIDENT // threads")
@ph.aligned(N="COLUMNS")
def layer_norm_whole(
    X: ph.tensor[ELEMENT][M, N], W: ph.tensor[ELEMENT][N], B: ph.tensor[ELEMENT][N], Y: ph.tensor[ELEMENT][M, N],
    mean: ph.tensor[ph.f32][M], rstd: ph.tensor[ph.f32][M], eps: ph.f32,
):  # fmt: skip
    row: ph.let = ph.ctx.block.x
    share: ph.let = 1.0 / N
    if STREAM:
        xs = ph.load(X[row, 0:+COLUMNS], cache="cs")
    else:
        xs = X[row, 0:+COLUMNS]
    x: ph.let = ph.f32(xs)
    if AHEAD:
        w = W[0:+COLUMNS]
        b = B[0:+COLUMNS]
    middle: ph.let = ph.sum(x) * share
    centred: ph.let = x - middle
    scale: ph.let = ph.rsqrt(ph.sum(centred * centred) * share + eps)
    if not AHEAD:
        w = W[0:+COLUMNS]
        b = B[0:+COLUMNS]
    Y[row, 0:+COLUMNS] = centred * scale * w + b
    mean[row] = middle
    rstd[row] = scale


@ph.fn
def add_both(a, b, c, d):
    return a + c, b + d


# Both sums at once, of what is left when the row's first element is taken off: that keeps the squares from cancelling, and elements behind
# the row's end are read as the first, so that nothing of them is left.
@ph.kernel(key=["M", "N"])
@ph.autotune(
    COLUMNS=[1024, 256, 2048, 4096, 8192, 16384],
    threads=[128, 32, 64, 256, 512],
    RESIDENT=[1024, 512, 768, 1536],
    AHEAD=[False, True],
    when="8 * threads <= COLUMNS and COLUMNS * RESIDENT <= (16384 if AHEAD else 32768) * threads",
)
@ph.launch("threads", min_blocks="RESIDENT // threads")
def layer_norm_shifted(
    X: ph.tensor[ELEMENT][M, N], W: ph.tensor[ELEMENT][N], B: ph.tensor[ELEMENT][N], Y: ph.tensor[ELEMENT][M, N],
    mean: ph.tensor[ph.f32][M], rstd: ph.tensor[ph.f32][M], eps: ph.f32,
):  # fmt: skip
    row: ph.let = ph.ctx.block.x
    share: ph.let = 1.0 / N
    first: ph.let = X[row, 0]
    x: ph.let = ph.f32(ph.load(X[row, 0:+COLUMNS], other=first)) - first
    if AHEAD:
        w = W[0:+COLUMNS]
        b = B[0:+COLUMNS]
    total, squares = ph.reduce((x, x * x), 0, add_both)
    away: ph.let = total * share
    scale: ph.let = ph.rsqrt(ph.max(squares * share - away * away, 0.0) + eps)
    if not AHEAD:
        w = W[0:+COLUMNS]
        b = B[0:+COLUMNS]
    Y[row, 0:+COLUMNS] = (x - away) * scale * w + b
    mean[row] = first + away
    rstd[row] = scale


@ph.kernel(key=["M", "N"])
@ph.autotune(
    ROWS=[1, 2, 4, 8],
    COLUMNS=[1024, 256, 2048, 4096, 8192, 16384],
    threads=[128, 64, 256, 512, 1024],
    RESIDENT=[1024, 512, 1536],
    when="8 * threads <= ROWS * COLUMNS and ROWS * COLUMNS * RESIDENT <= 32768 * threads and threads <= RESIDENT",
)
@ph.launch("threads", min_blocks="RESIDENT // threads")
def rms_norm(X: ph.tensor[ELEMENT][M, N], W: ph.tensor[ELEMENT][N], Y: ph.tensor[ELEMENT][M, N], eps: ph.f32):
    row: ph.let = ph.ctx.block.x * ROWS
    x: ph.let = ph.f32(X[row:+ROWS, 0:+COLUMNS])
    w: ph.let = W[0:+COLUMNS]
    Y[row:+ROWS, 0:+COLUMNS] = x * ph.rsqrt(ph.rowsum(x * x) * (1.0 / N) + eps) * w


# Rows longer than a tile are read twice, the second time out of a cache; sums for each of LANES places of a turn, so that threads meet once a row.
@ph.kernel(key=["M", "N"])
@ph.autotune(LANES=[4096, 1024, 2048, 8192], STEPS=[2, 4, 8], threads=[512, 256, 1024], when="4 * threads <= LANES <= 8 * threads and LANES * STEPS <= 32 * threads")
def layer_norm_long(
    X: ph.tensor[ELEMENT][M, N], W: ph.tensor[ELEMENT][N], B: ph.tensor[ELEMENT][N], Y: ph.tensor[ELEMENT][M, N],
    mean: ph.tensor[ph.f32][M], rstd: ph.tensor[ph.f32][M], eps: ph.f32,
):  # fmt: skip
    row: ph.let = ph.ctx.block.x
    TURN: ph.let = LANES * STEPS
    share: ph.let = 1.0 / N
    first: ph.let = X[row, 0]
    sums: ph.var[ph.tile[ph.f32][LANES]] = 0.0
    squares: ph.var[ph.tile[ph.f32][LANES]] = 0.0
    for column in range(0, N, TURN):
        x: ph.let = ph.reshape(ph.f32(ph.load(X[row, column:+TURN], other=first)) - first, STEPS, LANES)
        sums += ph.sum(x, axis=0)
        squares += ph.sum(x * x, axis=0)
    total, square = ph.reduce((sums, squares), 0, add_both)
    away: ph.let = total * share
    scale: ph.let = ph.rsqrt(ph.max(square * share - away * away, 0.0) + eps)
    middle: ph.let = first + away
    for column in range(0, N, TURN):
        Y[row, column:+TURN] = (ph.f32(X[row, column:+TURN]) - middle) * scale * W[column:+TURN] + B[column:+TURN]
    mean[row] = middle
    rstd[row] = scale


@ph.kernel(key=["M", "N"])
@ph.autotune(LANES=[4096, 1024, 2048, 8192], STEPS=[2, 4, 8], threads=[512, 256, 1024], when="4 * threads <= LANES <= 8 * threads and LANES * STEPS <= 32 * threads")
def rms_norm_long(X: ph.tensor[ELEMENT][M, N], W: ph.tensor[ELEMENT][N], Y: ph.tensor[ELEMENT][M, N], eps: ph.f32):
    row: ph.let = ph.ctx.block.x
    TURN: ph.let = LANES * STEPS
    squares: ph.var[ph.tile[ph.f32][LANES]] = 0.0
    for column in range(0, N, TURN):
        x: ph.let = ph.reshape(ph.f32(X[row, column:+TURN]), STEPS, LANES)
        squares += ph.sum(x * x, axis=0)
    scale: ph.let = ph.rsqrt(ph.sum(squares) * (1.0 / N) + eps)
    for column in range(0, N, TURN):
        Y[row, column:+TURN] = ph.f32(X[row, column:+TURN]) * scale * W[column:+TURN]


# A block's group of rows: dx of each, and what they add to dweight and dbias.
@ph.kernel(key=["M", "N", "GROUPS"])
@ph.autotune(
    ROWS=[1, 2, 4],
    COLUMNS=[1024, 256, 2048, 4096, 8192, 16384],
    threads=[128, 256, 512, 1024],
    when="4 * threads <= ROWS * COLUMNS <= 32 * threads",
)
@ph.dependent
def layer_norm_gradients(
    X: ph.tensor[ELEMENT][M, N], W: ph.tensor[ELEMENT][N], DY: ph.tensor[ELEMENT][M, N], mean: ph.tensor[ph.f32][M],
    rstd: ph.tensor[ph.f32][M], DX: ph.tensor[ELEMENT][M, N], parts: ph.tensor[ph.f32][2, GROUPS, N],
):  # fmt: skip
    group: ph.let = ph.ctx.block.x
    depth: ph.let = ph.cdiv(M, GROUPS * ROWS) * ROWS
    begin: ph.let = group * depth
    end: ph.let = ph.min(begin + depth, M)
    share: ph.let = 1.0 / N
    w: ph.let = ph.f32(W[0:+COLUMNS])
    dweight: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    dbias: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    for row in range(begin, end, ROWS):
        scale: ph.let = ph.expand(rstd[row:+ROWS], 1)
        middle: ph.let = ph.expand(mean[row:+ROWS], 1)
        x: ph.let = ph.f32(X[row:+ROWS, 0:+COLUMNS])
        dy: ph.let = ph.f32(DY[row:+ROWS, 0:+COLUMNS])
        n: ph.let = (x - middle) * scale
        g: ph.let = dy * w
        DX[row:+ROWS, 0:+COLUMNS] = (g - ph.rowsum(g) * share - n * (ph.rowsum(g * n) * share)) * scale
        dweight += dy * n
        dbias += dy
    parts[0, group, 0:+COLUMNS] = ph.sum(dweight, axis=0)
    parts[1, group, 0:+COLUMNS] = ph.sum(dbias, axis=0)


# The same, with the next turn's rows on their way while this turn's are summed. The last turn reads its own once more, out of a cache.
@ph.kernel(key=["M", "N", "GROUPS"])
@ph.autotune(
    ROWS=[1, 2, 4],
    COLUMNS=[1024, 256, 2048, 4096, 8192, 16384],
    threads=[128, 256, 512, 1024],
    when="4 * threads <= ROWS * COLUMNS <= 32 * threads",
)
@ph.dependent
def layer_norm_gradients_ahead(
    X: ph.tensor[ELEMENT][M, N], W: ph.tensor[ELEMENT][N], DY: ph.tensor[ELEMENT][M, N], mean: ph.tensor[ph.f32][M],
    rstd: ph.tensor[ph.f32][M], DX: ph.tensor[ELEMENT][M, N], parts: ph.tensor[ph.f32][2, GROUPS, N],
):  # fmt: skip
    group: ph.let = ph.ctx.block.x
    depth: ph.let = ph.cdiv(M, GROUPS * ROWS) * ROWS
    begin: ph.let = group * depth
    end: ph.let = ph.min(begin + depth, M)
    share: ph.let = 1.0 / N
    w: ph.let = ph.f32(W[0:+COLUMNS])
    dweight: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    dbias: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    xs: ph.var = X[begin:+ROWS, 0:+COLUMNS]
    dys: ph.var = DY[begin:+ROWS, 0:+COLUMNS]
    for row in range(begin, end, ROWS):
        scale: ph.let = ph.expand(rstd[row:+ROWS], 1)
        middle: ph.let = ph.expand(mean[row:+ROWS], 1)
        x: ph.let = ph.f32(xs)
        dy: ph.let = ph.f32(dys)
        following: ph.let = row + ROWS if row + ROWS < end else row
        xs = X[following:+ROWS, 0:+COLUMNS]
        dys = DY[following:+ROWS, 0:+COLUMNS]
        n: ph.let = (x - middle) * scale
        g: ph.let = dy * w
        DX[row:+ROWS, 0:+COLUMNS] = (g - ph.rowsum(g) * share - n * (ph.rowsum(g * n) * share)) * scale
        dweight += dy * n
        dbias += dy
    parts[0, group, 0:+COLUMNS] = ph.sum(dweight, axis=0)
    parts[1, group, 0:+COLUMNS] = ph.sum(dbias, axis=0)


# Rows too wide for a block to keep dweight and dbias beside them: dx alone, of a row that is read twice, the second time out of a cache; and what rows add
# to dweight and dbias by tiles, which reads X and DY once more.
@ph.kernel(key=["M", "N"])
@ph.autotune(TURN_WIDE=[4096, 2048, 8192], threads=[512, 256, 1024], when="4 * threads <= TURN_WIDE <= 8 * threads")
def layer_norm_dx(
    X: ph.tensor[ELEMENT][M, N], W: ph.tensor[ELEMENT][N], DY: ph.tensor[ELEMENT][M, N], mean: ph.tensor[ph.f32][M],
    rstd: ph.tensor[ph.f32][M], DX: ph.tensor[ELEMENT][M, N],
):  # fmt: skip
    row: ph.let = ph.ctx.block.x
    share: ph.let = 1.0 / N
    scale: ph.let = rstd[row]
    middle: ph.let = mean[row]
    sums: ph.var[ph.tile[ph.f32][TURN_WIDE]] = 0.0
    products: ph.var[ph.tile[ph.f32][TURN_WIDE]] = 0.0
    for column in range(0, N, TURN_WIDE):
        g: ph.let = ph.f32(DY[row, column:+TURN_WIDE]) * W[column:+TURN_WIDE]
        sums += g
        products += g * ((ph.f32(X[row, column:+TURN_WIDE]) - middle) * scale)
    total, along = ph.reduce((sums, products), 0, add_both)
    for column in range(0, N, TURN_WIDE):
        n: ph.let = (ph.f32(X[row, column:+TURN_WIDE]) - middle) * scale
        DX[row, column:+TURN_WIDE] = (ph.f32(DY[row, column:+TURN_WIDE]) * W[column:+TURN_WIDE] - total * share - n * (along * share)) * scale


@ph.kernel(key=["M", "N", "GROUPS"])
@ph.autotune(HEIGHT=[16, 8, 32], WIDE=[256, 128, 512], threads=[256, 128, 512], when="8 * threads <= HEIGHT * WIDE <= 16 * threads")
def layer_norm_columns(
    X: ph.tensor[ELEMENT][M, N], DY: ph.tensor[ELEMENT][M, N], mean: ph.tensor[ph.f32][M], rstd: ph.tensor[ph.f32][M],
    parts: ph.tensor[ph.f32][2, GROUPS, N],
):  # fmt: skip
    column: ph.let = ph.ctx.block.x * WIDE
    group: ph.let = ph.ctx.block.y
    depth: ph.let = ph.cdiv(M, GROUPS * HEIGHT) * HEIGHT
    begin: ph.let = group * depth
    dweight: ph.var[ph.tile[ph.f32][HEIGHT, WIDE]] = 0.0
    dbias: ph.var[ph.tile[ph.f32][HEIGHT, WIDE]] = 0.0
    for row in range(begin, ph.min(begin + depth, M), HEIGHT):
        dy: ph.let = ph.f32(DY[row:+HEIGHT, column:+WIDE])
        dweight += dy * (ph.f32(X[row:+HEIGHT, column:+WIDE]) - ph.expand(mean[row:+HEIGHT], 1)) * ph.expand(rstd[row:+HEIGHT], 1)
        dbias += dy
    parts[0, group, column:+WIDE] = ph.sum(dweight, axis=0)
    parts[1, group, column:+WIDE] = ph.sum(dbias, axis=0)


TURN, WIDTH = 32, 64


@ph.kernel
@ph.launch(256)
@ph.dependent
def add_up(parts: ph.tensor[ph.f32][2, GROUPS, N], sums: ph.tensor[ELEMENT][2, N]):
    which: ph.let = ph.ctx.block.y
    column: ph.let = ph.ctx.block.x * WIDTH
    total: ph.var[ph.tile[ph.f32][TURN, WIDTH]] = 0.0
    for group in range(0, GROUPS, TURN):
        total += parts[which, group:+TURN, column:+WIDTH]
    sums[which, column:+WIDTH] = ph.sum(total, axis=0)


def rows(meta) -> int:
    """The grid of the forward kernels: a block for ROWS rows."""
    return -(-meta["M"] // meta.get("ROWS", 1))


def groups(meta) -> int:
    return meta["GROUPS"]


def tiles(meta) -> tuple[int, int]:
    return -(-meta["N"] // meta["WIDE"]), meta["GROUPS"]


def columns(meta) -> tuple[int, int]:
    return -(-meta["N"] // WIDTH), 2
