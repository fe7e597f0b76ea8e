"""Transforms, factorisations and forces: numerical kernels on tiles."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

ROWS = 8


@ph.fn
def butterfly(t, STRIDE):
    """Sums and differences of elements that lie STRIDE apart."""
    a, b = ph.split(ph.transpose(ph.reshape(t, ROWS, 64 // STRIDE // 2, 2, STRIDE), 0, 1, 3, 2))
    return ph.reshape(ph.transpose(ph.join(a + b, a - b), 0, 1, 3, 2), ROWS, 64)


@ph.kernel
@ph.launch(64)
def hadamard(x: ph.tensor[ph.f16][M, 64], y: ph.tensor[ph.f16][M, 64]):
    """The Walsh-Hadamard transform of rows, stage by stage. After tilelang's example_hadamard.py and Dao's fast-hadamard-transform."""
    row: ph.let = ph.ctx.block.x * ROWS
    t: ph.var = ph.f32(x[row:+ROWS, :])
    for stage in ph.unroll(6):
        t = butterfly(t, 1 << stage)
    y[row:+ROWS, :] = t * 0.125


@case(hadamard, (8,), (13,))
def check_hadamard(given, m):
    x, y, torch = given.normal(m, 64, dtype="f16"), given.out(m, 64, dtype="f16"), given.torch
    hadamard[cdiv(m, ROWS)](x, y)
    h = torch.ones(1, 1).double()
    for _ in range(6):
        h = torch.cat([torch.cat([h, h], 1), torch.cat([h, -h], 1)])
    return [(y, exact(x) @ h / 8, 1e-3)]


@ph.kernel
@ph.launch(128)
def fourier(
    re: ph.tensor[ph.f32][M, 16, 16],
    im: ph.tensor[ph.f32][M, 16, 16],
    out_re: ph.tensor[ph.f32][M, 16, 16],
    out_im: ph.tensor[ph.f32][M, 16, 16],
):
    """A Fourier transform of 256 numbers as two products of 16 and turns between them. After cuTile Python's FFT.py and Warp's example_tile_fft.py."""
    b: ph.let = ph.ctx.block.x
    j = ph.iota(16)
    turns = ph.f32(j[:, None] * j[None, :])
    small_re, small_im = ph.cos(turns * 0.39269908169872414), -ph.sin(turns * 0.39269908169872414)
    twist_re, twist_im = ph.cos(turns * 0.02454369260617026), -ph.sin(turns * 0.02454369260617026)
    x, y = re[b, :, :], im[b, :, :]
    # Columns, turns, rows; what comes out is transposed.
    u = ph.dot(small_re, x) - ph.dot(small_im, y)
    v = ph.dot(small_re, y) + ph.dot(small_im, x)
    u, v = u * twist_re - v * twist_im, u * twist_im + v * twist_re
    out_re[b, :, :] = (ph.dot(u, small_re) - ph.dot(v, small_im)).T
    out_im[b, :, :] = (ph.dot(u, small_im) + ph.dot(v, small_re)).T


@case(fourier, (1,), (3,))
def check_fourier(given, m):
    re, im, a, b = given.normal(m, 16, 16), given.normal(m, 16, 16), given.out(m, 16, 16), given.out(m, 16, 16)
    fourier[m](re, im, a, b)
    want = given.torch.fft.fft(given.torch.complex(*exact(re, im)).view(m, 256)).view(m, 16, 16)
    return [(a, want.real, 1e-4), (b, want.imag, 1e-4)]


@ph.kernel
@ph.launch(64)
def cholesky(A: ph.tensor[ph.f32][B, N, N], L: ph.tensor[ph.f32][B, N, N]):
    """The Cholesky factors of small matrices, column by column in registers. After Warp's example_tile_cholesky.py."""
    b: ph.let = ph.ctx.block.x
    i = ph.iota(16)
    left: ph.var = A[b, 0:+16, 0:+16]
    factor: ph.var[ph.tile[ph.f32][16, 16]] = 0.0
    for j in range(N):
        here = (i == j)[None, :]
        column = ph.sum(ph.where(here, left, 0.0), axis=1)
        pivot = ph.sum(ph.where(i == j, column, 0.0))
        column = ph.where(i >= j, column * ph.rsqrt(pivot), 0.0)
        factor = ph.where(here, column[:, None], factor)
        left -= column[:, None] * column[None, :]
    L[b, 0:+16, 0:+16] = factor


@case(cholesky, (2, 16), (3, 11))
def check_cholesky(given, b, n):
    x, factor = given.normal(b, n, n), given.out(b, n, n)
    a = x @ x.transpose(1, 2) + 2 * given.torch.eye(n).cuda()
    cholesky[b](a, factor)
    return [(factor, given.torch.linalg.cholesky(exact(a)), 1e-4)]


@ph.kernel
@ph.launch(64)
def triangular_solve(L: ph.tensor[ph.f32][N, N], X: ph.tensor[ph.f32][N, K]):
    """Solves L y = x in place by forward substitution, blocks of right-hand sides apart. After Warp's tile_lower_solve."""
    c: ph.let = ph.ctx.block.x * 16
    for j in range(N):
        solved = X[j, c:+16] / L[j, j]
        X[j, c:+16] = solved
        for i in range(j + 1, N, 16):
            X[i:+16, c:+16] -= L[i:+16, j][:, None] * solved[None, :]


@case(triangular_solve, (17, 32), (25, 21))
def check_triangular_solve(given, n, k):
    factor, x, torch = (
        (given.normal(n, n) * 0.3).tril() + 2 * given.torch.eye(n).cuda(),
        given.normal(n, k),
        given.torch,
    )
    want = torch.linalg.solve(exact(factor), exact(x))
    triangular_solve[cdiv(k, 16)](factor, x)
    return [(x, want, 1e-5)]


@ph.kernel
@ph.launch(64)
def chunk_inverse(A: ph.tensor[ph.f32][B, 16, 16], X: ph.tensor[ph.f32][B, 16, 16]):
    """(1 + A)^-1 of strictly lower triangles, as the product of 1 + A^2^k. After flash-linear-attention's solve_tril."""
    b: ph.let = ph.ctx.block.x
    unit = ph.where(ph.iota(16)[:, None] == ph.iota(16)[None, :], 1.0, 0.0)
    power: ph.var = -ph.tril(A[b, :, :], -1)
    inverse: ph.var = unit + power
    for _ in ph.unroll(3):
        power = ph.dot(power, power)
        inverse += ph.dot(inverse, power)
    X[b, :, :] = inverse


@case(chunk_inverse, (2,), (5,))
def check_chunk_inverse(given, b):
    a, x = given.normal(b, 16, 16) * 0.5, given.out(b, 16, 16)
    chunk_inverse[b](a, x)
    return [(x, given.torch.linalg.inv(given.torch.eye(16).double() + exact(a).tril(-1)), 1e-4)]


@ph.kernel
@ph.launch(64)
def sinkhorn(x: ph.tensor[ph.f32][B, N, N], y: ph.tensor[ph.f32][B, N, N], turns: ph.i32):
    """Rows and columns normalised in turn until the matrix is doubly stochastic. After tilelang's example_mhc_sinkhorn.py and Liger-Kernel's mhc.py."""
    b: ph.let = ph.ctx.block.x
    inside = (ph.iota(16) < N)[:, None] & (ph.iota(16) < N)[None, :]
    t: ph.var = ph.where(inside, ph.exp(x[b, 0:+16, 0:+16]), 0.0)
    for _ in range(turns):
        t = t / (ph.sum(t, axis=1, keepdims=True) + 1e-8)
        t = t / (ph.sum(t, axis=0, keepdims=True) + 1e-8)
    y[b, 0:+16, 0:+16] = t


@case(sinkhorn, (2, 16, 5), (3, 4, 20))
def check_sinkhorn(given, b, n, turns):
    x, y = given.normal(b, n, n), given.out(b, n, n)
    sinkhorn[b](x, y, turns)
    want = exact(x).exp()
    for _ in range(turns):
        want = want / (want.sum(2, keepdim=True) + 1e-8)
        want = want / (want.sum(1, keepdim=True) + 1e-8)
    return [(y, want, 1e-5)]


@ph.kernel
@ph.launch(128)
def n_body(place: ph.tensor[ph.f32][3, N], mass: ph.tensor[ph.f32][N], force: ph.tensor[ph.f32][3, N], soft: ph.f32):
    """Gravity of all bodies on each, tile by tile. After Warp's example_tile_nbody.py."""
    i: ph.let = ph.ctx.block.x * 32
    x, y, z = place[0, i:+32][:, None], place[1, i:+32][:, None], place[2, i:+32][:, None]
    fx: ph.var[ph.tile[ph.f32][32]] = 0.0
    fy: ph.var[ph.tile[ph.f32][32]] = 0.0
    fz: ph.var[ph.tile[ph.f32][32]] = 0.0
    for j in range(0, N, 32):
        dx, dy, dz = place[0, j:+32] - x, place[1, j:+32] - y, place[2, j:+32] - z
        near = ph.rsqrt(dx * dx + dy * dy + dz * dz + soft)
        pull = mass[j:+32] * near * near * near
        fx += ph.sum(dx * pull, axis=1)
        fy += ph.sum(dy * pull, axis=1)
        fz += ph.sum(dz * pull, axis=1)
    force[0, i:+32] = fx
    force[1, i:+32] = fy
    force[2, i:+32] = fz


@case(n_body, (64,), (75,))
def check_n_body(given, n):
    place, mass, force = given.normal(3, n), given.uniform(n), given.out(3, n)
    n_body[cdiv(n, 32)](place, mass, force, 0.01)
    d = exact(place)[:, None, :] - exact(place)[:, :, None]
    return [(force, (d * exact(mass) / (d.square().sum(0) + 0.01) ** 1.5).sum(2), 1e-4)]


@ph.kernel
@ph.launch(64)
def polynomial(x: ph.tensor[ph.f64][N], c: ph.tensor[ph.f64][D], y: ph.tensor[ph.f64][N]):
    """A polynomial by Horner's rule in f64. After NumPy's polyval."""
    at: ph.let = ph.ctx.block.x * 100
    t = x[at:+100]
    total: ph.var[ph.tile[ph.f64][100]] = 0.0
    for d in range(D - 1, -1, -1):
        total = ph.fma(total, t, c[d])
    y[at:+100] = total


@case(polynomial, (200, 5), (333, 8))
def check_polynomial(given, n, d):
    x, c, y = given.normal(n, dtype="f64"), given.normal(d, dtype="f64"), given.out(n, dtype="f64")
    polynomial[cdiv(n, 100)](x, c, y)
    powers = exact(x)[:, None] ** given.torch.arange(d)
    return [(y / (powers.abs() @ exact(c).abs()).cuda(), powers @ exact(c) / (powers.abs() @ exact(c).abs()), 1e-14)]


@ph.kernel
@ph.launch(128)
def newton_schulz(X: ph.tensor[ph.f32][M, N], Y: ph.tensor[ph.f32][M, N]):
    """A matrix pushed towards an orthogonal one by products with itself, all in registers. After Muon's Newton-Schulz steps in flash-muon."""
    t: ph.var = X[0:+16, 0:+32]
    t = t / (ph.sqrt(ph.sum(t * t)) + 1e-7)
    for _ in range(5):
        a = ph.dot_t(t, t)
        t = 3.4445 * t + ph.dot(-4.775 * a + 2.0315 * ph.dot(a, a), t)
    Y[0:+16, 0:+32] = t


@case(newton_schulz, (16, 32), (9, 27))
def check_newton_schulz(given, m, n):
    x, y = given.normal(m, n), given.out(m, n)
    newton_schulz[1](x, y)
    t = exact(x) / (exact(x).norm() + 1e-7)
    for _ in range(5):
        a = t @ t.t()
        t = 3.4445 * t + (-4.775 * a + 2.0315 * a @ a) @ t
    return [(y, t, 1e-4)]
