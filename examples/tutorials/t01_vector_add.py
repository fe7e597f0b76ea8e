"""Tutorial 01, vector addition: `z = x + y` for vectors of any length.

In NumPy you would write `z[:] = x + y`, and NumPy would walk over the
elements. A GPU has room for many thousands of elements at once, so the work
is cut into blocks, and the kernel below says what *one* block does. It reads
like NumPy on a slice:

- `ph.ctx.block.x` is the number of this block: 0, 1, 2, ...
- `x[start:+BLOCK]` is a slice of BLOCK elements from `start` on, what NumPy
  spells `x[start:start + BLOCK]`. The value is a tile: a small array of a
  fixed shape, which the compiler spreads over the threads of the block. You
  never see the threads.
- The last block may reach past the end of the vectors. Elements that are not
  there read as zero and are not stored, so no length needs a special case.

Around it: `@ph.kernel` makes the function a kernel, compiled when it is first
launched and never run by Python. `@ph.launch(256)` gives each block 256
threads. The annotations say what the kernel takes: three vectors of 32-bit
floats of one length, `N`, which is bound at each launch and must be the same
for all three.

To launch it, say how many blocks there are, then call it: `add[grid](x, y, z)`.
The check compares with torch at lengths that fill their blocks and lengths
that do not.
"""

from __future__ import annotations

import phobos.lang as ph

BLOCK = 1024


@ph.kernel
@ph.launch(256)
def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], z: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * BLOCK
    z[start:+BLOCK] = x[start:+BLOCK] + y[start:+BLOCK]


def check(torch):
    torch.manual_seed(0)
    lengths = (1, 1023, 1024, 98432, 1_000_003)
    wrong = []
    for n in lengths:
        x = torch.rand(n, device="cuda")
        y = torch.rand(n, device="cuda")
        z = torch.full((n,), float("nan"), device="cuda")
        add[lambda meta: (-(-meta["N"] // BLOCK),)](x, y, z)
        torch.cuda.synchronize()
        if not torch.equal(z, x + y):
            wrong.append(n)
    ok = not wrong
    return ok, f"{len(lengths) - len(wrong)} of {len(lengths)} lengths equal torch's x + y bit for bit: {ok}"
