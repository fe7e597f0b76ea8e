"""Random matrix products: shapes, dtypes, operand orders, tiles and depths drawn from a seed, each with its kernel's text.

A case is decided by its number alone, so a failure is repeated by its number. Nothing here needs a GPU or torch: the
compile-only tests draw the same cases.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

ELEMENT_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "i8": 1}
ACCUMULATOR = {"f16": "f32", "bf16": "f32", "f32": "f32", "i8": "i32"}
# How the two operands reach the dot:
#   plain        A[M, K], B[K, N], ph.dot
#   dot_t        B is stored [N, K] and multiplied by ph.dot_t
#   transpose_a  A is stored [K, M] and turned inside the kernel
#   view_a, view_b, view_ab   the arrays are transposed views: unit stride on the other axis
ORDERS = ("plain", "dot_t", "transpose_a", "view_a", "view_b", "view_ab")
MAX_SHARED_BYTES = 96 * 1024
MAX_SUMS_PER_THREAD = 128


@dataclass(frozen=True)
class Case:
    number: int
    dtype: str
    out: str
    tensorcore: str  # "", "default", or the f32 mode
    order: str
    shape: tuple[int, int, int]  # M, N, K
    tile: tuple[int, int, int]
    threads: int  # 0: the compiler chooses
    stages: int | None  # None: automatic; 0: pipeline(False)
    aligned: bool
    padding: int  # elements between rows of A, B and C

    def __str__(self) -> str:
        m, n, k = self.shape
        core = f"tc-{self.tensorcore}" if self.tensorcore else "fma"
        depth = "auto" if self.stages is None else f"s{self.stages}"
        words = [
            f"{self.number:03}", self.dtype, self.out, core, self.order, f"{m}x{n}x{k}",
            "t" + "x".join(map(str, self.tile)), f"th{self.threads}", depth,
        ]
        return "-".join(words + ["aligned"] * self.aligned + [f"pad{self.padding}"] * bool(self.padding))

    @property
    def accumulator(self) -> str:
        return ACCUMULATOR[self.dtype]

    @property
    def asserts_depth(self) -> bool:
        """Whether the depth is asserted by @ph.pipeline, an error where the loop cannot reach it, or only asked for."""
        copies_are_whole = self.aligned and self.padding % 8 == 0 and self.dtype in ("f16", "bf16")
        return bool(self.stages and copies_are_whole and self.tensorcore)

    def source(self) -> str:
        """The text of a module with one kernel, `matmul`."""
        tile_m, tile_n, tile_k = self.tile
        space = f"TILE_M=[{tile_m}], TILE_N=[{tile_n}], TILE_K=[{tile_k}]"
        lines = ["from __future__ import annotations", "", "import phobos.lang as ph", "", "", "@ph.kernel"]
        if self.stages and not self.asserts_depth:
            space += f", stages=[{self.stages}]"
        lines.append(f"@ph.autotune({space})")
        if self.threads:
            lines.append(f"@ph.launch({self.threads})")
        if self.tensorcore:
            mode = "" if self.tensorcore == "default" else f'(f32="{self.tensorcore}")'
            lines.append(f"@ph.tensorcore{mode}")
        if self.aligned:
            lines.append('@ph.aligned(M="TILE_M", N="TILE_N", K="TILE_K")')
        if self.stages == 0:
            lines.append("@ph.pipeline(False)")
        elif self.asserts_depth:
            lines.append(f"@ph.pipeline(stages={self.stages})")
        dims_a = "K, M" if self.order == "transpose_a" else "M, K"
        dims_b = "N, K" if self.order == "dot_t" else "K, N"
        lines += [
            f"def matmul(A: ph.tensor[ph.{self.dtype}][{dims_a}], B: ph.tensor[ph.{self.dtype}][{dims_b}], "
            f"C: ph.tensor[ph.{self.out}][M, N]):",
            "    row: ph.let = ph.ctx.block.x * TILE_M",
            "    col: ph.let = ph.ctx.block.y * TILE_N",
            f"    acc: ph.var[ph.tile[ph.{self.accumulator}][TILE_M, TILE_N]] = 0",
            "    for k in range(0, K, TILE_K):",
        ]
        if self.order == "transpose_a":
            lines.append("        a: ph.let = ph.transpose(A[k:+TILE_K, row:+TILE_M])")
        else:
            lines.append("        a: ph.let = A[row:+TILE_M, k:+TILE_K]")
        if self.order == "dot_t":
            lines += ["        b: ph.let = B[col:+TILE_N, k:+TILE_K]", "        acc += ph.dot_t(a, b)"]
        else:
            lines += ["        b: ph.let = B[k:+TILE_K, col:+TILE_N]", "        acc += ph.dot(a, b)"]
        lines += ["    C[row:+TILE_M, col:+TILE_N] = acc", ""]
        return "\n".join(lines)


def extent(draw: random.Random, tile: int, aligned: bool) -> int:
    """1 to 700; whole tiles where promised, and often near a tile's edge, where masks go wrong."""
    if aligned:
        return tile * draw.randint(1, max(1, 700 // tile))
    if draw.random() < 0.3:
        return min(700, max(1, tile * draw.randint(1, 4) + draw.choice((-1, 0, 1))))
    return draw.randint(1, 700)


def case(number: int) -> Case:
    draw = random.Random(f"matmul {number}")
    dtype = draw.choice(("f16", "f16", "bf16", "f32", "f32", "i8"))
    if dtype == "i8":
        tensorcore = "default"
    elif dtype == "f32":
        tensorcore = draw.choice(("", "", "default", "tf32", "tf32x3", "bf16x3"))
    else:
        tensorcore = draw.choice(("", "default", "default", "default"))
    out = {"f16": draw.choice(("f16", "f32")), "bf16": draw.choice(("bf16", "f32")), "f32": "f32", "i8": "i32"}[dtype]
    aligned = draw.random() < 0.25
    while True:
        # A third of the tiles have extents that are no powers of two, or a k shorter than an instruction's.
        odd = draw.random() < 0.35
        sides, depths = ((16, 48, 80, 96, 100), (8, 24, 40, 48)) if odd else ((16, 32, 64, 128), (16, 32, 64))
        tile = (draw.choice(sides), draw.choice(sides), draw.choice(depths))
        threads = draw.choice((0, 64, 128, 256))
        stages = draw.choice((None, None, 0, 2, 3, 4))
        m, n, k = (1 << (extent - 1).bit_length() for extent in tile)  # as layouts pad them
        shared = max(stages or 2, 1) * (m + n) * max(k, 32) * ELEMENT_BYTES[dtype]
        if shared <= MAX_SHARED_BYTES and m * n <= MAX_SUMS_PER_THREAD * (threads or 128):
            break
    shape = tuple(extent(draw, t, aligned) for t in tile)
    order = draw.choice(ORDERS)
    padding = draw.choice((0, 0, 1, 8))
    return Case(number, dtype, out, tensorcore, order, shape, tile, threads, stages, aligned, padding)


def cases(count: int = 200) -> list[Case]:
    return [case(number) for number in range(count)]
