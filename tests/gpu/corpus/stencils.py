"""Kernels in which an element depends on its neighbours: convolutions, pooling, relaxation, images."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

ROWS, COLUMNS = 8, 32


@ph.kernel
@ph.launch(128)
def conv2d(
    x: ph.tensor[ph.f32][B, C, H, W],
    w: ph.tensor[ph.f32][F, C, R, S],
    y: ph.tensor[ph.f32][B, F, P, Q],
    stride: ph.const[ph.i32],
    padding: ph.i32,
):
    """A 2-D convolution by loops over channels and taps, one filter's tile a block. After FlagGems' conv2d and Triton-Puzzles 10."""
    b: ph.let = ph.ctx.block.z // F
    f: ph.let = ph.ctx.block.z % F
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    acc: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    for c in range(C):
        for r in range(R):
            for s in range(S):
                if stride == 1:
                    t = x[b, c, i + r - padding : +ROWS, j + s - padding : +COLUMNS]
                else:
                    # Every other element of twice as many.
                    wide = x[b, c, 2 * i + r - padding : +2 * ROWS, 2 * j + s - padding : +2 * COLUMNS]
                    left, right = ph.split(ph.reshape(wide, 2 * ROWS, COLUMNS, 2))
                    t, low = ph.split(ph.transpose(ph.reshape(left, ROWS, 2, COLUMNS), 0, 2, 1))
                acc += w[f, c, r, s] * t
    y[b, f, i:+ROWS, j:+COLUMNS] = acc


@case(conv2d, (1, 2, 16, 32, 2, 3, 3, 1, 1), (2, 3, 13, 21, 2, 3, 2, 1, 0), (1, 2, 19, 40, 3, 3, 3, 2, 1))
def check_conv2d(given, b, c, h, width, f, r, s, stride, padding):
    x, w = given.normal(b, c, h, width), given.normal(f, c, r, s)
    want = given.torch.nn.functional.conv2d(exact(x), exact(w), stride=stride, padding=padding)
    y = given.out(*want.shape)
    conv2d[cdiv(y.shape[3], COLUMNS), cdiv(y.shape[2], ROWS), b * f](x, w, y, stride, padding)
    return [(y, want, 1e-5)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def conv2d_channels_last(
    x: ph.tensor[ph.f16][B, H, W, C], w: ph.tensor[ph.f16][R, S, C, F], y: ph.tensor[ph.f16][B, P, Q, F]
):
    """A 2-D convolution with channels last, a product for each tap. After tilelang's example_convolution.py and Triton's 13-conv-im2col."""
    b: ph.let = ph.ctx.block.z
    i: ph.let = ph.ctx.block.y
    j: ph.let = ph.ctx.block.x * 16
    acc: ph.var[ph.tile[ph.f32][16, 32]] = 0.0
    for r in range(R):
        for s in range(S):
            for c in range(0, C, 16):
                acc += ph.dot(x[b, i + r, j + s : +16, c:+16], w[r, s, c:+16, 0:+32])
    y[b, i, j:+16, 0:+32] = acc


@case(conv2d_channels_last, (1, 6, 18, 16, 32, 3, 3), (2, 5, 24, 20, 27, 2, 3))
def check_conv2d_channels_last(given, b, h, width, c, f, r, s):
    x, w = given.normal(b, h, width, c, dtype="f16"), given.normal(r, s, c, f, dtype="f16")
    y = given.out(b, h - r + 1, width - s + 1, f, dtype="f16")
    conv2d_channels_last[cdiv(y.shape[2], 16), y.shape[1], b](x, w, y)
    want = given.torch.nn.functional.conv2d(exact(x).permute(0, 3, 1, 2), exact(w).permute(3, 2, 0, 1))
    return [(y, want.permute(0, 2, 3, 1), 1e-3)]


@ph.kernel
@ph.launch(128)
def causal_conv1d(
    x: ph.tensor[ph.f16][B, D, T], w: ph.tensor[ph.f32][D, 4], bias: ph.tensor[ph.f32][D], y: ph.tensor[ph.f16][B, D, T]
):
    """A depthwise convolution that looks back, with silu. After Helion's and Dao's causal_conv1d."""
    b: ph.let = ph.ctx.block.z
    d: ph.let = ph.ctx.block.y * 8
    t: ph.let = ph.ctx.block.x * 64
    acc: ph.var[ph.tile[ph.f32][8, 64]] = 0.0
    for tap in ph.unroll(4):
        acc += w[d:+8, tap][:, None] * ph.f32(x[b, d:+8, t + tap - 3 : +64])
    y[b, d:+8, t:+64] = ph.std.silu(acc + bias[d:+8][:, None])


@case(causal_conv1d, (1, 8, 128), (2, 11, 90))
def check_causal_conv1d(given, b, d, t):
    x, w, bias, y = (
        given.normal(b, d, t, dtype="f16"),
        given.normal(d, 4),
        given.normal(d),
        given.out(b, d, t, dtype="f16"),
    )
    causal_conv1d[cdiv(t, 64), cdiv(d, 8), b](x, w, bias, y)
    f = given.torch.nn.functional
    return [(y, f.silu(f.conv1d(exact(x), exact(w)[:, None], exact(bias), padding=3, groups=d)[..., :t]), 1e-3)]


@ph.kernel
@ph.launch(64)
def conv1d_update(
    x: ph.tensor[ph.f32][B, D],
    state: ph.tensor[ph.f32][B, D, 4],
    w: ph.tensor[ph.f32][D, 4],
    y: ph.tensor[ph.f32][B, D],
):
    """One step of a causal convolution: the state moves on by one and takes the new input. After Mamba's causal_conv1d_update."""
    b: ph.let = ph.ctx.block.y
    d: ph.let = ph.ctx.block.x * 16
    moved = ph.where((ph.iota(4) < 3)[None, :], state[b, d:+16, 1:+4], x[b, d:+16][:, None])
    state[b, d:+16, :] = moved
    y[b, d:+16] = ph.sum(moved * w[d:+16, :], axis=1)


@case(conv1d_update, (2, 16), (3, 25))
def check_conv1d_update(given, b, d):
    x, state, w, y = given.normal(b, d), given.normal(b, d, 4), given.normal(d, 4), given.out(b, d)
    want = given.torch.cat([exact(state)[..., 1:], exact(x)[..., None]], -1)
    conv1d_update[cdiv(d, 16), b](x, state, w, y)
    return [(state, want, 0), (y, (want * exact(w)).sum(-1), 1e-6)]


@ph.kernel
@ph.launch(128)
def max_pool2d(x: ph.tensor[ph.f32][C, H, W], y: ph.tensor[ph.f32][C, P, Q], places: ph.tensor[ph.i32][C, P, Q]):
    """The greatest of 2 by 2 elements and where it is. After torch's max_pool2d with indices."""
    c: ph.let = ph.ctx.block.z
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    t = ph.load(x[c, 2 * i : +2 * ROWS, 2 * j : +2 * COLUMNS], other=-float("inf"))
    windows = ph.reshape(ph.transpose(ph.reshape(t, ROWS, 2, COLUMNS, 2), 0, 2, 1, 3), ROWS, COLUMNS, 4)
    y[c, i:+ROWS, j:+COLUMNS] = ph.max(windows, axis=2)
    at = ph.i32(ph.argmax(windows, axis=2))
    row = 2 * (i + ph.iota(ROWS, ph.i32))[:, None] + at // 2
    column = 2 * (j + ph.iota(COLUMNS, ph.i32))[None, :] + at % 2
    places[c, i:+ROWS, j:+COLUMNS] = row * W + column


@case(max_pool2d, (1, 32, 64), (2, 22, 50))
def check_max_pool2d(given, c, h, w):
    x, y, places = given.normal(c, h, w), given.out(c, h // 2, w // 2), given.out(c, h // 2, w // 2, dtype="i32")
    max_pool2d[cdiv(w // 2, COLUMNS), cdiv(h // 2, ROWS), c](x, y, places)
    want = given.torch.nn.functional.max_pool2d(exact(x)[None], 2, return_indices=True)
    return [(y, want[0][0], 0), (places, want[1][0], 0)]


@ph.kernel
@ph.launch(128)
def avg_pool2d(x: ph.tensor[ph.f32][C, H, W], y: ph.tensor[ph.f32][C, H, W]):
    """The mean of 3 by 3 elements; at edges of those that are there. After FlagGems' avg_pool2d."""
    c: ph.let = ph.ctx.block.z
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    total: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    for r in ph.unroll(3):
        for s in ph.unroll(3):
            total += x[c, i + r - 1 : +ROWS, j + s - 1 : +COLUMNS]
    row = i + ph.iota(ROWS)
    column = j + ph.iota(COLUMNS)
    rows = ph.min(row + 2, H) - ph.max(row - 1, 0)
    columns = ph.min(column + 2, W) - ph.max(column - 1, 0)
    y[c, i:+ROWS, j:+COLUMNS] = total / ph.f32(rows[:, None] * columns[None, :])


@case(avg_pool2d, (1, 8, 32), (2, 13, 41))
def check_avg_pool2d(given, c, h, w):
    x, y = given.normal(c, h, w), given.out(c, h, w)
    avg_pool2d[cdiv(w, COLUMNS), cdiv(h, ROWS), c](x, y)
    return [(y, given.torch.nn.functional.avg_pool2d(exact(x), 3, 1, 1, count_include_pad=False), 1e-6)]


@ph.kernel
@ph.launch(128)
def jacobi(
    u: ph.tensor[ph.f64][H, W],
    f: ph.tensor[ph.f64][H, W],
    v: ph.tensor[ph.f64][H, W],
    change: ph.tensor[ph.f64][1],
    h2: ph.f64,
):
    """A Jacobi step for Poisson's equation in f64, the edge kept, and its residual. After the Jacobi solvers of the CUDA samples and of Taichi programs."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    old = u[i:+ROWS, j:+COLUMNS]
    around = (
        u[i - 1 : +ROWS, j:+COLUMNS]
        + u[i + 1 : +ROWS, j:+COLUMNS]
        + u[i:+ROWS, j - 1 : +COLUMNS]
        + u[i:+ROWS, j + 1 : +COLUMNS]
    )
    row = (i + ph.iota(ROWS))[:, None]
    column = (j + ph.iota(COLUMNS))[None, :]
    inside = (row > 0) & (row < H - 1) & (column > 0) & (column < W - 1)
    new = ph.where(inside, 0.25 * (around - h2 * f[i:+ROWS, j:+COLUMNS]), old)
    v[i:+ROWS, j:+COLUMNS] = new
    ph.atomic_add(change[0], ph.sum((new - old) * (new - old)))


@case(jacobi, (16, 64), (21, 45))
def check_jacobi(given, h, w):
    u, f, v = (given.normal(h, w, dtype="f64") for _ in range(3))
    change = given.zeros(1, dtype="f64")
    jacobi[cdiv(w, COLUMNS), cdiv(h, ROWS)](u, f, v, change, 0.5)
    a, want = exact(u), exact(u).clone()
    want[1:-1, 1:-1] = (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - 0.5 * exact(f)[1:-1, 1:-1]) / 4
    return [(v, want, 1e-14), (change, (want - a).square().sum().view(1), 1e-13)]


@ph.kernel
@ph.launch(128)
def heat3d(u: ph.tensor[ph.f32][D, H, W], v: ph.tensor[ph.f32][D, H, W], rate: ph.f32):
    """A step of heat flow in three dimensions, around a torus. After Devito's seven-point stencils."""
    d: ph.let = ph.ctx.block.z
    i: ph.let = ph.ctx.block.y * 4
    j: ph.let = ph.ctx.block.x * COLUMNS
    here = u[d, i:+4, j:+COLUMNS]
    total: ph.var = u[(d + 1) % D, i:+4, j:+COLUMNS] + u[(d - 1) % D, i:+4, j:+COLUMNS] - 6 * here
    row = (i + ph.iota(4))[:, None]
    column = (j + ph.iota(COLUMNS))[None, :]
    total += ph.where(row == H - 1, u[d, 0, j:+COLUMNS][None, :], u[d, i + 1 : +4, j:+COLUMNS])
    total += ph.where(row == 0, u[d, H - 1, j:+COLUMNS][None, :], u[d, i - 1 : +4, j:+COLUMNS])
    total += ph.where(column == W - 1, u[d, i:+4, 0][:, None], u[d, i:+4, j + 1 : +COLUMNS])
    total += ph.where(column == 0, u[d, i:+4, W - 1][:, None], u[d, i:+4, j - 1 : +COLUMNS])
    v[d, i:+4, j:+COLUMNS] = here + rate * total


@case(heat3d, (3, 8, 64), (4, 7, 45))
def check_heat3d(given, d, h, w):
    u, v = given.normal(d, h, w), given.out(d, h, w)
    heat3d[cdiv(w, COLUMNS), cdiv(h, 4), d](u, v, 0.125)
    a = exact(u)
    around = sum(a.roll(by, axis) for by in (1, -1) for axis in range(3))
    return [(v, a + 0.125 * (around - 6 * a), 1e-6)]


@ph.kernel
@ph.launch(128)
def life(a: ph.tensor[ph.u8][H, W], b: ph.tensor[ph.u8][H, W]):
    """A turn of the game of life. After Taichi's game_of_life.py."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    around: ph.var[ph.tile[ph.u8][ROWS, COLUMNS]] = 0
    for r in ph.unroll(-1, 2):
        for s in ph.unroll(-1, 2):
            if r != 0 or s != 0:
                around += a[i + r : +ROWS, j + s : +COLUMNS]
    b[i:+ROWS, j:+COLUMNS] = (around == 3) | ((around == 2) & (a[i:+ROWS, j:+COLUMNS] == 1))


@case(life, (16, 32), (19, 50))
def check_life(given, h, w):
    a, b = given.integers(0, 2, h, w, dtype="u8"), given.out(h, w, dtype="u8")
    life[cdiv(w, COLUMNS), cdiv(h, ROWS)](a, b)
    around = given.torch.nn.functional.conv2d(exact(a)[None, None], given.torch.ones(1, 1, 3, 3).double(), padding=1)[
        0, 0
    ] - exact(a)
    return [(b, ((around == 3) | ((around == 2) & (exact(a) == 1))).to(given.torch.uint8), 0)]


@ph.kernel
@ph.launch(128)
def sobel(image: ph.tensor[ph.u8][H, W, 3], edges: ph.tensor[ph.u8][H, W]):
    """Edges of the grey values of a picture, cut off at 255. After the Sobel steps of Halide's harris."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    x: ph.var[ph.tile[ph.i32][ROWS, COLUMNS]] = 0
    y: ph.var[ph.tile[ph.i32][ROWS, COLUMNS]] = 0
    for r in ph.unroll(-1, 2):
        for s in ph.unroll(-1, 2):
            red = ph.i32(image[i + r : +ROWS, j + s : +COLUMNS, 0])
            green = ph.i32(image[i + r : +ROWS, j + s : +COLUMNS, 1])
            blue = ph.i32(image[i + r : +ROWS, j + s : +COLUMNS, 2])
            grey = (77 * red + 150 * green + 29 * blue) >> 8
            x += s * (2 - r * r) * grey
            y += r * (2 - s * s) * grey
    edges[i:+ROWS, j:+COLUMNS] = ph.u8(ph.min(ph.sqrt(ph.f32(x * x + y * y)), 255.0))


@case(sobel, (16, 32), (11, 45))
def check_sobel(given, h, w):
    image, edges, torch = given.integers(0, 256, h, w, 3, dtype="u8"), given.out(h, w, dtype="u8"), given.torch
    sobel[cdiv(w, COLUMNS), cdiv(h, ROWS)](image, edges)
    grey = (exact(image) @ torch.tensor([77.0, 150, 29]).double() / 256).floor()
    across = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]).double()
    x, y = (torch.nn.functional.conv2d(grey[None, None], t[None, None], padding=1)[0, 0] for t in (across, across.t()))
    return [(edges, (x * x + y * y).sqrt().clamp(max=255).floor().to(torch.uint8), 0)]


@ph.kernel
@ph.launch(128)
def upsample_bilinear(x: ph.tensor[ph.f32][C, H, W], y: ph.tensor[ph.f32][C, H2, W2]):
    """Twice the size by bilinear interpolation: four mixes of neighbours, interleaved. After FlagGems' upsample_bilinear2d."""
    c: ph.let = ph.ctx.block.z
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    # At an edge the neighbour is the element itself.
    row = (i + ph.iota(ROWS))[:, None]
    column = (j + ph.iota(COLUMNS))[None, :]
    here = x[c, i:+ROWS, j:+COLUMNS]
    left = ph.where(column == 0, here, x[c, i:+ROWS, j - 1 : +COLUMNS])
    right = ph.where(column == W - 1, here, x[c, i:+ROWS, j + 1 : +COLUMNS])
    over = ph.where(row == 0, here, x[c, i - 1 : +ROWS, j:+COLUMNS])
    over_left = ph.where(row == 0, left, ph.where(column == 0, over, x[c, i - 1 : +ROWS, j - 1 : +COLUMNS]))
    over_right = ph.where(row == 0, right, ph.where(column == W - 1, over, x[c, i - 1 : +ROWS, j + 1 : +COLUMNS]))
    under = ph.where(row == H - 1, here, x[c, i + 1 : +ROWS, j:+COLUMNS])
    under_left = ph.where(row == H - 1, left, ph.where(column == 0, under, x[c, i + 1 : +ROWS, j - 1 : +COLUMNS]))
    under_right = ph.where(row == H - 1, right, ph.where(column == W - 1, under, x[c, i + 1 : +ROWS, j + 1 : +COLUMNS]))
    middle_even = 0.25 * left + 0.75 * here
    middle_odd = 0.25 * right + 0.75 * here
    top = ph.join(
        0.25 * (0.25 * over_left + 0.75 * over) + 0.75 * middle_even,
        0.25 * (0.25 * over_right + 0.75 * over) + 0.75 * middle_odd,
    )
    low = ph.join(
        0.25 * (0.25 * under_left + 0.75 * under) + 0.75 * middle_even,
        0.25 * (0.25 * under_right + 0.75 * under) + 0.75 * middle_odd,
    )
    both = ph.transpose(ph.join(ph.reshape(top, ROWS, 2 * COLUMNS), ph.reshape(low, ROWS, 2 * COLUMNS)), 0, 2, 1)
    y[c, 2 * i : +2 * ROWS, 2 * j : +2 * COLUMNS] = ph.reshape(both, 2 * ROWS, 2 * COLUMNS)


@case(upsample_bilinear, (1, 8, 32), (2, 11, 37))
def check_upsample_bilinear(given, c, h, w):
    x, y = given.normal(c, h, w), given.out(c, 2 * h, 2 * w)
    upsample_bilinear[cdiv(w, COLUMNS), cdiv(h, ROWS), c](x, y)
    want = given.torch.nn.functional.interpolate(exact(x)[None], scale_factor=2, mode="bilinear", align_corners=False)
    return [(y, want[0], 1e-6)]


@ph.kernel
@ph.launch(64)
def pixel_shuffle(x: ph.tensor[ph.f16][C, 2, 2, H, W], y: ph.tensor[ph.f16][C, H2, W2]):
    """Four channels become the four places of a pixel: a tile of five dimensions, transposed. After torch's pixel_shuffle."""
    c: ph.let = ph.ctx.block.z
    i: ph.let = ph.ctx.block.y * 4
    j: ph.let = ph.ctx.block.x * 16
    t = ph.transpose(x[c:+1, :, :, i:+4, j:+16], 0, 3, 1, 4, 2)
    y[c, 2 * i : +8, 2 * j : +32] = ph.reshape(t, 8, 32)


@case(pixel_shuffle, (1, 8, 32), (2, 5, 21))
def check_pixel_shuffle(given, c, h, w):
    x, y = given.normal(c, 2, 2, h, w, dtype="f16"), given.out(c, 2 * h, 2 * w, dtype="f16")
    pixel_shuffle[cdiv(w, 16), cdiv(h, 4), c](x, y)
    return [(y, given.torch.nn.functional.pixel_shuffle(exact(x).view(1, 4 * c, h, w), 2)[0], 0)]
