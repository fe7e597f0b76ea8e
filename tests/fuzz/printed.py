"""What a kernel prints on the simulator, beside what the evaluation of its tile phase says that it does."""

from __future__ import annotations

import collections
import re
from dataclasses import dataclass

import numpy as np
from fuzz.formats import is_float, rounded
from fuzz.ranges import Tile

LINE = re.compile(r".*?:\d+: block \((\d+), (\d+), (\d+)\): (\w+)((?: .*)?)")
INDEX = re.compile(r" \[([\d, ]*)\]")


@dataclass
class Print:
    """One print of one block: a word, and values of which the tiles have one shape."""

    block: tuple[int, int, int]
    text: str
    values: list[Tile]

    def lines(self):
        """An index, or nothing, and the places of the values."""
        shape = next((value.shape for value in self.values if value.shape), ())
        for index in np.ndindex(shape):
            yield index, [value.mapped(lambda a: a[index] if a.shape else a) for value in self.values]  # noqa: B023


def difference(output: str, prints: list[Print]) -> str:
    """The first line that is not what it may be, or nothing. Each block's lines are in order."""
    said = collections.defaultdict(list)
    for line in output.splitlines():
        match = LINE.fullmatch(line)
        if not match:
            return f"unexpected line {line!r}"
        said[tuple(map(int, match.groups()[:3]))].append((match[4], match[5]))
    wanted = collections.defaultdict(list)
    for each in prints:
        wanted[each.block] += [(each.text, index, values) for index, values in each.lines()]
    for block in sorted(said.keys() | wanted.keys()):
        if len(said[block]) != len(wanted[block]):
            return f"block {block} prints {len(said[block])} lines, not {len(wanted[block])}"
        for (word, rest), (text, index, values) in zip(said[block], wanted[block]):
            if word != text or not agrees(rest, index, values):
                expected = " ".join(f"{v.lo} to {v.hi}" for v in values)
                return f"block {block} prints '{word}{rest}', not '{text} {list(index)} {expected}'"
    return ""


def agrees(rest: str, index: tuple[int, ...], values: list[Tile]) -> bool:
    if index:
        match = INDEX.match(rest)
        if not match or tuple(map(int, match[1].split(","))) != index:
            return False
        rest = rest[match.end() :]
    words = rest.split()
    return len(words) == len(values) and all(may_be(word, value) for word, value in zip(words, values))


def may_be(word: str, value: Tile) -> bool:
    if value.unknown is not None:
        return True
    if value.dtype == "bool":
        return word == str(bool(value.lo))
    if not is_float(value.dtype):
        return word == str(int(value.lo))
    got = rounded(np.array(float(word)), value.dtype)
    return bool(value.lo <= got <= value.hi) or bool(np.isnan(got) and np.isnan(value.lo))
