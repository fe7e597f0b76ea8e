"""Pictures, boxes, rays and lattices."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

ROWS, COLUMNS = 8, 32


@ph.fn
def ordered(a, b):
    return ph.min(a, b), ph.max(a, b)


@ph.fn
def middle_of_three(a, b, c):
    return ph.max(ph.min(a, b), ph.min(ph.max(a, b), c))


@ph.fn
def sorted_column(x, i, j):
    a, b = ordered(x[i - 1 : +ROWS, j:+COLUMNS], x[i:+ROWS, j:+COLUMNS])
    b, c = ordered(b, x[i + 1 : +ROWS, j:+COLUMNS])
    a, b = ordered(a, b)
    return a, b, c


@ph.kernel
@ph.launch(128)
def median(x: ph.tensor[ph.i16][H, W], y: ph.tensor[ph.i16][H, W]):
    """The median of 3 by 3 elements from sorted columns. After OpenCV's and cuCIM's median filters."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    low0, middle0, high0 = sorted_column(x, i, j - 1)
    low1, middle1, high1 = sorted_column(x, i, j)
    low2, middle2, high2 = sorted_column(x, i, j + 1)
    lows = ph.max(low0, ph.max(low1, low2))
    highs = ph.min(high0, ph.min(high1, high2))
    y[i:+ROWS, j:+COLUMNS] = middle_of_three(lows, middle_of_three(middle0, middle1, middle2), highs)


@case(median, (16, 32), (21, 45))
def check_median(given, h, w):
    x, y = given.integers(-(2**15), 2**15, h, w, dtype="i16"), given.out(h, w, dtype="i16")
    median[cdiv(w, COLUMNS), cdiv(h, ROWS)](x, y)
    around = given.torch.nn.functional.unfold(exact(x)[None, None], 3, padding=1)
    return [(y, around.median(1).values.view(h, w).to(x.dtype), 0)]


@ph.kernel
@ph.launch(64)
def integral_image(x: ph.tensor[ph.f32][H, W], y: ph.tensor[ph.f64][H, W]):
    """Sums over all that is above and to the left, in f64, in one walk of strips. After OpenCV's and NPP's integral images."""
    for i in range(0, H, ROWS):
        left: ph.var[ph.tile[ph.f64][ROWS, 1]] = 0.0
        for j in range(0, W, COLUMNS):
            t = ph.cumsum(ph.cumsum(ph.f64(x[i:+ROWS, j:+COLUMNS]), 0), 1) + left
            left = ph.sum(ph.where((ph.iota(COLUMNS) == COLUMNS - 1)[None, :], t, 0.0), axis=1, keepdims=True)
            y[i:+ROWS, j:+COLUMNS] = t + y[i - 1 : +1, j:+COLUMNS]


@case(integral_image, (16, 64), (21, 75))
def check_integral_image(given, h, w):
    x, y = given.normal(h, w), given.out(h, w, dtype="f64")
    integral_image[1](x, y)
    return [(y, exact(x).cumsum(0).cumsum(1), 1e-12)]


@ph.kernel
@ph.launch(128)
def overlap_mask(boxes: ph.tensor[ph.f32][N, 4], mask: ph.tensor[ph.i64][N, W], limit: ph.f32):
    """Which later boxes overlap each one too much, 32 to a word. After torchvision's NMS kernel and its Triton versions."""
    i: ph.let = ph.ctx.block.x * 8
    j: ph.let = ph.ctx.block.y * 32
    x0, y0 = boxes[i:+8, 0][:, None], boxes[i:+8, 1][:, None]
    x1, y1 = boxes[i:+8, 2][:, None], boxes[i:+8, 3][:, None]
    u0, v0, u1, v1 = boxes[j:+32, 0], boxes[j:+32, 1], boxes[j:+32, 2], boxes[j:+32, 3]
    across = ph.max(ph.min(x1, u1) - ph.max(x0, u0), 0.0)
    down = ph.max(ph.min(y1, v1) - ph.max(y0, v0), 0.0)
    both = across * down
    either = (x1 - x0) * (y1 - y0) + (u1 - u0) * (v1 - v0) - both
    column = (j + ph.iota(32))[None, :]
    hit = (both > limit * either) & (column > (i + ph.iota(8))[:, None]) & (column < N)
    mask[i:+8, ph.ctx.block.y : +1] = ph.sum(ph.i64(hit) << ph.i64(ph.iota(32)), axis=1, keepdims=True)


@ph.kernel
@ph.launch(32)
def keep_boxes(mask: ph.tensor[ph.i64][N, W], kept: ph.tensor[ph.bool][N]):
    """Boxes one by one: those that are kept rule out what they overlap. After torchvision's gather_keep_from_mask."""
    gone: ph.var[ph.tile[ph.i64][8]] = 0
    for i in range(N):
        word = ph.sum(ph.where(ph.iota(8) == i // 32, gone, 0))
        keep = (word >> ph.i64(i % 32)) & 1 == 0
        kept[i] = keep
        if keep:
            gone = gone | mask[i, 0:+8]


@case(keep_boxes, (64, 0.3), (85, 0.5))
def check_keep_boxes(given, n, limit):
    corner, size = given.uniform(n, 2), given.uniform(n, 2, low=0.1, high=0.5)
    boxes = given.torch.cat([corner, corner + size], 1)
    mask, kept = given.out(n, cdiv(n, 32), dtype="i64"), given.out(n, dtype="bool")
    overlap_mask[cdiv(n, 8), cdiv(n, 32)](boxes, mask, limit)
    keep_boxes[1](mask, kept)
    low, high = exact(boxes).split(2, 1)
    both = (given.torch.min(high[:, None], high) - given.torch.max(low[:, None], low)).clamp(min=0).prod(2)
    area = (high - low).prod(1)
    over = both > limit * (area[:, None] + area - both)
    want = given.torch.ones(n).bool()
    for i in range(n):
        if want[i]:
            want[i + 1 :] &= ~over[i, i + 1 :]
    return [(kept, want, 0)]


@ph.fn
def distance(x, y, z):
    """To a torus, whose middle is the origin."""
    ring: ph.let = ph.sqrt(x * x + z * z) - 1.0
    return ph.sqrt(ring * ring + y * y) - 0.4


@ph.kernel
@ph.launch(128)
def ray_march(depth: ph.tensor[ph.f32][H, W], steps: ph.i32):
    """How far rays go until they meet a surface, by steps as long as they may be. After Taichi's sdf_renderer.py and Warp's example_raymarch.py."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    dx = ((ph.f32(j + ph.iota(COLUMNS)) + 0.5) / W - 0.5)[None, :] + ph.zeros((ROWS, 1))
    dy = ((ph.f32(i + ph.iota(ROWS)) + 0.5) / H - 0.5)[:, None] + ph.zeros((1, COLUMNS))
    scale = ph.rsqrt(dx * dx + dy * dy + 1)
    dx, dy, dz = dx * scale, dy * scale, scale
    t: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    for step in range(steps):
        d = distance(t * dx, t * dy + 0.6, t * dz - 3)
        t += ph.where(t < 10.0, d, 0.0)
        if ph.all((d < 0.0001) | (t >= 10.0)):
            break
    depth[i:+ROWS, j:+COLUMNS] = ph.min(t, 10.0)


@case(ray_march, (16, 32), (21, 45))
def check_ray_march(given, h, w):
    depth, torch = given.out(h, w), given.torch
    ray_march[cdiv(w, COLUMNS), cdiv(h, ROWS)](depth, 80)
    dy, dx = torch.meshgrid(
        (torch.arange(h).double() + 0.5) / h - 0.5, (torch.arange(w).double() + 0.5) / w - 0.5, indexing="ij"
    )
    scale = (dx * dx + dy * dy + 1).rsqrt()
    t = torch.zeros(h, w).double()
    for _ in range(80):
        x, y, z = t * dx * scale, t * dy * scale + 0.6, t * scale - 3
        d = (((x * x + z * z).sqrt() - 1).square() + y * y).sqrt() - 0.4
        t += torch.where(t < 10, d, 0 * d)
    # Rays that graze the surface may be decided either way.
    off = ~((exact(depth) - t.clamp(max=10)).abs() <= 5e-3)
    return [(off.double().mean(), torch.tensor(0.0), 0.01)]


@ph.kernel
@ph.launch(128)
def lattice_boltzmann(f: ph.tensor[ph.f32][9, H, W], g: ph.tensor[ph.f32][9, H, W], omega: ph.f32):
    """A step of a flow as nine streams, which move and collide; what leaves the box is lost. After Taichi's karman_vortex_street.py and XLB."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    density: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    across: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    down: ph.var[ph.tile[ph.f32][ROWS, COLUMNS]] = 0.0
    for q in ph.unroll(9):
        # Streams (0, 0), (0, 1), … (2, 2), less one each.
        t = f[q, i - (q // 3 - 1) : +ROWS, j - (q % 3 - 1) : +COLUMNS]
        density += t
        down += (q // 3 - 1) * t
        across += (q % 3 - 1) * t
    inverse = 1 / (density + 1e-6)
    u = across * inverse
    v = down * inverse
    for q in ph.unroll(9):
        weight = 4 / 9 if q == 4 else (1 / 9 if q % 2 == 1 else 1 / 36)
        along = (q % 3 - 1) * u + (q // 3 - 1) * v
        rest = density * weight * (1 + 3 * along + 4.5 * along * along - 1.5 * (u * u + v * v))
        t = f[q, i - (q // 3 - 1) : +ROWS, j - (q % 3 - 1) : +COLUMNS]
        g[q, i:+ROWS, j:+COLUMNS] = t + omega * (rest - t)


@case(lattice_boltzmann, (16, 32), (13, 45))
def check_lattice_boltzmann(given, h, w):
    torch = given.torch
    f, g = given.uniform(9, h, w), given.out(9, h, w)
    lattice_boltzmann[cdiv(w, COLUMNS), cdiv(h, ROWS)](f, g, 0.8)
    wide = torch.nn.functional.pad(exact(f), (1, 1, 1, 1))
    ways = [(q // 3 - 1, q % 3 - 1) for q in range(9)]
    t = torch.stack([wide[q, 1 - r : 1 - r + h, 1 - s : 1 - s + w] for q, (r, s) in enumerate(ways)])
    density = t.sum(0)
    v, u = (sum(way[axis] * t[q] for q, way in enumerate(ways)) / (density + 1e-6) for axis in (0, 1))
    want = []
    for q, (r, s) in enumerate(ways):
        along = s * u + r * v
        weight = {0: 4 / 9, 1: 1 / 9, 2: 1 / 36}[abs(r) + abs(s)]
        rest = density * weight * (1 + 3 * along + 4.5 * along**2 - 1.5 * (u**2 + v**2))
        want.append(t[q] + 0.8 * (rest - t[q]))
    return [(g, torch.stack(want), 1e-5)]


@ph.kernel
@ph.launch(64)
def hash_counts(keys: ph.tensor[ph.i32][N], table: ph.tensor[ph.i32][D, W]):
    """A count-min sketch: D hashes of each key in 32-bit arithmetic, counted by atomics. After cuCollections' MurmurHash3."""
    n: ph.let = ph.ctx.block.x
    for d in range(D):
        h: ph.var = ph.bitcast(keys[n], ph.u32) ^ ph.u32(d * 40503 + 1)
        h = (h ^ (h >> 16)) * ph.u32(0x85EBCA6B)
        h = (h ^ (h >> 13)) * ph.u32(0xC2B2AE35)
        h = h ^ (h >> 16)
        ph.atomic_add(table[d, h % ph.u32(W)], 1)


@case(hash_counts, (32, 2, 16), (45, 3, 11))
def check_hash_counts(given, n, d, w):
    keys, table = given.integers(-(2**31), 2**31, n, dtype="i64").int(), given.zeros(d, w, dtype="i32")
    hash_counts[n](keys, table)
    want = given.torch.zeros(d, w, dtype=given.torch.int32)
    for key in keys.tolist():
        for k in range(d):
            h = key & 0xFFFFFFFF ^ (k * 40503 + 1)
            h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
            h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
            want[k, (h ^ h >> 16) % w] += 1
    return [(table, want, 0)]


@ph.fn
def normal_share(x):
    """The distribution function of the normal distribution."""
    return 0.5 * (1 + ph.erf(x * 0.7071067811865476))


@ph.kernel
@ph.launch(128)
def black_scholes(
    price: ph.tensor[ph.f32][N],
    strike: ph.tensor[ph.f32][N],
    years: ph.tensor[ph.f32][N],
    call: ph.tensor[ph.f32][N],
    put: ph.tensor[ph.f32][N],
    rate: ph.f32,
    volatility: ph.f32,
):
    """Prices of European options. After Numba's and the CUDA samples' Black-Scholes."""
    at: ph.let = ph.ctx.block.x * 128
    s = price[at:+128]
    t = ph.load(years[at:+128], other=1.0)
    k = ph.load(strike[at:+128], other=1.0)
    spread = volatility * ph.sqrt(t)
    d1 = (ph.log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread
    d2 = d1 - spread
    present = k * ph.exp(-rate * t)
    call[at:+128] = s * normal_share(d1) - present * normal_share(d2)
    put[at:+128] = present * normal_share(-d2) - s * normal_share(-d1)


@case(black_scholes, (256,), (300,))
def check_black_scholes(given, n):
    price, strike, years = (given.uniform(n, low=low, high=high) for low, high in ((5, 30), (1, 100), (0.25, 10)))
    call, put = given.out(n), given.out(n)
    black_scholes[cdiv(n, 128)](price, strike, years, call, put, 0.02, 0.3)
    s, k, t = exact(price, strike, years)
    share = lambda x: 0.5 * (1 + given.torch.erf(x * 0.5**0.5))  # noqa: E731
    d1 = ((s / k).log() + (0.02 + 0.045) * t) / (0.3 * t.sqrt())
    d2, present = d1 - 0.3 * t.sqrt(), k * (-0.02 * t).exp()
    return [(call, s * share(d1) - present * share(d2), 1e-4), (put, present * share(-d2) - s * share(-d1), 1e-4)]
