"""Tutorial 05, layer norm, forward and backward: each row is brought to mean 0 and variance 1, then scaled and shifted column by column.

Read t02 first. In NumPy, for x of M x N and weight and bias of N,

    mean = x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axis=1, keepdims=True) + eps)
    y = (x - mean) * rstd * weight + bias

*Forward.* As the softmax of t02, a block holds ROWS whole rows in a tile of ROWS x COLUMNS, so that x is read once for all three lines. What the
tile has beyond the row reads as 0, which is right for the sum, but not for the sum of squares: there x - mean is -mean. `ph.iota(COLUMNS)` numbers
the columns, `ph.where` puts zeros back. The variance is summed from differences, as above; `(x * x).mean() - mean * mean` would save nothing here,
where x is at hand, and loses all digits where the mean is large beside the spread. Mean and 1 / deviation are two numbers a row, kept for the way back.

*Backward.* Given dy, the gradient of some loss by y, and n = (x - mean) * rstd, the normalised row,

    g  = dy * weight
    dx = (g - g.mean(axis=1) - n * (g * n).mean(axis=1)) * rstd          # both means keep their axis
    dweight = (dy * n).sum(axis=0)
    dbias = dy.sum(axis=0)

dx goes row by row, like the forward pass: changing one x moves its own y, and through mean and variance all of its row; the two
means are that. dweight and dbias go the other way, down the columns, and no block has all the rows.

All three need dy and n, so they should read x and dy together, once. The first kernel gives each block a group of rows: it walks over
them, ROWS at a time, writes their dx, and adds dy * n and dy to two tiles that stay in registers. At the end it stores its two partial sums
as one row of a workspace of f32, `parts[0]` and `parts[1]`, each GROUPS x N. The second kernel adds up the workspace's rows. There are some
hundreds of groups, enough to fill a GPU, so the workspace is small beside x and most of it still in the L2 cache when it is read.

The obvious other way is one kernel, in which every block adds its sums to dweight and dbias with `ph.atomic_add`. It saves the second launch, but
then the order of the additions is the order in which blocks happen to finish, and f32 sums depend on their order: the same training run would
give other bits each time. Here every sum has one order, and a result is the same bits every time.

Rows of up to 8192 numbers are supported; longer ones would be walked over in turns, as t02 does.

The check compares with torch's layer_norm and its autograd, on the same numbers as float64.
"""

from __future__ import annotations

import phobos.lang as ph


@ph.fn
def normalise(x, weight, bias, y, mean, rstd, eps, ROWS, COLUMNS):
    row: ph.let = ph.ctx.block.x * ROWS
    length: ph.let = x.shape[1]
    # All reads stand first, so that they are on their way together: behind a sum, for which threads meet, they would only begin then.
    t: ph.let = ph.f32(x[row:+ROWS, 0:+COLUMNS])
    factor: ph.let = weight[0:+COLUMNS]
    shift: ph.let = bias[0:+COLUMNS]
    middle: ph.let = ph.rowsum(t) / length
    centred: ph.let = ph.where(ph.iota(COLUMNS) < length, t - middle, 0.0)
    scale: ph.let = ph.rsqrt(ph.rowsum(centred * centred) / length + eps)
    y[row:+ROWS, 0:+COLUMNS] = centred * scale * factor + shift
    mean[row:+ROWS] = ph.flat(middle)
    rstd[row:+ROWS] = ph.flat(scale)


@ph.kernel
@ph.autotune(ROWS=[4], COLUMNS=[1024])
@ph.launch(256)
def forward_f32(
    x: ph.tensor[ph.f32][M, N], weight: ph.tensor[ph.f32][N], bias: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][M, N],
    mean: ph.tensor[ph.f32][M], rstd: ph.tensor[ph.f32][M], eps: ph.f32,
):  # fmt: skip
    normalise(x, weight, bias, y, mean, rstd, eps, ROWS, COLUMNS)


@ph.kernel
@ph.autotune(ROWS=[4], COLUMNS=[1024])
@ph.launch(256)
def forward_f16(
    x: ph.tensor[ph.f16][M, N], weight: ph.tensor[ph.f16][N], bias: ph.tensor[ph.f16][N], y: ph.tensor[ph.f16][M, N],
    mean: ph.tensor[ph.f32][M], rstd: ph.tensor[ph.f32][M], eps: ph.f32,
):  # fmt: skip
    normalise(x, weight, bias, y, mean, rstd, eps, ROWS, COLUMNS)


@ph.fn
def gradients_of_group(x, weight, dy, mean, rstd, dx, parts, rows_a_group, ROWS, COLUMNS):
    group: ph.let = ph.ctx.block.x
    begin: ph.let = group * rows_a_group
    length: ph.let = x.shape[1]
    factor: ph.let = ph.f32(weight[0:+COLUMNS])
    dweight: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    dbias: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    # rows_a_group is a multiple of ROWS. Beyond the last row, and beyond the last column, dy is 0 and adds nothing to any sum.
    for row in range(begin, ph.min(begin + rows_a_group, x.shape[0]), ROWS):
        scale: ph.let = ph.expand(rstd[row:+ROWS], 1)
        n: ph.let = (x[row:+ROWS, 0:+COLUMNS] - ph.expand(mean[row:+ROWS], 1)) * scale
        d: ph.let = ph.f32(dy[row:+ROWS, 0:+COLUMNS])
        g: ph.let = d * factor
        dx[row:+ROWS, 0:+COLUMNS] = (g - ph.rowsum(g) / length - n * (ph.rowsum(g * n) / length)) * scale
        dweight += d * n
        dbias += d
    parts[0, group, 0:+COLUMNS] = ph.sum(dweight, axis=0)
    parts[1, group, 0:+COLUMNS] = ph.sum(dbias, axis=0)


@ph.kernel
@ph.autotune(ROWS=[2], COLUMNS=[1024])
@ph.launch(256)
def backward_f32(
    x: ph.tensor[ph.f32][M, N], weight: ph.tensor[ph.f32][N], dy: ph.tensor[ph.f32][M, N], mean: ph.tensor[ph.f32][M],
    rstd: ph.tensor[ph.f32][M], dx: ph.tensor[ph.f32][M, N], parts: ph.tensor[ph.f32][2, GROUPS, N], rows_a_group: ph.i32,
):  # fmt: skip
    gradients_of_group(x, weight, dy, mean, rstd, dx, parts, rows_a_group, ROWS, COLUMNS)


@ph.kernel
@ph.autotune(ROWS=[2], COLUMNS=[1024])
@ph.launch(256)
def backward_f16(
    x: ph.tensor[ph.f16][M, N], weight: ph.tensor[ph.f16][N], dy: ph.tensor[ph.f16][M, N], mean: ph.tensor[ph.f32][M],
    rstd: ph.tensor[ph.f32][M], dx: ph.tensor[ph.f16][M, N], parts: ph.tensor[ph.f32][2, GROUPS, N], rows_a_group: ph.i32,
):  # fmt: skip
    gradients_of_group(x, weight, dy, mean, rstd, dx, parts, rows_a_group, ROWS, COLUMNS)


TURN, WIDTH = 32, 64


@ph.fn
def sum_of_parts(parts, sums):
    which: ph.let = ph.ctx.block.y
    column: ph.let = ph.ctx.block.x * WIDTH
    total: ph.var[ph.tile[ph.f32][TURN, WIDTH]] = 0.0
    for group in range(0, parts.shape[1], TURN):
        total += parts[which, group:+TURN, column:+WIDTH]
    sums[which, column:+WIDTH] = ph.sum(total, axis=0)


@ph.kernel
@ph.launch(128)
def add_up_f32(parts: ph.tensor[ph.f32][2, GROUPS, N], sums: ph.tensor[ph.f32][2, N]):
    sum_of_parts(parts, sums)


@ph.kernel
@ph.launch(128)
def add_up_f16(parts: ph.tensor[ph.f32][2, GROUPS, N], sums: ph.tensor[ph.f16][2, N]):
    sum_of_parts(parts, sums)


def tile_of(n: int, elements: int) -> dict[str, int]:
    """The constants of a launch: rows and columns of a tile of about so many elements that holds rows of n."""
    if n > 8192:
        raise ValueError(f"rows of {n} numbers do not fit a tile")
    columns = max(64, 1 << (n - 1).bit_length())
    return {"ROWS": max(1, elements // columns), "COLUMNS": columns}


def layer_norm(torch, x, weight, bias, eps: float):
    """y, and what the backward pass needs of each row: its mean and 1 / deviation."""
    m, n = x.shape
    y = torch.full_like(x, float("nan"))
    mean, rstd = (torch.empty(m, device=x.device, dtype=torch.float32) for _ in range(2))
    kernel = forward_f16 if x.dtype == torch.float16 else forward_f32
    kernel[lambda meta: -(-meta["M"] // meta["ROWS"])](x, weight, bias, y, mean, rstd, eps, **tile_of(n, 4096))
    return y, mean, rstd


MOST_GROUPS, LEAST_TURNS = 256, 4


def layer_norm_backward(torch, x, weight, dy, mean, rstd):
    """dx, and dweight and dbias as the two rows of one array."""
    m, n = x.shape
    half = x.dtype == torch.float16
    tile = tile_of(n, 2048)
    # As many groups as there may be, of whole turns, and not so small that the workspace is as large as x.
    rows_a_group = max(LEAST_TURNS, -(-m // (MOST_GROUPS * tile["ROWS"]))) * tile["ROWS"]
    groups = -(-m // rows_a_group)
    dx = torch.full_like(x, float("nan"))
    parts = torch.full((2, groups, n), float("nan"), device=x.device, dtype=torch.float32)
    sums = torch.full((2, n), float("nan"), device=x.device, dtype=x.dtype)
    (backward_f16 if half else backward_f32)[groups](x, weight, dy, mean, rstd, dx, parts, rows_a_group, **tile)
    (add_up_f16 if half else add_up_f32)[-(-n // WIDTH), 2](parts, sums)
    return dx, sums


def check(torch):
    torch.manual_seed(0)
    eps = 1e-5
    shapes = ((25, 1000), (600, 72), (5, 64), (3, 8192), (33, 333), (7, 3001), (1, 1))
    wrong, largest = [], 0.0
    for m, n in shapes:
        for dtype, tolerance in ((torch.float32, 2e-5), (torch.float16, 2e-3)):
            # Rows with a mean well away from 0, and one row of one number, whose variance is 0.
            x, dy = ((torch.randn((m, n), device="cuda") + shift).to(dtype) for shift in (3.0, 0.0))
            x[m // 2, :] = 2.0
            weight, bias = ((torch.rand(n, device="cuda") + 0.5).to(dtype) for _ in range(2))
            y, mean, rstd = layer_norm(torch, x, weight, bias, eps)
            dx, sums = layer_norm_backward(torch, x, weight, dy, mean, rstd)
            torch.cuda.synchronize()
            exact = [each.double().requires_grad_() for each in (x, weight, bias)]
            want = torch.nn.functional.layer_norm(exact[0], (n,), exact[1], exact[2], eps)
            want.backward(dy.double())
            pairs = [(y, want), (dx, exact[0].grad), (sums[0], exact[1].grad), (sums[1], exact[2].grad)]
            for name, (got, expected) in zip(("y", "dx", "dweight", "dbias"), pairs):
                # Sums of many terms of either sign: errors are measured by the largest of the array.
                difference = ((got.double() - expected).abs().max() / expected.abs().max().clamp(min=1.0)).item()
                largest = max(largest, difference)
                if not difference <= tolerance:
                    wrong.append(f"{name} of {m} x {n} {dtype}: {difference:.3g}")
            again = layer_norm_backward(torch, x, weight, dy, mean, rstd)
            if not (torch.equal(dx, again[0]) and torch.equal(sums, again[1])):
                wrong.append(f"{m} x {n} {dtype}: other bits the second time")
    of = 2 * len(shapes)
    verdict = f"{of} matrices, y, dx, dweight and dbias of each, largest relative difference to torch {largest:.3g}"
    return not wrong, verdict + "".join(f"; wrong: {each}" for each in wrong)
