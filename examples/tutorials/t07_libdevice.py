"""Tutorial 07, functions of libdevice: `y = arcsin(x)`, and normal random numbers
from uniform ones.

The language has the functions that most kernels need: `ph.exp`, `ph.sin`,
`ph.erf` and some more, computed by sequences of its own. CUDA's *libdevice* has
sixty others, which are called by their names there:

    ph.libdevice.asin(x)         ph.libdevice.hypot(x, y)
    ph.libdevice.normcdfinv(p)   ph.libdevice.jn(2, x)

- They work element by element, on tiles and numbers, and operands broadcast as
  those of operators do.
- The dtype decides which function is called: libdevice has each twice, in f32
  and in f64. f16 and bf16 are computed in f32 and rounded once.
- Only what a kernel uses is linked into it, and inlined.
- The simulator has them too, so the first kernel below gives the same numbers
  on a machine without a GPU, but for a last place now and then.

In NumPy the first kernel is `np.arcsin(x)`. The second needs scipy:
`scipy.stats.norm.ppf(u)`, the inverse of the normal distribution's cumulative
function. Uniform numbers between 0 and 1, put through it, are normally
distributed: that is how random numbers of any distribution can be made, where
its inverse is known.
"""

from __future__ import annotations

import phobos.lang as ph

BLOCK = 1024


@ph.kernel
@ph.launch(128)
def asin_f32(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * BLOCK
    y[start:+BLOCK] = ph.libdevice.asin(x[start:+BLOCK])


@ph.kernel
@ph.launch(128)
def asin_f64(x: ph.tensor[ph.f64][N], y: ph.tensor[ph.f64][N]):
    start: ph.let = ph.ctx.block.x * BLOCK
    y[start:+BLOCK] = ph.libdevice.asin(x[start:+BLOCK])


@ph.kernel
@ph.launch(128)
def normal(y: ph.tensor[ph.f32][N], mean: ph.f32, deviation: ph.f32, seed: ph.i64):
    start: ph.let = ph.ctx.block.x * BLOCK
    place: ph.let = start + ph.iota(BLOCK)
    # In the middle of its step of 2^-24, so that it is neither 0 nor 1, whose inverses are infinite.
    uniform: ph.let = ph.rand(seed, place) + 2.0**-25
    y[start:+BLOCK] = mean + deviation * ph.libdevice.normcdfinv(ph.min(uniform, 1.0 - 2.0**-24))


def check(torch):
    torch.manual_seed(0)
    n = 100_003
    grid = -(-n // BLOCK)
    exact = torch.rand(n, device="cuda", dtype=torch.float64) * 2 - 1
    away = {}
    for kernel, dtype in ((asin_f32, torch.float32), (asin_f64, torch.float64)):
        x = exact.to(dtype)
        y = torch.full_like(x, 77)
        kernel[grid](x, y)
        # Within two last places of the largest result.
        away[dtype] = float((y.double() - torch.asin(x.double())).abs().max()) / torch.finfo(dtype).eps
    numbers = torch.empty(n, device="cuda")
    normal[grid](numbers, 3.0, 2.0, 7)
    torch.cuda.synchronize()
    scaled = (numbers.double() - 3) / 2
    # The moments of a normal distribution, each within five of its own deviations.
    moments = [float(scaled.mean()), float(scaled.var()) - 1, float((scaled**3).mean()), float((scaled**4).mean()) - 3]
    bounds = [5 * (variance / n) ** 0.5 for variance in (1, 2, 15, 96)]
    likely = all(abs(moment) < bound for moment, bound in zip(moments, bounds))
    ok = all(places < 2 for places in away.values()) and likely
    places = ", ".join(f"{value:.2f} of {dtype}" for dtype, value in away.items())
    return ok, f"arcsine within {places} last places; moments of normal numbers {', '.join(f'{m:+.4f}' for m in moments)}: {likely}"
