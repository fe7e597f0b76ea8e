"""Random programs of the kernel subset, as text: hypothesis strategies for tests of the parser."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ["a", "b", "x1", "_y", "größe", "ph", "TILE_M", "match", "type", "case", "print"]
NUMBERS = ["0", "7", "1_000", "0xFF", "0b101", "0o17", "2.5", "1e-3", ".5", "3.", "123456789012345678901234567890"]
STRINGS = ['"s"', "'t'", '"""u"""', r'"\n\x41"', r"r'\d'", '"a" "b"', '"é"']
BINARY = ["+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^"]
COMPARE = ["<", "<=", "==", "!=", ">", ">=", "is", "is not", "in", "not in"]
UNARY = ["-", "+", "~", "not "]
AUGMENTED = ["+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "@="]


class Writer:
    """Draws pieces of text; `depth` bounds how far they nest."""

    def __init__(self, draw):
        self.draw = draw

    def pick(self, items):
        return self.draw(st.sampled_from(items))

    def count(self, low, high):
        return self.draw(st.integers(low, high))

    def gap(self, inside):
        """Blank space between tokens; inside brackets it may break the line."""
        gaps = [" ", " ", "  ", " \\\n  "]
        return self.pick([*gaps, "\n", " # c )\n  ", "\n\n"] if inside else gaps)

    def items(self, depth, low=1, high=3):
        return [self.expr(depth - 1, True) for _ in range(self.count(low, high))]

    def joined(self, items):
        return ("," + self.gap(True)).join(items) + self.pick(["", "", ","] if items else [""])

    def expr(self, depth, inside=False):
        """An expression that may stand anywhere, so compound ones are mostly in parentheses, and some not."""
        if depth <= 0:
            return self.pick(self.pick([NAMES, NAMES, NUMBERS, STRINGS, ["True", "None", "..."]]))
        made = self.pick(
            [self.unary, self.binary, self.compare, self.logic, self.choice, self.call, self.attribute, self.subscript,
             self.tuple, self.list]
        )(depth, inside)  # fmt: skip
        return f"({made})" if self.pick([True, False]) else made

    def operand(self, depth, inside):
        """Something that binds tightly."""
        if depth <= 0:
            return self.pick([*NAMES, "(1)", '"s"'])
        kind = self.pick([self.call, self.attribute, self.subscript, self.list, None])
        return kind(depth, inside) if kind else f"({self.expr(depth - 1, True)})"

    def unary(self, depth, inside):
        return self.pick(UNARY) + self.operand(depth - 1, inside)

    def binary(self, depth, inside):
        parts = [self.operand(depth - 1, inside)]
        for _ in range(self.count(1, 4)):
            sign = self.pick(["", "", "", "-", "+", "~"])
            parts += [self.gap(inside), self.pick(BINARY), self.gap(inside), sign, self.operand(depth - 1, inside)]
        return "".join(parts)

    def compare(self, depth, inside):
        parts = [self.binary(depth - 1, inside)]
        for _ in range(self.count(1, 3)):
            parts += [self.pick(COMPARE), self.operand(depth - 1, inside)]
        return " ".join(parts)

    def logic(self, depth, inside):
        parts = [self.compare(depth - 1, inside)]
        for _ in range(self.count(1, 3)):
            parts += [self.pick(["and", "or", "and not", "or not"]), self.operand(depth - 1, inside)]
        return " ".join(parts)

    def choice(self, depth, inside):
        test, then, other = (self.logic(depth - 1, inside) for _ in range(3))
        return f"{then} if {test} else {other}"

    def call(self, depth, inside):
        named = [f"k{i}={self.expr(depth - 1, True)}" for i in range(self.count(0, 2))]
        return f"{self.operand(depth - 1, inside)}({self.joined(self.items(depth, 0) + named)})"

    def attribute(self, depth, inside):
        return f"{self.operand(depth - 1, inside)}.{self.pick(NAMES)}"

    def subscript(self, depth, inside):
        items = [self.index(depth - 1) for _ in range(self.count(1, 3))]
        return f"{self.operand(depth - 1, inside)}[{self.joined(items)}]"

    def index(self, depth):
        def part():
            return self.pick(["", "+", ""]) + self.binary(depth - 1, True) if self.pick([True, False]) else ""

        return self.pick([lambda: self.expr(depth, True), lambda: f"{part()}:{part()}", lambda: f"{part()}:{part()}:{part()}"])()

    def tuple(self, depth, inside):
        items = self.items(depth, 0)
        return f"({items[0]},)" if len(items) == 1 else f"({self.joined(items)})"

    def list(self, depth, inside):
        return f"[{self.joined(self.items(depth, 0))}]"

    def value(self):
        return self.pick([self.expr(3), self.expr(2) + ", " + self.expr(2), self.expr(1) + ","])

    def target(self):
        name = self.pick(NAMES)
        return self.pick(
            [name, f"{name}[{self.index(2)}]", f"{name}.x", f"({name})", f"{name}, b", f"({name}, (b, c))", f"[{name}]", f"{name},"]
        )

    def single_target(self):
        name = self.pick(NAMES)
        return self.pick([name, f"{name}[{self.index(2)}]", f"{name}.x", f"({name})"])

    def simple(self):
        return self.pick(
            [
                lambda: self.value(),
                lambda: f"{self.target()} = {self.value()}",
                lambda: f"{self.target()} = {self.target()} = {self.value()}",
                lambda: f"{self.single_target()}: {self.expr(1)}",
                lambda: f"{self.single_target()}: {self.expr(1)} = {self.value()}",
                lambda: f"{self.single_target()} {self.pick(AUGMENTED)} {self.value()}",
                lambda: self.pick(["pass", "return", "return"]),
                lambda: f"return {self.value()}",
            ]
        )()

    def suite(self, depth, indent):
        if self.pick([True, False, False]):
            return [" " + "; ".join(self.simple() for _ in range(self.count(1, 2))) + self.pick(["", ";"])]
        return ["", *self.block(depth - 1, indent + self.pick(["    ", "  ", "\t"]))]

    def block(self, depth, indent):
        lines = []
        for _ in range(self.count(1, 3)):
            if self.pick([True, False, False, False]):
                lines.append(self.pick(["", indent + "# c", "# c", "   "]))
            lines += self.statement(depth, indent)
        return lines

    def headed(self, header, depth, indent):
        first, *rest = self.suite(depth, indent)
        return [f"{indent}{header}:{first}", *rest]

    def statement(self, depth, indent):
        if depth <= 0 or self.pick([True, False]):
            return [indent + self.simple() + self.pick(["", "  # c"])]
        kind = self.pick(["if", "for", "while"])
        if kind == "for":
            return self.headed(f"for {self.target()} in {self.value()}", depth, indent)
        if kind == "while":
            return self.headed(f"while {self.expr(2)}", depth, indent) + [indent + "pass"]
        lines = self.headed(f"if {self.expr(2)}", depth, indent)
        for _ in range(self.count(0, 2)):
            lines += self.headed(f"elif {self.expr(2)}", depth, indent)
        if self.pick([True, False]):
            lines += self.headed("else", depth, indent)
        return lines

    def function(self):
        params = [f"p{i}" + self.pick(["", ": " + self.expr(1, True)]) for i in range(self.count(0, 3))]
        if params and self.pick([True, False]):
            params[-1] += f" = {self.expr(1, True)}"
        if len(params) > 1 and self.pick([True, False]):
            params.insert(1, "/")
        if params and self.pick([True, False]):
            params += ["*", f"k={self.expr(1, True)}", "l"]
        returns = self.pick(["", f" -> {self.expr(1)}"])
        decorators = self.pick([["@ph.kernel"], ["@ph.launch(128, min_blocks=2)", "@ph.fn"], ["@ph.kernel(key=[a])"]])
        first, *rest = self.headed(f"def f({self.joined(params)}){returns}", 3, "")
        return [*decorators, first, *rest]


@st.composite
def kernel_programs(draw) -> str:
    writer = Writer(draw)
    lines = ["import phobos.lang as ph", ""]
    for _ in range(draw(st.integers(1, 2))):
        lines += [*writer.function(), *[""] * draw(st.integers(0, 2))]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))
