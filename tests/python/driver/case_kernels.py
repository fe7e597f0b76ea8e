"""Kernels for the cases of launches: arguments that nothing depends on, and a space to be tuned that can grow."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def none():
    pass


@ph.kernel
def five(a: ph.tensor[ph.f32][N], b: ph.tensor[ph.f32][N], c: ph.tensor[ph.f32][N], x: ph.f32, n: ph.i32):
    pass


@ph.kernel
def twenty(
    a: ph.tensor[ph.f32][N], b: ph.tensor[ph.f32][N], c: ph.tensor[ph.f32][N], d: ph.tensor[ph.f32][N], e: ph.tensor[ph.f32][N],
    f: ph.tensor[ph.f32][N], g: ph.tensor[ph.f32][N], h: ph.tensor[ph.f32][N], i: ph.tensor[ph.f32][N], j: ph.tensor[ph.f32][N],
    k: ph.i32, l: ph.i32, m: ph.i32, n: ph.i32, o: ph.i32, p: ph.f32, q: ph.f32, r: ph.f32, s: ph.f32, t: ph.f32,
):  # fmt: skip
    pass


@ph.kernel
def scalars(a: ph.tensor[ph.f32][N], n: ph.i32, unused: ph.i32, x: ph.f32):
    for i in range(0, n, 64):
        a[i:+64] = x


@ph.kernel
@ph.autotune(TILE=[64, 128, 256])
def narrow(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * TILE
    x[start:+TILE] = x[start:+TILE] + 1.0


looks = []


def look(*arguments, **constants):
    looks.append(arguments)


@ph.kernel(reference=look)
@ph.autotune(TILE=[64, 128, 256])
def looked_at(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * TILE
    x[start:+TILE] = x[start:+TILE] + 1.0


@ph.kernel
@ph.autotune(TILE=[64, 128, 256, 512])
def wide(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * TILE
    x[start:+TILE] = x[start:+TILE] + 1.0


@ph.kernel
def wrong(x: ph.tensor[ph.f32][N]):
    x[0:+64] = y
