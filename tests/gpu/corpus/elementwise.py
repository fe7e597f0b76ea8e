"""Kernels in which an element of the result depends on few elements of the operands."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

BLOCK = 256
ROWS, COLUMNS = 16, 64


@ph.kernel
@ph.launch(128)
def vector_add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], z: ph.tensor[ph.f32][N]):
    """The sum of two vectors. After Triton's tutorial 01-vector-add."""
    start: ph.let = ph.ctx.block.x * BLOCK
    z[start:+BLOCK] = x[start:+BLOCK] + y[start:+BLOCK]


@case(vector_add, (1024,), (1000,), (1,))
def check_vector_add(given, n):
    x, y, z = given.normal(n), given.normal(n), given.out(n)
    vector_add[cdiv(n, BLOCK)](x, y, z)
    return [(z, x + y, 0)]


@ph.kernel
@ph.launch(64)
def addcmul(
    x: ph.tensor[ph.f16][N], a: ph.tensor[ph.f16][N], b: ph.tensor[ph.f16][N], y: ph.tensor[ph.f16][N], value: ph.f32
):
    """x + value a b, in f32, rounded once. After FlagGems' addcmul."""
    start: ph.let = ph.ctx.block.x * BLOCK
    wide = ph.fma(value * ph.f32(a[start:+BLOCK]), ph.f32(b[start:+BLOCK]), ph.f32(x[start:+BLOCK]))
    y[start:+BLOCK] = wide


@case(addcmul, (512,), (333,))
def check_addcmul(given, n):
    x, a, b = (given.normal(n, dtype="f16") for _ in range(3))
    y = given.out(n, dtype="f16")
    addcmul[cdiv(n, BLOCK)](x, a, b, y, 0.75)
    return [(y, exact(x) + 0.75 * exact(a) * exact(b), 5e-4)]


@ph.kernel
@ph.launch(128)
def outer_sum(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][M], z: ph.tensor[ph.f32][M, N]):
    """z[j, i] = x[i] + y[j]. After Triton-Puzzles 4, outer vector add block."""
    i: ph.let = ph.ctx.block.x * COLUMNS
    j: ph.let = ph.ctx.block.y * ROWS
    z[j:+ROWS, i:+COLUMNS] = x[i:+COLUMNS][None, :] + y[j:+ROWS][:, None]


@case(outer_sum, (32, 128), (19, 90))
def check_outer_sum(given, m, n):
    x, y, z = given.normal(n), given.normal(m), given.out(m, n)
    outer_sum[cdiv(n, COLUMNS), cdiv(m, ROWS)](x, y, z)
    return [(z, x[None, :] + y[:, None], 0)]


@ph.kernel
@ph.launch(128)
def outer_relu_grad(
    x: ph.tensor[ph.f32][M, N],
    y: ph.tensor[ph.f32][M],
    dz: ph.tensor[ph.f32][M, N],
    dx: ph.tensor[ph.f32][M, N],
    dy: ph.tensor[ph.f32][M],
):
    """The gradients of relu(x y[:, None]), of y as well. After Triton-Puzzles 6, fused outer multiplication backwards."""
    row: ph.let = ph.ctx.block.x * ROWS
    b: ph.let = ph.expand(y[row:+ROWS], 1)
    sums: ph.var[ph.tile[ph.f32][ROWS]] = 0.0
    for column in range(0, N, COLUMNS):
        a = x[row:+ROWS, column:+COLUMNS]
        d = ph.where(a * b > 0, dz[row:+ROWS, column:+COLUMNS], 0.0)
        dx[row:+ROWS, column:+COLUMNS] = d * b
        sums += ph.sum(d * a, axis=1)
    dy[row:+ROWS] = sums


@case(outer_relu_grad, (32, 128), (21, 77))
def check_outer_relu_grad(given, m, n):
    x, y, dz = given.normal(m, n), given.normal(m), given.normal(m, n)
    dx, dy = given.out(m, n), given.out(m)
    outer_relu_grad[cdiv(m, ROWS)](x, y, dz, dx, dy)
    a, b = exact(x).requires_grad_(), exact(y).requires_grad_()
    ((a * b[:, None]).relu() * exact(dz)).sum().backward()
    return [(dx, a.grad, 1e-6), (dy, b.grad, 1e-5)]


@ph.kernel
@ph.launch(128)
def swiglu(x: ph.tensor[ph.f32][M, N], gate: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N]):
    """silu(gate) x. After Liger-Kernel's swiglu.py."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    g = gate[i:+ROWS, j:+COLUMNS]
    y[i:+ROWS, j:+COLUMNS] = x[i:+ROWS, j:+COLUMNS] * g * ph.sigmoid(g)


@case(swiglu, (32, 64), (17, 100))
def check_swiglu(given, m, n):
    x, gate, y = given.normal(m, n), given.normal(m, n), given.out(m, n)
    swiglu[cdiv(n, COLUMNS), cdiv(m, ROWS)](x, gate, y)
    return [(y, exact(x) * given.torch.nn.functional.silu(exact(gate)), 1e-6)]


@ph.kernel
@ph.launch(128)
def geglu_grad(
    x: ph.tensor[ph.f16][M, N],
    gate: ph.tensor[ph.f16][M, N],
    dy: ph.tensor[ph.f16][M, N],
    dx: ph.tensor[ph.f16][M, N],
    dgate: ph.tensor[ph.f16][M, N],
):
    """The gradients of x gelu(gate), gelu by its tanh formula. After Liger-Kernel's geglu.py."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    a = ph.f32(x[i:+ROWS, j:+COLUMNS])
    g = ph.f32(gate[i:+ROWS, j:+COLUMNS])
    d = ph.f32(dy[i:+ROWS, j:+COLUMNS])
    dx[i:+ROWS, j:+COLUMNS] = d * ph.std.gelu_tanh(g)
    dgate[i:+ROWS, j:+COLUMNS] = ph.std.gelu_tanh_grad(g, d * a)


@case(geglu_grad, (16, 128), (9, 75))
def check_geglu_grad(given, m, n):
    x, gate, dy = (given.normal(m, n, dtype="f16") for _ in range(3))
    dx, dgate = given.out(m, n, dtype="f16"), given.out(m, n, dtype="f16")
    geglu_grad[cdiv(n, COLUMNS), cdiv(m, ROWS)](x, gate, dy, dx, dgate)
    a, g = exact(x).requires_grad_(), exact(gate).requires_grad_()
    (a * given.torch.nn.functional.gelu(g, approximate="tanh") * exact(dy)).sum().backward()
    return [(dx, a.grad, 1e-3), (dgate, g.grad, 1e-3)]


@ph.kernel
@ph.launch(128)
def dynamic_tanh(
    x: ph.tensor[ph.bf16][M, N],
    gamma: ph.tensor[ph.f32][N],
    beta: ph.tensor[ph.f32][N],
    y: ph.tensor[ph.bf16][M, N],
    alpha: ph.f32,
):
    """gamma tanh(alpha x) + beta, in place of a norm. After Liger-Kernel's dyt.py."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    y[i:+ROWS, j:+COLUMNS] = gamma[j:+COLUMNS] * ph.tanh(alpha * x[i:+ROWS, j:+COLUMNS]) + beta[j:+COLUMNS]


@case(dynamic_tanh, (16, 64), (33, 70))
def check_dynamic_tanh(given, m, n):
    x, gamma, beta, y = (
        given.normal(m, n, dtype="bf16"),
        given.normal(n),
        given.normal(n),
        given.out(m, n, dtype="bf16"),
    )
    dynamic_tanh[cdiv(n, COLUMNS), cdiv(m, ROWS)](x, gamma, beta, y, 0.5)
    return [(y, exact(gamma) * (0.5 * exact(x)).tanh() + exact(beta), 4e-3)]


@ph.kernel
@ph.launch(64)
def rope(q: ph.tensor[ph.f32][S, H, 32], cos: ph.tensor[ph.f32][S, 16], sin: ph.tensor[ph.f32][S, 16]):
    """Rotary embedding in place, halves of a head rotated against each other. After Liger-Kernel's rope.py."""
    s: ph.let = ph.ctx.block.x
    c: ph.let = cos[s, 0:+16]
    d: ph.let = sin[s, 0:+16]
    for h in range(0, H, 4):
        low = q[s, h:+4, 0:+16]
        high = q[s, h:+4, 16:+16]
        q[s, h:+4, 0:+16] = low * c - high * d
        q[s, h:+4, 16:+16] = high * c + low * d


def angles(torch, s, half):
    return torch.arange(s).double()[:, None] * 10000.0 ** (-torch.arange(half).double() / half)


@case(rope, (6, 8), (5, 7))
def check_rope(given, s, h):
    q, a = given.normal(s, h, 32), angles(given.torch, s, 16)
    wide = exact(q)
    rope[s](q, a.cos().float().cuda(), a.sin().float().cuda())
    low, high, c, d = wide[..., :16], wide[..., 16:], a.cos()[:, None], a.sin()[:, None]
    return [(q, given.torch.cat([low * c - high * d, high * c + low * d], -1), 1e-6)]


@ph.kernel
@ph.launch(128)
def rope_interleaved(q: ph.tensor[ph.f16][T, 64], y: ph.tensor[ph.f16][T, 64], base: ph.f32):
    """Rotary embedding of neighbouring elements, its angles computed where they are needed. After Liger-Kernel's llama4_rope.py."""
    t: ph.let = ph.ctx.block.x * ROWS
    even, odd = ph.split(ph.reshape(ph.f32(q[t:+ROWS, 0:+64]), ROWS, 32, 2))
    frequency = ph.exp2(ph.f32(ph.iota(32)) * (-ph.log2(base) / 32))
    angle = ph.expand(ph.f32(t + ph.iota(ROWS)), 1) * frequency
    c = ph.cos(angle)
    s = ph.sin(angle)
    y[t:+ROWS, 0:+64] = ph.reshape(ph.join(even * c - odd * s, even * s + odd * c), ROWS, 64)


@case(rope_interleaved, (32,), (27,))
def check_rope_interleaved(given, t):
    q, y = given.normal(t, 64, dtype="f16"), given.out(t, 64, dtype="f16")
    rope_interleaved[cdiv(t, ROWS)](q, y, 10000.0)
    a = angles(given.torch, t, 32)
    turned = given.torch.view_as_complex(exact(q).view(t, 32, 2)) * given.torch.polar(given.torch.ones_like(a), a)
    return [(y, given.torch.view_as_real(turned).reshape(t, 64), 1e-3)]


@ph.kernel
@ph.launch(128)
def nan_to_num(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], nan: ph.f32, high: ph.f32, low: ph.f32):
    """Finite numbers in place of NaN and the infinities. After FlagGems' nan_to_num."""
    start: ph.let = ph.ctx.block.x * BLOCK
    a = x[start:+BLOCK]
    bounded = ph.where(ph.isinf(a), ph.where(a > 0, high, low), a)
    y[start:+BLOCK] = ph.where(ph.isnan(a), nan, bounded)


@case(nan_to_num, (512,), (300,))
def check_nan_to_num(given, n):
    x, y = given.normal(n), given.out(n)
    x[::5], x[1::7], x[3::11] = float("nan"), float("inf"), -float("inf")
    nan_to_num[cdiv(n, BLOCK)](x, y, 0.5, 100.0, -200.0)
    return [(y, given.torch.nan_to_num(x, 0.5, 100.0, -200.0), 0)]


@ph.kernel
@ph.launch(128)
def transpose(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][N, M]):
    """A matrix transposed tile by tile. After Warp's tile_transpose."""
    i: ph.let = ph.ctx.block.y * 32
    j: ph.let = ph.ctx.block.x * 32
    y[j:+32, i:+32] = x[i:+32, j:+32].T


@case(transpose, (64, 32), (45, 70))
def check_transpose(given, m, n):
    x, y = given.normal(m, n), given.out(n, m)
    transpose[cdiv(n, 32), cdiv(m, 32)](x, y)
    return [(y, x.t(), 0)]


@ph.kernel
@ph.launch(128)
def permute(x: ph.tensor[ph.i16][A, B, C], y: ph.tensor[ph.i16][C, A, B]):
    """The axes of a tensor in another order. After cuTile Python's permute."""
    a: ph.let = ph.ctx.block.x * 4
    b: ph.let = ph.ctx.block.y * 8
    c: ph.let = ph.ctx.block.z * 16
    y[c:+16, a:+4, b:+8] = ph.transpose(x[a:+4, b:+8, c:+16], 2, 0, 1)


@case(permute, (4, 16, 16), (5, 9, 21))
def check_permute(given, a, b, c):
    x, y = given.integers(-999, 999, a, b, c, dtype="i16"), given.out(c, a, b, dtype="i16")
    permute[cdiv(a, 4), cdiv(b, 8), cdiv(c, 16)](x, y)
    return [(y, x.permute(2, 0, 1), 0)]


@ph.kernel
@ph.launch(128)
def concatenate(x: ph.tensor[ph.f32][M, K], y: ph.tensor[ph.f32][M, L], z: ph.tensor[ph.f32][M, N]):
    """Two matrices side by side. After Helion's concatenate.py."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    column = j + ph.iota(COLUMNS)
    z[i:+ROWS, j:+COLUMNS] = ph.where(column[None, :] < K, x[i:+ROWS, j:+COLUMNS], y[i:+ROWS, j - K : +COLUMNS])


@case(concatenate, (16, 64, 64), (7, 50, 30), (20, 3, 130))
def check_concatenate(given, m, k, l):
    x, y, z = given.normal(m, k), given.normal(m, l), given.out(m, k + l)
    concatenate[cdiv(k + l, COLUMNS), cdiv(m, ROWS)](x, y, z)
    return [(z, given.torch.cat([x, y], 1), 0)]


@ph.kernel
@ph.launch(128)
def triu(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N], diagonal: ph.i32):
    """Zeros below a diagonal that the launch names. After FlagGems' triu."""
    i: ph.let = ph.ctx.block.y * ROWS
    j: ph.let = ph.ctx.block.x * COLUMNS
    row = i + ph.iota(ROWS)
    column = j + ph.iota(COLUMNS)
    y[i:+ROWS, j:+COLUMNS] = ph.where(column[None, :] - row[:, None] >= diagonal, x[i:+ROWS, j:+COLUMNS], 0.0)


@case(triu, (32, 64, 0), (40, 70, -3), (9, 100, 5))
def check_triu(given, m, n, diagonal):
    x, y = given.normal(m, n), given.out(m, n)
    triu[cdiv(n, COLUMNS), cdiv(m, ROWS)](x, y, diagonal)
    return [(y, x.triu(diagonal), 0)]


@ph.kernel
@ph.launch(64)
def kron(a: ph.tensor[ph.f32][M, N], b: ph.tensor[ph.f32][P, Q], c: ph.tensor[ph.f32][MP, NQ]):
    """The Kronecker product: each element of a times all of b. After FlagGems' kron."""
    i: ph.let = ph.ctx.block.y
    j: ph.let = ph.ctx.block.x
    inside = ph.expand(ph.iota(8), 1) < P
    for p in range(0, P, 8):
        for q in range(0, Q, 8):
            # Rows and columns of the block that are not b's are those of its neighbours.
            if p + 8 <= P and q + 8 <= Q:
                c[i * P + p : +8, j * Q + q : +8] = a[i, j] * b[p:+8, q:+8]
            else:
                for r in range(p, ph.min(p + 8, P)):
                    for s in range(q, ph.min(q + 8, Q)):
                        c[i * P + r, j * Q + s] = a[i, j] * b[r, s]


@case(kron, (2, 3, 8, 16), (3, 2, 5, 9))
def check_kron(given, m, n, p, q):
    a, b, c = given.normal(m, n), given.normal(p, q), given.out(m * p, n * q)
    kron[n, m](a, b, c)
    return [(c, given.torch.kron(a, b), 0)]


@ph.fn
def swap_runs(t, LENGTH):
    first, second = ph.split(ph.transpose(ph.reshape(t, 32 // LENGTH, 2, LENGTH), 0, 2, 1))
    return ph.reshape(ph.transpose(ph.join(second, first), 0, 2, 1), 64)


@ph.kernel
@ph.launch(64)
def flip(x: ph.tensor[ph.i32][N], y: ph.tensor[ph.i32][N]):
    """A vector backwards: neighbouring runs of ever greater length change places. After FlagGems' flip."""
    start: ph.let = ph.ctx.block.x * 64
    t: ph.var = x[start:+64]
    for bit in ph.unroll(6):
        t = swap_runs(t, 1 << bit)
    y[N - 64 - start : +64] = t


@case(flip, (128,), (100,))
def check_flip(given, n):
    x, y = given.integers(-999, 999, n), given.out(n, dtype="i32")
    flip[cdiv(n, 64)](x, y)
    return [(y, x.flip(0), 0)]


@ph.kernel
@ph.launch(128)
def mandelbrot(counts: ph.tensor[ph.i32][H, W], most: ph.i32):
    """Steps until points of the plane escape; the loop ends when all of a tile have. After Numba's Mandelbrot example and Taichi's fractal.py."""
    i: ph.let = ph.ctx.block.y * 8
    j: ph.let = ph.ctx.block.x * 16
    a = ph.expand(ph.f32(j + ph.iota(16)) * (3.0 / W) - 2.25, 0)
    b = ph.expand(ph.f32(i + ph.iota(8)) * (2.5 / H) - 1.25, 1)
    x: ph.var[ph.tile[ph.f32][8, 16]] = 0.0
    y: ph.var[ph.tile[ph.f32][8, 16]] = 0.0
    steps: ph.var[ph.tile[ph.i32][8, 16]] = 0
    step: ph.var = 0
    while step < most and ph.any(x * x + y * y <= 4.0):
        inside = x * x + y * y <= 4.0
        steps += ph.i32(inside)
        x, y = ph.where(inside, x * x - y * y + a, x), ph.where(inside, 2.0 * x * y + b, y)
        step += 1
    counts[i:+8, j:+16] = steps


@case(mandelbrot, (16, 32), (21, 27))
def check_mandelbrot(given, h, w):
    counts, torch = given.out(h, w, dtype="i32"), given.torch
    mandelbrot[cdiv(w, 16), cdiv(h, 8)](counts, 30)
    c = torch.complex(
        (torch.arange(w) * (3 / w) - 2.25)[None, :].repeat(h, 1).double(),
        (torch.arange(h) * (2.5 / h) - 1.25)[:, None].repeat(1, w).double(),
    )
    z, want = torch.zeros_like(c), torch.zeros((h, w), dtype=torch.int32)
    for _ in range(30):
        inside = z.abs() <= 2
        want += inside
        z = torch.where(inside, z * z + c, z)
    # Roundings may decide about points near the edge.
    return [(((counts.cpu() - want).abs() > 0).float().mean(), torch.tensor(0.0), 0.01)]
