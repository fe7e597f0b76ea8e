"""Tutorial 04, dropout that keeps no mask: `y = x * mask / (1 - p)`, where each
element of the mask is 0 with probability p and 1 otherwise.

In NumPy you would write

    mask = rng.random(x.shape) >= p
    y = np.where(mask, x / (1 - p), 0)

and keep `mask` in memory until the backward pass, which multiplies the
gradients by the same mask. Here no mask is kept, nor even written: random
numbers are *computed*, from a seed and from the place of the element, so
whoever has the seed has the mask. What is stored of it is one integer.

- `ph.rand(seed, offset)` has no state. It enciphers `offset` with the key
  `seed` (the generator Philox 4x32-10), which gives 32 bits that look random,
  and makes them a float in [0, 1). One seed and one offset always give the same
  number, in any block, on any chip, whatever was drawn before.
- `place` is a tile with the numbers of this block's elements in the vector,
  so no two elements have the same offset, and the result is a tile too: one
  number for each.
- The backward pass is the same kernel with the same seed: the gradient of
  `x * mask / (1 - p)` by x is `mask / (1 - p)`.

`p` and `seed` are scalars, given at each launch. Take another seed for each
launch that is to be independent.

The check computes the generator in NumPy, below in `philox`, and compares bit
for bit, so it needs no tolerance.
"""

from __future__ import annotations

import numpy as np
import phobos.lang as ph

BLOCK = 1024


@ph.kernel
@ph.launch(128)
def dropout(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], p: ph.f32, seed: ph.i64):
    start: ph.let = ph.ctx.block.x * BLOCK
    place: ph.let = start + ph.iota(BLOCK)
    keep: ph.let = ph.rand(seed, place) >= p
    scale: ph.let = 1.0 / (1.0 - p)
    y[start:+BLOCK] = ph.where(keep, x[start:+BLOCK] * scale, 0.0)


def philox(counter, key):
    """Philox 4x32-10 (Salmon et al., SC'11): four words of counter, arrays or numbers, and two of key; four words, as uint64."""
    word, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    c0, c1, c2, c3 = np.broadcast_arrays(*(np.atleast_1d(c).astype(np.uint64) for c in counter))
    k0, k1 = (np.atleast_1d(np.uint64(k)) for k in key)
    for _ in range(10):
        first, second = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = (second >> half) ^ c1 ^ k0, second & word, (first >> half) ^ c3 ^ k1, first & word
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & word, (k1 + np.uint64(0xBB67AE85)) & word
    return c0, c1, c2, c3


def numbers(offset, seed: int):
    """`ph.rand(seed, offset)` for an array of offsets from 0 up: of the four words for offset // 4 the one that is offset % 4."""
    words = philox((offset // 4, 0, 0, 0), (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF))
    return (np.choose(offset % 4, words) >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)


def expected(x, p: float, seed: int):
    """dropout in NumPy, with the numbers that `ph.rand` draws."""
    uniform = numbers(np.arange(len(x)), seed)
    scale = np.float32(1) / (np.float32(1) - np.float32(p))
    return np.where(uniform >= np.float32(p), x * scale, np.float32(0))


def check(torch):
    torch.manual_seed(0)
    n = 100_003
    x, dy = (torch.rand(n, device="cuda") + 0.5 for _ in range(2))

    def run(given, p: float, seed: int):
        result = torch.full_like(given, float("nan"))
        dropout[-(-n // BLOCK)](given, result, p, seed)
        torch.cuda.synchronize()
        return result

    wrong = []
    cases = [(0.5, 1), (0.5, 2), (0.1, (1 << 40) + 7), (0.9, -1), (0.0, 3)]
    for p, seed in cases:
        y, dx = run(x, p, seed), run(dy, p, seed)
        equal = all(np.array_equal(got.cpu().numpy(), expected(given.cpu().numpy(), p, seed)) for got, given in [(y, x), (dx, dy)])
        # No input is 0, so a zero is a dropped element: the same in both passes, and as many as p says, within 5 sigma.
        dropped = int((y == 0).sum())
        likely = abs(dropped - n * p) <= 5 * (n * p * (1 - p)) ** 0.5
        if not (equal and likely and torch.equal(y == 0, dx == 0) and torch.equal(y, run(x, p, seed))):
            wrong.append((p, seed))
    # Half of the places should agree between two seeds.
    agree = float(((run(x, 0.5, 1) == 0) == (run(x, 0.5, 2) == 0)).float().mean())
    ok = not wrong and abs(agree - 0.5) < 0.01
    done = f"{len(cases) - len(wrong)} of {len(cases)} seeds equal NumPy's mask bit for bit, forward and backward"
    return ok, f"{done}; two seeds agree at {agree:.1%} of the places: {ok}"
