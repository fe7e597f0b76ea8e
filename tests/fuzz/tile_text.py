"""Reads a kernel at the tile phase, in MLIR's generic form, into operations that tile_evaluator.py runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

DTYPES = {"i1": "bool", "f8E4M3FN": "f8e4m3", "f8E5M2": "f8e5m2"}
TOKEN = re.compile(r"\s*(?://[^\n]*\n\s*)*")
NAME = re.compile(r"%[\w$.-]+(?:#\d+)?")
OPENING, CLOSING = "([{<", ")]}>"


@dataclass
class Block:
    arguments: list[str]
    operations: list[Operation] = field(default_factory=list)


@dataclass
class Operation:
    name: str  # "arith.addf"
    results: list[str]  # "%3", or "%3#0" and on of several
    operands: list[str]
    attributes: dict[str, str]  # their text
    regions: list[Block]
    operand_types: list[str]
    result_types: list[str]

    def integer(self, attribute: str, default: int = 0) -> int:
        return int(self.attributes.get(attribute, str(default)).split(":")[0])

    def integers(self, attribute: str) -> list[int]:
        """Of array<i32: 1, 2, 0>."""
        return [int(n) for n in re.findall(r"-?\d+", self.attributes[attribute].partition(":")[2])]


def parse(text: str) -> Operation:
    """The module's kernel."""
    reader = Reader(text)
    module = reader.operation()
    return next(op for op in module.regions[0].operations if op.name == "tile.kernel")


def tile_type(text: str) -> tuple[str, tuple[int, ...]]:
    """Dtype and shape of a tile or a scalar."""
    match = re.fullmatch(r"tensor<((?:\d+x)*)(\w+)>", text)
    if not match:
        return DTYPES.get(text, text), ()
    return DTYPES.get(match[2], match[2]), tuple(int(n) for n in match[1].split("x")[:-1])


class Reader:
    def __init__(self, text: str):
        self.text, self.at = text, 0

    def skip(self) -> None:
        self.at = TOKEN.match(self.text, self.at).end()

    def sees(self, word: str) -> bool:
        self.skip()
        return self.text.startswith(word, self.at)

    def take(self, word: str) -> bool:
        found = self.sees(word)
        self.at += len(word) * found
        return found

    def expect(self, word: str) -> None:
        assert self.take(word), f"expected {word!r} at {self.text[self.at : self.at + 80]!r}"

    def match(self, pattern: re.Pattern) -> str:
        self.skip()
        found = pattern.match(self.text, self.at)
        assert found, f"expected {pattern.pattern} at {self.text[self.at : self.at + 80]!r}"
        self.at = found.end()
        return found[0]

    def balanced(self, stops: str) -> str:
        """Text up to one of `stops` outside brackets and strings."""
        self.skip()
        start, depth = self.at, 0
        while True:
            c = self.text[self.at]
            if depth == 0 and c in stops:
                return self.text[start : self.at].strip()
            if c == '"':
                self.at = self.text.index('"', self.at + 1)
            elif self.text.startswith("->", self.at):
                self.at += 1
            elif c in OPENING:
                depth += 1
            elif c in CLOSING:
                depth -= 1
            self.at += 1

    def list(self, end: str, item) -> list:
        items = []
        while not self.take(end):
            items.append(item())
            self.take(",")
        return items

    def attribute(self, end: str):
        name, _, value = self.balanced("," + end).partition("=")
        return name.strip(), value.strip()

    def types(self) -> list[str]:
        if self.take("("):
            return self.list(")", lambda: self.balanced(",)"))
        return [self.balanced("\n")]

    def operation(self) -> Operation:
        results = []
        if self.sees("%"):
            name = self.match(NAME)
            count = int(self.match(re.compile(r"\d+"))) if self.take(":") else 1
            results = [name] if count == 1 else [f"{name}#{i}" for i in range(count)]
            self.expect("=")
        name = self.match(re.compile(r'"[\w.]+"'))[1:-1]
        self.expect("(")
        operands = self.list(")", lambda: self.match(NAME))
        attributes = {}
        if self.take("<{"):
            attributes |= dict(self.list("}>", lambda: self.attribute("}")))
        regions = []
        if self.take("("):
            regions = self.list(")", self.region)
        if self.take("{"):
            attributes |= dict(self.list("}", lambda: self.attribute("}")))
        self.expect(":")
        operand_types = self.types()
        self.expect("->")
        return Operation(name, results, operands, attributes, regions, operand_types, self.types())

    def region(self) -> Block:
        self.expect("{")
        arguments = []
        if self.take("^"):
            self.match(re.compile(r"\w+"))
            if self.take("("):
                arguments = self.list(")", self.argument)
            self.expect(":")
        block = Block(arguments)
        while not self.take("}"):
            block.operations.append(self.operation())
        return block

    def argument(self) -> str:
        name = self.match(NAME)
        self.expect(":")
        self.balanced(",)")
        return name
