"""Random expressions of a wanted shape and class, with the type that the language gives them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from fuzz.formats import BITS, FLOAT8, FLOATS, INTEGERS, UNSIGNED, accumulator, is_float, meet

MAX_ELEMENTS = 4096
MAX_PRODUCTS = 1 << 16  # of one contraction
FUNCTIONS = ("exp", "exp2", "log", "log2", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "tanh", "erf", "sigmoid")


@dataclass(frozen=True)
class Expr:
    text: str
    dtype: str  # "index" too
    shape: tuple[int, ...]
    literal: bool = False

    @property
    def party(self) -> tuple[str, int]:
        return self.dtype, 0 if self.literal else 2 if self.shape else 1


def class_of(dtype: str) -> str:
    return "f8" if dtype in FLOAT8 else "float" if is_float(dtype) else "bool" if dtype == "bool" else "int"


def listed(items) -> str:
    return ", ".join(map(str, items))


def is_power(extent: int) -> bool:
    return extent & (extent - 1) == 0


class Expressions:
    """Draws expressions. `scope` are the names that may be read; a subclass knows how to load from tensors."""

    def __init__(self, seed: str):
        self.draw = random.Random(seed)
        self.scope: list[Expr] = []
        self.has_dot = False

    def pick(self, items):
        return self.draw.choice(items)

    def chance(self, probability: float) -> bool:
        return self.draw.random() < probability

    # --- Where to begin
    def typed(self, shape, dtype: str, depth: int) -> Expr:
        """Of exactly this dtype."""
        if dtype in FLOAT8:
            inner = self.expr(shape, "float", depth)
        else:
            inner = self.expr(shape, class_of(dtype), depth)
        return inner if inner.dtype == dtype else self.converted(inner, dtype)

    def expr(self, shape, kind: str, depth: int) -> Expr:
        """Of a class: "float", "int", "bool", or any number."""
        if kind == "number":
            kind = self.pick(["float", "float", "int", "int", "bool"])
        if depth > 0:
            for _ in range(8):
                made = self.pick(self.productions(shape, kind))(shape, kind, depth - 1)
                if made and class_of(made.dtype) == kind and made.shape == tuple(shape):
                    return made
        return self.leaf(shape, kind)

    def productions(self, shape, kind: str):
        choices = [self.chosen, self.conversion, self.call, self.where]
        choices += {
            "float": [self.arithmetic] * 6 + [self.function] * 3 + [self.rounding, self.extremes, self.extremes, self.fma, self.unary, self.bitcast],
            "int": [self.arithmetic] * 7 + [self.extremes, self.bits, self.unary, self.unary, self.cdiv, self.bitcast],
            "bool": [self.comparison] * 4 + [self.logic] * 3 + [self.test],
        }[kind]
        choices += [self.reduction] * (3 if shape else 2)
        if shape:
            choices += [self.reshape, self.transpose, self.broadcast]
            choices += [self.running] * (kind != "bool")
            if len(shape) == 2:
                choices += [self.triangle]
                choices += [self.dot] * (2 if kind != "bool" else 0)
        return choices

    def leaf(self, shape, kind: str) -> Expr:
        known = [e for e in self.scope if e.shape == tuple(shape) and class_of(e.dtype) == kind]
        if known and self.chance(0.6):
            return self.pick(known)
        dtype = self.dtype(kind)
        if not shape:
            return self.scalar_leaf(kind)
        what = self.draw.random()
        if what < 0.75:
            return self.load(shape, dtype)
        if what < 0.9 or kind != "int":
            if dtype == "f32" and self.chance(0.3):
                return Expr(f"ph.zeros({shape_text(shape)})", "f32", tuple(shape))
            return Expr(f"ph.full({shape_text(shape)}, {self.literal(dtype)}, ph.{dtype})", dtype, tuple(shape))
        axis = self.draw.randrange(len(shape))
        extent = shape[axis]
        text, dtype = (f"ph.iota({extent})", "index") if self.chance(0.6) else (f"ph.iota({extent}, ph.{dtype})", dtype)
        if len(shape) > 1:
            flat = [extent if a == axis else 1 for a in range(len(shape))]
            text = f"ph.broadcast(ph.reshape({text}, {listed(flat)}), {listed(shape)})"
        return Expr(text, dtype, tuple(shape))

    def scalar_leaf(self, kind: str) -> Expr:
        known = [e for e in self.scope if not e.shape and class_of(e.dtype) == kind]
        if known:
            return self.pick(known)
        if kind == "bool":
            return Expr(f"({self.index()} > {self.draw.randrange(4)})", "bool", ())
        return self.converted(Expr(self.index(), "index", ()), self.dtype(kind))

    def dtype(self, kind: str) -> str:
        return self.pick({"float": [*FLOATS, "f32", "f16"], "int": [*INTEGERS, "i32", "i32", "u32"], "bool": ["bool"]}[kind])

    def literal(self, dtype: str) -> str:
        if is_float(dtype):
            return self.pick(["0.5", "1.0", "2", "-1.5", "0.25", "3", "-1", "0.1", "7.0"])
        if dtype == "bool":
            return self.pick(["True", "False"])
        return str(self.draw.randint(0 if dtype in UNSIGNED else -4, 7))

    def index(self) -> str:
        """A scalar of type index."""
        return self.pick([e.text for e in self.scope if e.dtype == "index" and not e.shape])

    def load(self, shape, dtype: str) -> Expr:
        raise NotImplementedError

    def converted(self, value: Expr, dtype: str) -> Expr:
        return Expr(f"ph.{dtype}({value.text})", dtype, value.shape)

    def smaller(self, shape) -> tuple[int, ...]:
        """A shape that broadcasts to `shape`."""
        smaller = [1 if self.chance(0.25) else extent for extent in shape]
        while smaller and self.chance(0.2):
            smaller = smaller[1:]
        return tuple(smaller)

    def operand(self, shape, kind: str, depth: int, beside: str) -> Expr:
        """What may stand beside a tile of this shape: a literal, a scalar, a tile that broadcasts."""
        what = self.draw.random()
        if what < 0.25:
            literal = self.literal("f32" if beside == "float" else self.pick(["i32", "u32"]))
            dtype = "f32" if "." in literal else "index"
            return Expr(literal, dtype, (), literal=True)
        if what < 0.35:
            return self.expr((), kind, depth - 1)
        return self.expr(shape if what < 0.75 else self.smaller(shape), kind, depth)

    # --- Elementwise
    def binary(self, op: str, x: Expr, y: Expr, shape, least=None, comparing=False) -> Expr | None:
        dtype = meet([x.party, y.party], comparing)
        if dtype is None or dtype in FLOAT8:
            return None
        if least and (dtype == "bool" or (is_float(least) and not is_float(dtype))):
            dtype = least
        if any(e.literal and e.text.startswith("-") for e in (x, y)) and dtype in UNSIGNED:
            return None
        if self.chance(0.3) and op not in ("//", "%", "<<", ">>", "**"):
            x, y = y, x
        return Expr(f"({x.text} {op} {y.text})", "bool" if comparing else dtype, tuple(shape))

    def arithmetic(self, shape, kind: str, depth: int):
        if kind == "float":
            op = self.pick(["+", "-", "*", "+", "-", "*", "/", "/", "//", "%", "**"])
            first = "float" if op != "/" else self.pick(["float", "float", "int"])
            x = self.expr(shape, first, depth)
            y = self.operand(shape, self.pick(["float", "float", "number"]), depth, "float")
            if op == "**":
                x = Expr(f"ph.abs({x.text})", x.dtype, x.shape)
            return self.binary(op, x, y, shape, "f32" if op in ("/", "**") else "i32")
        op = self.pick(["+", "-", "*", "+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"])
        x = self.expr(shape, "int", depth)
        if op in ("//", "%"):
            y = Expr(str(self.pick([1, 2, 3, 4, 7, 8, 16])), "index", (), literal=True)
            if self.chance(0.3):
                divisor = self.operand(shape, "int", depth, "int")
                y = y if divisor.literal else Expr(f"({divisor.text} | 1)", divisor.dtype, divisor.shape)
        elif op in ("<<", ">>"):
            y = Expr(str(self.draw.randint(0, 7)), "index", (), literal=True)
            if self.chance(0.3):
                y = self.operand(shape, "int", depth, "int")
                y = Expr(str(abs(int(y.text)) % 8), "index", (), literal=True) if y.literal else y
        else:
            y = self.operand(shape, self.pick(["int", "int", "bool"]), depth, "int")
        return self.binary(op, x, y, shape, None if op in "&|^" else "i32")

    def comparison(self, shape, kind: str, depth: int):
        op = self.pick(["<", "<=", ">", ">=", "==", "!="])
        first = self.pick(["float", "int", "int"])
        y = self.operand(shape, "number" if first == "int" else first, depth, first)
        return self.binary(op, self.expr(shape, first, depth), y, shape, comparing=True)

    def logic(self, shape, kind: str, depth: int):
        x = self.expr(shape, "bool", depth)
        if self.chance(0.25):
            return Expr(f"(~{x.text})", "bool", tuple(shape))
        y = self.expr(self.smaller(shape), "bool", depth)
        op = self.pick(["&", "|", "^"]) if shape or self.chance(0.3) else self.pick(["and", "or"])
        return Expr(f"({x.text} {op} {y.text})", "bool", tuple(shape))

    def test(self, shape, kind: str, depth: int):
        x = self.expr(shape, "float", depth)
        return Expr(f"ph.{self.pick(['isnan', 'isinf'])}({x.text})", "bool", tuple(shape))

    def function(self, shape, kind: str, depth: int):
        x = self.expr(shape, self.pick(["float", "float", "float", "int"]), depth)
        name, text = self.pick(FUNCTIONS), x.text
        if name in ("log", "log2", "sqrt", "rsqrt") and self.chance(0.7):
            text = f"(ph.abs({text}) + 0.5)"
        if name in ("exp", "exp2", "sigmoid") and self.chance(0.7):
            text = f"ph.clamp({text}, {self.pick(['-4', '-20'])}, 4)" if x.dtype not in UNSIGNED else f"ph.min({text}, 4)"
        dtype = x.dtype if is_float(x.dtype) else "f32"
        return Expr(f"ph.{name}({text})", dtype, tuple(shape))

    def rounding(self, shape, kind: str, depth: int):
        x = self.expr(shape, "float", depth)
        return Expr(f"ph.{self.pick(['floor', 'ceil', 'round', 'trunc'])}({x.text})", x.dtype, tuple(shape))

    def unary(self, shape, kind: str, depth: int):
        x = self.expr(shape, kind, depth)
        if kind == "int" and self.chance(0.4):
            return Expr(f"(~{x.text})", x.dtype, tuple(shape))
        return Expr(self.pick([f"(-{x.text})", f"ph.abs({x.text})"]), x.dtype, tuple(shape))

    def extremes(self, shape, kind: str, depth: int):
        x = self.expr(shape, kind, depth)
        if self.chance(0.3) and x.dtype not in UNSIGNED:
            low, high = sorted(self.draw.sample(range(-5, 9), 2))
            return Expr(f"ph.clamp({x.text}, {low}, {high})", x.dtype, tuple(shape))
        y = self.operand(shape, kind, depth, kind)
        dtype = meet([x.party, y.party])
        if dtype is None or (y.text.startswith("-") and dtype in UNSIGNED):
            return None
        return Expr(f"ph.{self.pick(['min', 'max'])}({x.text}, {y.text})", dtype, tuple(shape))

    def fma(self, shape, kind: str, depth: int):
        x, y, z = self.expr(shape, "float", depth), self.operand(shape, "float", depth, "float"), self.operand(shape, "float", depth, "float")
        return Expr(f"ph.fma({x.text}, {y.text}, {z.text})", meet([x.party, y.party, z.party]), tuple(shape))

    def bits(self, shape, kind: str, depth: int):
        x = self.expr(shape, "int", depth)
        if x.dtype == "index":
            x = self.converted(x, self.pick(["i32", "u32", "i64"]))
        return Expr(f"ph.{self.pick(['popcount', 'clz'])}({x.text})", x.dtype, tuple(shape))

    def cdiv(self, shape, kind: str, depth: int):
        x = self.expr(shape, "int", depth)
        return Expr(f"ph.cdiv({x.text}, {self.pick([2, 3, 4, 16])})", x.dtype, tuple(shape))

    def where(self, shape, kind: str, depth: int):
        condition = self.expr(self.smaller(shape), "bool", depth)
        x, y = self.expr(shape, kind, depth), self.operand(shape, kind, depth, kind)
        dtype = meet([x.party, y.party])
        if dtype is None or dtype in FLOAT8 or (y.literal and (kind == "bool" or (y.text.startswith("-") and dtype in UNSIGNED))):
            return None
        x, y = (y, x) if self.chance(0.5) else (x, y)
        return Expr(f"ph.where({condition.text}, {x.text}, {y.text})", dtype, tuple(shape))

    def chosen(self, shape, kind: str, depth: int):
        """By a scalar condition, which decides what is computed."""
        if not self.chance(0.3):
            return None
        condition, dtype = self.condition(depth), self.dtype(kind)
        x, y = self.typed(shape, dtype, depth), self.typed(shape, dtype, depth)
        return Expr(f"({x.text} if {condition} else {y.text})", dtype, tuple(shape))

    def condition(self, depth: int = 1) -> str:
        """A scalar that a branch may depend on: of integers, so that it is known."""
        what = self.draw.random()
        if what < 0.3:
            return f"{self.index()} {self.pick(['<', '>', '==', '!='])} {self.draw.randrange(4)}"
        if what < 0.45:
            return f"0 < {self.index()} <= {self.draw.randrange(1, 4)}"
        if what < 0.6:
            return f"not ({self.index()} > {self.draw.randrange(3)})"
        return self.expr((), "bool", 1).text if self.chance(0.3) else f"{self.expr((), 'int', 1).text} > {self.draw.randrange(6)}"

    def conversion(self, shape, kind: str, depth: int):
        x = self.expr(shape, "number", depth)
        dtype = self.dtype(kind)
        if kind == "float" and self.chance(0.15):  # out of a type of storage
            narrow = self.typed(shape, self.pick(FLOAT8), depth)
            return self.converted(narrow, self.pick(["f16", "f32", "bf16", "f64"]))
        return None if dtype == x.dtype else self.converted(x, dtype)

    def bitcast(self, shape, kind: str, depth: int):
        to = self.dtype(kind)
        same = [d for d in (*FLOATS, *INTEGERS) if BITS[d] == BITS[to] and d != to]
        x = self.typed(shape, self.pick(same), depth)
        return Expr(f"ph.bitcast({x.text}, ph.{to})", to, tuple(shape))

    # --- Reductions and contractions
    def reduction(self, shape, kind: str, depth: int):
        if kind == "bool":
            name, source = self.pick(["any", "all"]), self.pick(["bool", "int"])
        else:
            name = self.pick(["sum", "sum", "prod", "min", "max", "max"] + ["argmax", "argmin"] * (kind == "int"))
            source = self.pick([kind, "number"]) if name.startswith("arg") else kind
        kept = [axis for axis, extent in enumerate(shape) if extent == 1]
        full, count = list(shape), 1
        keep = bool(kept) and self.chance(0.5)
        if keep:
            axes = [self.pick(kept)]
            full[axes[0]] = self.extent()
        else:
            count = 1 if name.startswith("arg") or len(shape) > 2 or self.chance(0.8) else 2
            axes = sorted(self.draw.sample(range(len(shape) + count), count))
            for axis in axes:
                full.insert(axis, self.extent())
        if math.prod(full) > MAX_ELEMENTS or len(full) > 4:
            return None
        x = self.expr(full, source, depth)
        if keep and axes[0] == len(full) - 1 and name in ("sum", "max", "argmax") and self.chance(0.5):
            text = f"ph.row{name.removeprefix('row')}({x.text})"
        elif not shape and (len(axes) == len(full) > 1 or self.chance(0.5)):
            text = f"ph.{name}({x.text})"
        else:
            signed = [axis - len(full) if self.chance(0.3) else axis for axis in axes]
            where = signed[0] if len(signed) == 1 else f"({listed(signed)})"
            text = f"ph.{name}({x.text}, axis={where}{', keepdims=True' if keep else ''})"
        dtype = {"any": "bool", "all": "bool", "argmax": "index", "argmin": "index"}.get(name, x.dtype)
        if name in ("sum", "prod") and not is_float(dtype):
            dtype = accumulator(dtype)
        elif dtype == "bool" and name in ("min", "max"):
            dtype = "i32"
        return Expr(text, dtype, tuple(shape))

    def running(self, shape, kind: str, depth: int):
        axis = self.draw.randrange(len(shape))
        x = self.expr(shape, kind, depth)
        name = self.pick(["cumsum", "cumsum", "cumprod"])
        dtype = x.dtype if is_float(x.dtype) else accumulator(x.dtype)
        return Expr(f"ph.{name}({x.text}, {axis - len(shape) if self.chance(0.3) else axis})", dtype, tuple(shape))

    def extent(self) -> int:
        return self.pick([2, 4, 8, 16, 32, 3, 5, 7, 12, 24, 1])

    def dot(self, shape, kind: str, depth: int):
        depths = [k for k in (1, 8, 16, 32, 64, 5, 24, 48) if shape[0] * shape[1] * k <= MAX_PRODUCTS and k * max(shape) <= MAX_ELEMENTS]
        if not depths:
            return None
        self.has_dot = True
        k = self.pick(depths)
        given = self.pick(["i8", "u8"] if kind == "int" else ["f16", "f16", "bf16", "f32", "f32", "f64", "f8e4m3", "f8e5m2"])
        other = self.pick(FLOAT8) if given in FLOAT8 else given
        result = {"i8": "i32", "u8": "i32", "f64": "f64"}.get(given, "f32")
        transposed = self.chance(0.3)
        a = self.typed((shape[0], k), given, depth)
        b = self.typed((shape[1], k) if transposed else (k, shape[1]), other, depth)
        text = f"ph.dot{'_t' if transposed else ''}({a.text}, {b.text}"
        if self.chance(0.3):
            text += f", {self.typed(shape, result, depth).text}"
        return Expr(text + ")", result, tuple(shape))

    # --- Shapes
    def triangle(self, shape, kind: str, depth: int):
        x = self.expr(shape, kind, depth)
        k = self.pick(["", f", k={self.draw.randint(-3, 3)}"])
        return Expr(f"ph.{self.pick(['tril', 'triu'])}({x.text}{k})", x.dtype, tuple(shape))

    def reshape(self, shape, kind: str, depth: int):
        if 1 in shape and self.chance(0.5):
            axis = shape.index(1)
            x = self.expr((*shape[:axis], *shape[axis + 1 :]), kind, depth) if len(shape) > 1 else None
            if x is None or self.chance(0.6):
                return x and Expr(f"ph.expand({x.text}, {axis})", x.dtype, tuple(shape))
            return Expr(f"{x.text}[{listed('None' if a == axis else ':' for a in range(len(shape)))}]", x.dtype, tuple(shape))
        if all(map(is_power, shape)):
            left, source = math.prod(shape), []
            while left > 1 and len(source) < 3:
                source.append(self.pick([n for n in (2, 4, 8, 16, 32, 64) if n <= left]))
                left //= source[-1]
            source.append(left)
            self.draw.shuffle(source)
        else:
            source = list(shape)
            source.insert(self.draw.randrange(len(source) + 1), 1)
        if len(source) > 4:
            return None
        x = self.expr(source, kind, depth)
        if len(shape) == 1 and self.chance(0.5):
            return Expr(f"ph.flat({x.text})", x.dtype, tuple(shape))
        written = list(shape)
        if self.chance(0.3):
            written[self.draw.randrange(len(shape))] = -1
        text = listed(written)
        return Expr(f"ph.reshape({x.text}, {self.pick([text, f'[{text}]'])})", x.dtype, tuple(shape))

    def transpose(self, shape, kind: str, depth: int):
        if len(shape) < 2:
            return None
        order = self.draw.sample(range(len(shape)), len(shape))
        if self.chance(0.4):
            order = list(reversed(range(len(shape))))
        source = [0] * len(shape)
        for place, axis in enumerate(order):
            source[axis] = shape[place]
        x = self.expr(source, kind, depth)
        if order == list(reversed(range(len(shape)))) and self.chance(0.7):
            return Expr(self.pick([f"ph.transpose({x.text})", f"{x.text}.T"]), x.dtype, tuple(shape))
        return Expr(f"ph.transpose({x.text}, {listed(order)})", x.dtype, tuple(shape))

    def broadcast(self, shape, kind: str, depth: int):
        smaller = self.smaller(shape)
        if not smaller:
            return None
        x = self.expr(smaller, kind, depth)
        return Expr(f"ph.broadcast({x.text}, {listed(shape)})", x.dtype, tuple(shape))

    def call(self, shape, kind: str, depth: int):
        return None


def shape_text(shape) -> str:
    return f"({listed(shape)},)" if len(shape) == 1 else f"({listed(shape)})"


