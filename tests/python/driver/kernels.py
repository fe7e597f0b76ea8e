"""Kernels for the launch tests."""

from __future__ import annotations

import phobos.lang as ph

BLOCK = 1024


@ph.kernel
@ph.launch(256)
def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], z: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * BLOCK
    z[start:+BLOCK] = x[start:+BLOCK] + y[start:+BLOCK]


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32, shift: ph.i32):
    start: ph.let = ph.ctx.block.x * 256
    x[start:+256] = x[start:+256] * alpha + shift


@ph.kernel
@ph.autotune(TILE=[64, 128, 256])
def tuned(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * TILE
    x[start:+TILE] = x[start:+TILE] + 1.0


@ph.kernel
@ph.aligned(M=64)
def promised(x: ph.tensor[ph.f32][M, 8]):
    row: ph.let = ph.ctx.block.x * 64
    x[row:+64, 0:+8] = x[row:+64, 0:+8] + 1.0


def make(factor):
    """A kernel in a function: `factor` is the function's own."""

    @ph.kernel
    def inner(x: ph.tensor[ph.f32][N]):
        start: ph.let = ph.ctx.block.x * 128
        x[start:+128] = x[start:+128] * factor

    def change(to):
        nonlocal factor
        factor = to

    return inner, change


@ph.kernel
def matrix(x: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 16
    x[row:+16, 0:+16] = x[row:+16, 0:+16] * 2.0


@ph.kernel
def product(a: ph.tensor[ph.f32][M, K], b: ph.tensor[ph.f32][K, N], c: ph.tensor[ph.f32][M, N]):
    sum: ph.var[ph.tile[ph.f32][16, 16]] = 0.0
    for k in range(0, K, 16):
        sum += ph.dot(a[0:+16, k:+16], b[k:+16, 0:+16])
    c[0:+16, 0:+16] = sum


@ph.kernel
def checked(x: ph.tensor[ph.f32][N]):
    ph.assert_(x[0:+16] > 0)


@ph.kernel
def checked_too(x: ph.tensor[ph.f32][N], n: ph.i32):
    ph.assert_(n > 0)


@ph.kernel
@ph.launch(256)
@ph.persistent
def walk(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    start: ph.let = (ph.ctx.block.x + ph.ctx.block.y * ph.ctx.grid.x) * 256
    y[start:+256] = x[start:+256] + 1.0


@ph.kernel
@ph.launch(256)
@ph.dependent
def beside(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * 256
    x[start:+256] = x[start:+256] + 1.0


@ph.kernel
@ph.launch(256)
@ph.persistent(order="queue")
def draw(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * 256
    x[start:+256] = x[start:+256] + 1.0
