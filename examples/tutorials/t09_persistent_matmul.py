"""Tutorial 09, a matrix product by persistent blocks, and one for matrices that are too flat to fill a GPU.

Read t01 and t03 first. In NumPy both kernels here are `C = A @ B`, and so is t03. What differs is who computes what,
and when: a product near the speed of the chip is a matter of keeping its tensor cores fed.

*Waves.* t03 launches one block a tile of C. An H200 holds 132 blocks with tiles of 128 x 256 at once, one on each of its
multiprocessors, and a product of 4096 x 4096 has 512 such tiles: the chip works through them in waves. Each block begins by waiting
for its first slices of A and B, and ends by storing its tile, and during both its tensor cores do nothing.

`@ph.persistent` launches only as many blocks as the GPU holds, and each of them walks several tiles: the compiler puts
a loop over the blocks of the grid around the kernel. The kernel's text stays the same, and `ph.ctx.block` still is the number of
the tile. What changes is that the end of one tile and the beginning of the next are now neighbours in one program, and can overlap:

- On Hopper slices do not pass through the threads. One thread gives the copy engine (TMA, the tensor memory accelerator) a
  tensor, the coordinates of a box in it, and a place in shared memory; the engine copies the box, fills in zeros for what
  lies outside the tensor, and counts the bytes that arrive on a barrier that others wait for.
- That thread belongs to a warp beside those that multiply: the *producer*. It does nothing but walk the same loops over tiles
  and over k and start copies, as far ahead as there are free slots in shared memory (`stages` of them), and does not stop at the end of
  a tile. While the multiplying warps, the *consumers*, still store their tile, the next tile's first slices are under way.
- A slot goes back and forth between the two by a pair of barriers: *full* is completed by the bytes, *empty* by the consumers that have read them.

None of it is written below. It follows from `@ph.persistent`, the loop over k and its one `ph.dot` where the chip has the
instructions; on other chips the same text becomes a loop over tiles whose copies and products take turns in every warp.
`phobosc t09_persistent_matmul.py --emit pipelined --arch sm_90a` shows it as a program.

*Order.* Blocks in flight at the same time should want the same slices, so that one reads them from memory and the others find them in
the L2 cache. `@ph.swizzle(8)` numbers the tiles in groups of 8 rows; matmul_offsets.ipynb beside this file draws the order and counts what it saves.

*Tuning.* Which tile is best depends on the shape and on the chip. `@ph.autotune` lists what to try: at the first launch with
new values of the dims in `key`, every combination that `when` allows and that fits the chip is compiled and timed, and the
fastest is kept, on disk too. On the simulator, where time means nothing, it is the first.

*Too flat to fill the chip.* C of 64 x 8192 has 64 tiles of 64 x 128: half of the chip, each block with all of a long K to walk. The
work that is left to share is K itself. **Split-K** cuts it into SPLITS parts of whole slices: block (x, y, z) computes the z-th part
of tile (x, y), a sum over its own piece of K only, and stores it, in f32, in a workspace of its own. A second kernel adds up:
`C = parts.sum(axis=0)`. Each part costs storing and reading a tile of f32, which is why SPLITS is tuned together with the tile, and
why 1 is among its values: then the first kernel stores C itself and the second is not launched. (The tuner times the first
kernel alone; the second takes a few microseconds, since it finds the parts in the L2 cache.) A launch costs microseconds too, before its first
load, which is much beside a product this small. `@ph.dependent` on both kernels lets the second begin while the last blocks of the first still
run: it is placed and made ready, and waits until the first is complete.

The parts are added in the order of their numbers, whichever block came first, so that a result is the same bits each time. (Where every
block adds to C with atomics, which saves the second kernel, it is not.) **Stream-K** goes one step further: it deals out the turns of
all loops over k evenly, so that one block's share may begin in the middle of one tile and end in the middle of another. It
fills the last wave of any grid to the brim; for flat matrices, where tiles are few and K is long, equal parts do the same.
"""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(
    TILE_M=[64, 128],
    TILE_N=[64, 128, 256],
    TILE_K=[64],
    stages=[3, 4],
    threads=[256, 128],
    when="TILE_M * TILE_N <= 128 * threads",
)
@ph.tensorcore
@ph.persistent
@ph.swizzle(8)
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(0, K, TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    C[row:+TILE_M, column:+TILE_N] = acc


MOST_SPLITS = 8


@ph.kernel(key=["M", "N", "K"])
@ph.autotune(TILE_M=[64], TILE_N=[64, 128], TILE_K=[64], SPLITS=[2, 1, 4, 8], stages=[3, 4], threads=[128])
@ph.tensorcore
@ph.dependent
def matmul_parts(
    A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], parts: ph.tensor[ph.f32][MOST_SPLITS, M, N], C: ph.tensor[ph.f16][M, N]
):
    row: ph.let = ph.ctx.block.x * TILE_M
    column: ph.let = ph.ctx.block.y * TILE_N
    part: ph.let = ph.ctx.block.z
    # Parts of whole slices, so that no two overlap; the last ones are shorter, or empty: then the sum is zeros.
    depth: ph.let = ph.cdiv(K, TILE_K * SPLITS) * TILE_K
    begin: ph.let = part * depth
    acc: ph.var[ph.tile[ph.f32][TILE_M, TILE_N]] = 0.0
    for k in range(begin, ph.min(begin + depth, K), TILE_K):
        acc += ph.dot(A[row:+TILE_M, k:+TILE_K], B[k:+TILE_K, column:+TILE_N])
    if SPLITS == 1:
        C[row:+TILE_M, column:+TILE_N] = acc
    else:
        parts[part, row:+TILE_M, column:+TILE_N] = acc


COLUMNS = 512


@ph.kernel
@ph.launch(128)
@ph.dependent
def add_up(parts: ph.tensor[ph.f32][S, M, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.y
    column: ph.let = ph.ctx.block.x * COLUMNS
    total: ph.var[ph.tile[ph.f32][COLUMNS]] = 0.0
    for part in range(S):
        total += parts[part, row, column:+COLUMNS]
    C[row, column:+COLUMNS] = total


def tiles(meta):
    return -(-meta["M"] // meta["TILE_M"]), -(-meta["N"] // meta["TILE_N"])


def matmul_split(torch, a, b, c, **fixed):
    """C = A B in SPLITS parts: as many as are fastest, or `fixed`."""
    parts = torch.empty((MOST_SPLITS, *c.shape), device=c.device, dtype=torch.float32)
    matmul_parts[lambda meta: (*tiles(meta), meta["SPLITS"])](a, b, parts, c, **fixed)
    splits = matmul_parts.best(a, b, parts, c, **fixed)["SPLITS"]
    if splits > 1:
        add_up[lambda meta: (-(-meta["N"] // COLUMNS), meta["M"])](parts[:splits], c)


def check(torch):
    torch.manual_seed(0)
    wrong, largest = [], 0.0

    def compare(name, shape, compute):
        nonlocal largest
        m, n, k = shape
        a = torch.rand((m, k), device="cuda", dtype=torch.float16) - 0.5
        b = torch.rand((k, n), device="cuda", dtype=torch.float16) - 0.5
        c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float16)
        compute(a, b, c)
        torch.cuda.synchronize()
        want = torch.matmul(a.float(), b.float())
        # What narrowing to f16 leaves, and what f32 sums of either order differ by.
        if not torch.allclose(c.float(), want, rtol=1e-3, atol=1e-3):
            wrong.append(f"{name} {m} x {n} x {k}")
        largest = max(largest, torch.max(torch.abs(c.float() - want)).item())

    # Whole tiles, then ragged ones; the last has rows that are no multiple of 16 bytes, which the copy engine cannot read.
    products = ((192, 320, 384), (1000, 1096, 520), (257, 333, 131))
    for shape in products:
        compare("matmul", shape, matmul[tiles])
    flat = ((64, 256, 640), (1, 1000, 2048), (64, 1096, 1000), (33, 301, 1023))
    for shape in flat:
        compare("matmul_split", shape, lambda a, b, c: matmul_split(torch, a, b, c))
    for splits in (1, 8):
        compare(f"matmul_split by {splits}", (64, 200, 328), lambda a, b, c: matmul_split(torch, a, b, c, SPLITS=splits))
    of = len(products) + len(flat) + 2
    verdict = f"{of - len(wrong)} of {of} products, max |torch - phobos| = {largest:.3g}"
    return not wrong, verdict + "".join(f"; wrong: {each}" for each in wrong)
