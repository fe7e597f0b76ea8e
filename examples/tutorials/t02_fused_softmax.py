"""Tutorial 02, softmax of each row in one kernel: `exp(x) / sum(exp(x))`, without overflow and with as few bytes moved as can be.

Read t01 first. In NumPy you would write

    most = x.max(axis=1, keepdims=True)
    e = np.exp(x - most)
    y = e / e.sum(axis=1, keepdims=True)

Taking the maximum away changes nothing in the result, since exp(x - most) is exp(x) / exp(most) and the second factor cancels; but
without it exp(89) is already beyond an f32. With it the largest exponential is 1.

*Why one kernel.* Each line above walks over the whole matrix. Run one by one, for x of M x N they read x; read x and write x - most; read that
and write e; read e; read e and write y: 5 MN numbers read and 3 MN written. The least that any softmax must move is MN read and MN written.
There is next to nothing to compute, so time is bytes over bandwidth, and a kernel that holds its rows between the lines is four times
as fast. That is what fusing means: not fewer operations, fewer journeys.

*Rows that fit a tile.* A block takes ROWS whole rows as one tile of ROWS x COLUMNS, which lies in its threads' registers, and the three lines
above are the kernel. COLUMNS is a power of two and at least the length of a row. What the tile has beyond the row must not count, so it
is read as minus infinity: `ph.load(slice, other=...)` says what elements outside the tensor are. No maximum sees it, its exponential is 0, and it is
not stored. Short rows go several to a block, so that each has some thousands of numbers to read at once; ROWS and COLUMNS are
constants that the launch gives, below in `softmax`. `ph.rowmax` and `ph.rowsum` keep the reduced axis, as `keepdims=True` does.

*Longer rows.* Registers hold some ten thousand numbers a block. A row beyond that is walked over in turns, and the maximum is known only after
the last. Must the sum of exponentials then wait for another walk? No: what has been summed under one maximum can be put under a
greater one afterwards, by one multiplication:

    sum(exp(x - new)) = sum(exp(x - old)) * exp(old - new)

So one loop carries two numbers, the maximum so far and the sum under it, and corrects the sum whenever the maximum grows. That is the **on-line
softmax**, which attention uses too. A second loop reads the row again, much of it from the L2 cache, and writes: 2 MN read and MN
written. The maximum begins at the least finite f32 and not at minus infinity, because a turn of nothing but minus infinity (masks do that) would give exp(-inf + inf), a NaN.
A row of nothing but minus infinity is NaN at the end all the same, 0 / 0, as NumPy and torch have it.

*Types.* What a kernel takes stands in its signature, so there is one kernel for f32 and one for f16. What they do is said once, in a device function
(`@ph.fn`): it is inlined where it is called, for whatever it is called with. All arithmetic is in f32; f16 is widened when it is
read and rounded once, when it is stored.

The check compares with torch's softmax of the same numbers as float64, at lengths that fill their tiles and lengths that do not, with minus infinities
strewn in.
"""

from __future__ import annotations

import phobos.lang as ph

LOWEST = -3.4028234663852886e38  # the least finite f32


@ph.fn
def softmax_of_tile(x, y, ROWS, COLUMNS):
    row: ph.let = ph.ctx.block.x * ROWS
    t: ph.let = ph.f32(ph.load(x[row:+ROWS, 0:+COLUMNS], other=-float("inf")))
    e: ph.let = ph.exp(t - ph.rowmax(t))
    # One division a row, and a multiplication for each of its numbers.
    y[row:+ROWS, 0:+COLUMNS] = e * (1.0 / ph.rowsum(e))


@ph.kernel
@ph.autotune(ROWS=[4], COLUMNS=[1024])
@ph.launch(256)
def softmax_f32(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N]):
    softmax_of_tile(x, y, ROWS, COLUMNS)


@ph.kernel
@ph.autotune(ROWS=[4], COLUMNS=[1024])
@ph.launch(256)
def softmax_f16(x: ph.tensor[ph.f16][M, N], y: ph.tensor[ph.f16][M, N]):
    softmax_of_tile(x, y, ROWS, COLUMNS)


@ph.fn
def softmax_in_turns(x, y, COLUMNS):
    row: ph.let = ph.ctx.block.x
    most: ph.var = LOWEST
    total: ph.var = 0.0
    for column in range(0, x.shape[1], COLUMNS):
        t: ph.let = ph.f32(ph.load(x[row, column:+COLUMNS], other=-float("inf")))
        new: ph.let = ph.max(most, ph.max(t))
        total = total * ph.exp(most - new) + ph.sum(ph.exp(t - new))
        most = new
    scale: ph.let = 1.0 / total
    for column in range(0, x.shape[1], COLUMNS):
        y[row, column:+COLUMNS] = ph.exp(ph.f32(x[row, column:+COLUMNS]) - most) * scale


TURN = 4096


@ph.kernel
@ph.launch(256)
def softmax_long_f32(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N]):
    softmax_in_turns(x, y, TURN)


@ph.kernel
@ph.launch(256)
def softmax_long_f16(x: ph.tensor[ph.f16][M, N], y: ph.tensor[ph.f16][M, N]):
    softmax_in_turns(x, y, TURN)


WHOLE = 8192  # the longest row that is kept in registers: 32 numbers a thread


def softmax(torch, x):
    """The softmax of each row of a matrix of f32 or f16."""
    m, n = x.shape
    y = torch.full_like(x, float("nan"))
    half = x.dtype == torch.float16
    if n > WHOLE:
        (softmax_long_f16 if half else softmax_long_f32)[m](x, y)
    else:
        columns = max(64, 1 << (n - 1).bit_length())
        rows = max(1, 4096 // columns)
        (softmax_f16 if half else softmax_f32)[-(-m // rows)](x, y, ROWS=rows, COLUMNS=columns)
    return y


def check(torch):
    torch.manual_seed(0)
    shapes = ((18, 1000), (5, 9001), (100, 50), (70, 64), (9, 333), (4, 2048), (3, 8000), (2, 2 * TURN + 8), (2, 1), (1, 12345))
    wrong, largest = [], 0.0
    for m, n in shapes:
        # Rows of which many numbers are far from 0, so that exp(x) itself would overflow.
        numbers = 40 * torch.randn((m, n), device="cuda") + 100
        holes = torch.rand((m, n), device="cuda") < 0.2
        holes[:, n // 2] = False
        if m > 1:
            holes[0, : n - 1] = True  # at least a turn of nothing else
            holes[m - 1, :] = n > 1  # a whole row: NaN
        numbers[holes] = -float("inf")
        for dtype, tolerance in ((torch.float32, 1e-5), (torch.float16, 1e-3)):
            x = numbers.to(dtype)
            got = softmax(torch, x)
            torch.cuda.synchronize()
            want = torch.softmax(x.double(), 1)
            # What is near 0 in f16 lies between subnormals, 6e-8 apart.
            if not torch.allclose(got.double(), want, rtol=tolerance, atol=6e-8, equal_nan=True):
                wrong.append(f"{m} x {n} {dtype}")
            difference = torch.where(torch.isnan(want), torch.zeros_like(want), (got.double() - want).abs())
            largest = max(largest, difference.max().item())
    of = 2 * len(shapes)
    verdict = f"{of - len(wrong)} of {of} matrices, max |torch - phobos| = {largest:.3g}"
    return not wrong, verdict + "".join(f"; wrong: {each}" for each in wrong)
