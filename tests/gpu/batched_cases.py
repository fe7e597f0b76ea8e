"""Random batched matrix products: operands of rank 3 to 5 whose batch axes stand anywhere, each with its kernel's text.

A case is decided by its number alone. Axes are letters: m, n, k, and b, h, g of the batch, which the kernel drops by an index. Nothing here
needs a GPU or torch.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

EXTENTS = {"b": "L", "h": "H", "g": "G", "m": "M", "n": "N", "k": "K"}
SUMS = {"f16": "f32", "bf16": "f32", "i8": "i32"}
VECTOR = {"f16": 8, "bf16": 8, "i8": 16}  # elements of the 16 bytes that pitches are multiples of


@dataclass(frozen=True)
class Operand:
    axes: str  # in the order of the parameter's dims
    memory: str  # from the slowest in memory to the fastest

    def parameter(self, name: str, dtype: str) -> str:
        return f"{name}: ph.tensor[ph.{dtype}][{', '.join(EXTENTS[axis] for axis in self.axes)}]"

    def slice(self, name: str, parts: dict[str, str]) -> str:
        return f"{name}[{', '.join(parts.get(axis, axis) for axis in self.axes)}]"

    def is_turned(self, rows: str, columns: str) -> bool:
        """Is the tile that the slice gives columns by rows?"""
        return self.axes.index(rows) > self.axes.index(columns)


@dataclass(frozen=True)
class Case:
    number: int
    dtype: str
    batch: str  # its axes: b, bh or bhg
    a: Operand
    b: Operand
    c: Operand
    extents: dict[str, int]
    tile: tuple[int, int, int]
    threads: int
    stages: int
    persistent: bool
    out: str

    def __str__(self) -> str:
        shape = "x".join(f"{axis}{extent}" for axis, extent in self.extents.items())
        operands = "-".join(f"{each.axes}({each.memory})" for each in (self.a, self.b, self.c))
        words = [f"{self.number:03}", self.dtype, self.out, operands, shape, "t" + "x".join(map(str, self.tile))]
        return "-".join(words + [f"th{self.threads}", f"s{self.stages}"] + ["persistent"] * self.persistent)

    @property
    def uses_bulk_copies(self) -> bool:
        """Can the copy engine bring both operands to wgmma? int8 needs neighbours along k. (Which of two axes is the fastest is not told
        where the later one has extent 1.)"""
        ends = [self.a.memory[-1], self.b.memory[-1]]
        told = all(
            self.extents[axis] > 1 for each in (self.a, self.b) for axis in each.axes.partition(each.memory[-1])[2]
        )
        return told and all(end in "mnk" for end in ends) and (self.dtype != "i8" or ends == ["k", "k"])

    def blocks(self) -> tuple[int, int, int]:
        batches = 1
        for axis in self.batch:
            batches *= self.extents[axis]
        return -(-self.extents["m"] // self.tile[0]), -(-self.extents["n"] // self.tile[1]), batches

    def source(self) -> str:
        """The text of a module with one kernel, `matmul`; the grid's z counts the batch, its last axis fastest."""
        m, n, k = self.tile
        parts = {"m": f"row:+{m}", "n": f"column:+{n}", "k": f"k:+{k}"}
        left, right = self.a.slice("A", parts), self.b.slice("B", parts)
        left = f"ph.transpose({left})" if self.a.is_turned("m", "k") else left
        product = f"ph.dot_t({left}, {right})" if self.b.is_turned("k", "n") else f"ph.dot({left}, {right})"
        result = "ph.transpose(acc)" if self.c.is_turned("m", "n") else "acc"
        parameters = [
            self.a.parameter("A", self.dtype),
            self.b.parameter("B", self.dtype),
            self.c.parameter("C", self.out),
        ]
        numbers, rest = [], "ph.ctx.block.z"
        for axis in reversed(self.batch[1:]):
            numbers.append(f"    {axis}: ph.let = {rest} % {EXTENTS[axis]}")
            rest += f" // {EXTENTS[axis]}"
        numbers.append(f"    {self.batch[0]}: ph.let = {rest}")
        return "\n".join(
            ["from __future__ import annotations", "", "import phobos.lang as ph", "", "", "@ph.kernel"]
            + [f"@ph.launch({self.threads})", "@ph.tensorcore", f"@ph.autotune(stages=[{self.stages}])"]
            + ["@ph.persistent"] * self.persistent
            + [f"def matmul({', '.join(parameters)}):"]
            + numbers
            + [f"    row: ph.let = ph.ctx.block.x * {m}", f"    column: ph.let = ph.ctx.block.y * {n}"]
            + [f"    acc: ph.var[ph.tile[ph.{SUMS[self.dtype]}][{m}, {n}]] = 0", f"    for k in range(0, K, {k}):"]
            + [f"        acc += {product}", f"    {self.c.slice('C', parts)} = {result}", ""]
        )


def operand(draw: random.Random, batch: str, matrix: str) -> Operand:
    """Batch axes anywhere among the matrix's two; one in eight has a batch axis fastest in memory."""
    axes = list(batch + matrix)
    draw.shuffle(axes)
    memory = axes[:]
    if draw.random() < 0.3:
        draw.shuffle(memory)
    if memory[-1] in batch and draw.random() < 0.75:
        memory.remove(last := draw.choice(matrix))
        memory.append(last)
        axes = memory[:] if draw.random() < 0.5 else axes
    return Operand("".join(axes), "".join(memory))


def case(number: int) -> Case:
    draw = random.Random(f"batched {number}")
    dtype = draw.choice(("f16", "f16", "bf16", "i8"))
    batch = draw.choice(("b", "bh", "bhg"))
    a, b = operand(draw, batch, "mk"), operand(draw, batch, "kn")
    if dtype == "i8" and draw.random() < 0.75:
        a, b = (Operand(batch + x + "k", batch + x + "k") for x in "mn")
    c = operand(draw, batch, "mn")
    tile = draw.choice(((64, 64, 32), (64, 128, 64), (128, 128, 64), (128, 64, 32)))
    threads = 256 if tile[0] * tile[1] > 8192 else draw.choice((128, 256)) if tile[0] == 128 else 128
    extents = {axis: draw.randint(1, 3) for axis in batch}
    vector = VECTOR[dtype]
    for axis, most in zip("mnk", (150, 150, 200)):
        # Whole vectors, so that every pitch is a multiple of 16 bytes, whichever axis is the fastest; or whole tiles.
        whole = draw.random() < 0.25
        side = tile["mnk".index(axis)]
        extents[axis] = side * draw.randint(1, 2) if whole else vector * draw.randint(1, most // vector)
    out = draw.choice({"f16": ("f16", "f16", "f32"), "bf16": ("bf16", "f32"), "i8": ("i32",)}[dtype])
    return Case(number, dtype, batch, a, b, c, extents, tile, threads, draw.choice((2, 3, 4)), draw.random() < 0.5, out)


def cases(count: int = 64) -> list[Case]:
    return [case(number) for number in range(count)]
