"""What a kernel of the corpus comes with: shapes, and a function that launches it and says what should have come out.

    @case(softmax, (4, 128), (5, 100))
    def check_softmax(given, m, n):
        x, y = given.normal(m, n), given.out(m, n)
        softmax[cdiv(m, ROWS)](x, y)
        return [(y, exact(x).softmax(1), 1e-6)]

Every kernel's docstring is `What it computes. After whose it is.`: the table in docs/corpus.md is made of it.
"""

from __future__ import annotations

import importlib
import pathlib
import re
import zlib
from dataclasses import dataclass

FOLDER = pathlib.Path(__file__).resolve().parent
DTYPES = {"bool": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64"}
DTYPES |= {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
CASES = {}


@dataclass(frozen=True)
class Case:
    kernel: object
    check: object
    shapes: tuple

    @property
    def name(self) -> str:
        return self.kernel.__name__

    @property
    def file(self) -> str:
        return pathlib.Path(self.check.__code__.co_filename).name

    @property
    def what_and_whose(self) -> tuple[str, str]:
        text = " ".join((self.kernel.__doc__ or "").split())
        match = re.fullmatch(r"(.+)\. After (.+)\.", text)
        assert match, f"{self.file}: the docstring of {self.name} is not `What. After whose.`"
        return match[1], match[2]


def case(kernel, *shapes):
    """Enters a kernel, with the function below as its check, at these shapes."""

    def enter(check):
        assert kernel.__name__ not in CASES, kernel.__name__
        CASES[kernel.__name__] = Case(kernel, check, shapes)
        return check

    return enter


def load() -> list[Case]:
    """All of the corpus, by file."""
    for path in sorted(FOLDER.glob("*.py")):
        importlib.import_module(f"gpu.corpus.{path.stem}")
    return list(CASES.values())


def table() -> str:
    lines = ["| kernel | what it computes | after | file |", "|---|---|---|---|"]
    lines += [
        f"| `{c.name}` | {' | '.join(c.what_and_whose)} | [{c.file}](../tests/gpu/corpus/{c.file}) |" for c in load()
    ]
    return "\n".join(lines) + "\n"


class Given:
    """Makes arrays on the GPU: numbers that depend on the case alone, and results marked with a number that none of them should have."""

    def __init__(self, torch, name: str):
        self.torch = torch
        self.generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))

    def dtype(self, name: str):
        return getattr(self.torch, DTYPES[name])

    def normal(self, *shape, dtype="f32"):
        return self.torch.randn(shape, generator=self.generator).to(self.dtype(dtype)).cuda()

    def uniform(self, *shape, low=0.0, high=1.0, dtype="f32"):
        return (self.torch.rand(shape, generator=self.generator) * (high - low) + low).to(self.dtype(dtype)).cuda()

    def integers(self, low: int, high: int, *shape, dtype="i32"):
        return self.torch.randint(low, high, shape, generator=self.generator).to(self.dtype(dtype)).cuda()

    def permutation(self, n: int):
        return self.torch.randperm(n, generator=self.generator).int().cuda()

    def out(self, *shape, dtype="f32"):
        return self.torch.full(shape, 77).to(self.dtype(dtype)).cuda()

    def zeros(self, *shape, dtype="f32"):
        return self.torch.zeros(shape, dtype=self.dtype(dtype)).cuda()

    def array(self, values, dtype="i32"):
        return self.torch.tensor(values).to(self.dtype(dtype)).cuda()


def exact(*arrays):
    """In float64, on the CPU."""
    wide = [array.cpu().double() for array in arrays]
    return wide[0] if len(wide) == 1 else wide


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


def problem(torch, got, want, tolerance: float) -> str | None:
    """What is wrong with a result: differences beyond tolerance * (1 + abs(want)); NaN is right where it is wanted."""
    got, want = got.cpu(), want.cpu()
    if got.shape != want.shape:
        return f"shape {tuple(got.shape)} instead of {tuple(want.shape)}"
    got, want = (x.long() if tolerance == 0 and not x.is_floating_point() else x.double() for x in (got, want))
    good = (got == want) | (torch.isnan(got) & torch.isnan(want))
    if tolerance:
        good |= (got - want).abs() <= tolerance * (1 + want.abs())
    if good.all():
        return None
    i = tuple((~good).nonzero()[0].tolist())
    return f"{got[i].item()!r} at {i}, not {want[i].item()!r}; {int((~good).sum())} of {good.numel()} are wrong"
