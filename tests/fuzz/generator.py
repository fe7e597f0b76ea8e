"""Random kernels: `case(number)` is decided by its number alone.

A kernel has statements of every sort around random expressions (expressions.py): slices of inputs at aligned, misaligned and ragged
places, variables, loops, branches, device functions, products along a k loop, and stores. Blocks write apart: the number of the block,
`b`, chooses the part of an output. What a kernel reads is never what it writes, but for `+=` and a slice read back.
"""

from __future__ import annotations

import math

from fuzz.cases import HEADER, Array, Case
from fuzz.expressions import Expr, Expressions, class_of, listed, shape_text
from fuzz.formats import FLOAT8, FLOATS, INTEGERS, UNSIGNED, is_float, meet

CHIPS = ("sm_75", "sm_80", "sm_80", "sm_90a", "sm_90a", "sm_89", "sm_120a")
FILLS = {"float": ("small", "small", "unit", "unit", "wide", "special"), "int": ("small", "small", "bits"), "bool": ("bits",)}
FILLS |= {"f8": ("small", "unit", "bits")}
EXTENTS = (1, 2, 4, 8, 16, 16, 32, 32, 64, 64, 128, 3, 5, 7, 12, 20, 24, 48, 100)


class Generator(Expressions):
    def __init__(self, number: int):
        super().__init__(f"kernel {number}")
        self.number = number
        self.parameters: list[tuple[str, object]] = []  # annotated, and the argument
        self.functions: list[str] = []
        self.inputs: list[tuple[Array, list]] = []  # with the dims as written
        self.dims: dict[str, int] = {}
        self.lines: list[str] = []
        self.variables: list[Expr] = []  # of scope: those that may be assigned again
        self.indent = 1
        self.names = 0
        self.in_function = False
        self.tensorcore = False
        self.outputs: list[tuple[str, str, tuple[int, ...]]] = []  # slices of this block's own, dtypes, shapes
        self.grid = self.pick([(1, 1, 1), (2, 1, 1), (3, 1, 1), (4, 1, 1), (2, 2, 1), (1, 3, 1), (2, 1, 2), (3, 2, 1)])
        self.extents = [self.pick(EXTENTS) for _ in range(self.draw.randint(2, 4))]
        self.limit = max(self.pick([64, 256, 1024, 1024, 4096]), *self.extents)

    # --- Small things
    def name(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def write(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def shape(self, ranks=(1, 1, 2, 2, 2, 2, 3, 4)) -> tuple[int, ...]:
        while True:
            shape = tuple(self.pick(self.extents) for _ in range(self.pick(ranks)))
            if math.prod(shape) <= self.limit:
                return shape

    def known(self, name: str, dtype: str, shape=()) -> Expr:
        made = Expr(name, dtype, tuple(shape))
        self.scope.append(made)
        return made

    def number_of(self, text: str, low: int, high: int) -> str:
        return self.pick([text, f"{text} + {self.draw.randint(0, high)}", f"{text} - {self.draw.randint(1, 3)}"])

    # --- Parameters
    def dim(self, extent: int):
        """How an extent is written in the signature: a number, or a name bound at launch."""
        if self.chance(0.5):
            return extent
        same = [name for name, value in self.dims.items() if value == extent]
        if same and self.chance(0.5):
            return self.pick(same)
        name = f"M{len(self.dims)}"
        self.dims[name] = extent
        return name

    def tensor(self, letter: str, dtype: str, shape, data: str) -> tuple[Array, list]:
        """A new parameter. Arrays lie in memory in various ways."""
        name = f"{letter}{len(self.parameters)}"
        array = Array(name, dtype, tuple(shape), data, self.draw.randrange(1 << 20))
        if len(shape) > 1 and self.chance(0.3):
            array.padding = self.pick([1, 3, 8, 16])
        if len(shape) > 1 and self.chance(0.15):
            array.order = tuple(self.draw.sample(range(len(shape)), len(shape)))
        if self.chance(0.15):
            array.shift = self.pick([1, 2, 4, 8])
        if self.chance(0.05):
            array.step = self.pick([2, 3])
        if letter == "A" and self.chance(0.06):
            array.repeated = self.draw.randrange(len(shape))
        if letter == "A" and self.chance(0.02):
            empty = self.draw.randrange(len(shape))
            array.shape = tuple(0 if axis == empty else n for axis, n in enumerate(shape))
            shape = array.shape
        dims = [self.dim(n) for n in shape]
        self.parameters.append((f"{name}: ph.tensor[ph.{dtype}][{listed(dims)}]", array))
        return array, dims

    def scalar_parameter(self) -> None:
        dtype = self.pick(["i32", "i32", "f32", "f32", "f16", "f64", "i64", "u8", "u32", "bool", "bf16", "i8", "u64", "i16"])
        name = f"s{len(self.parameters)}"
        if class_of(dtype) == "float":
            value = self.pick([0.5, -1.25, 3.0, 0.0, 2.0])
        elif dtype == "bool":
            value = self.chance(0.5)
        else:
            value = self.draw.randint(0 if dtype in UNSIGNED else -3, 5)
        self.parameters.append((f"{name}: ph.{dtype}", value))
        self.known(name, dtype)

    # --- Slices
    def start(self, length: int) -> str:
        """Where a span begins: anywhere, and often just off the edge."""
        what = self.draw.random()
        if what < 0.3:
            return str(self.pick([0, 0, 0, 1, 3, 4, 8, 16, length]))
        index = self.index()
        if what < 0.6:
            return f"{index} * {length}"
        if what < 0.8:
            return f"{index} * {length} {self.pick(['+', '-'])} {self.draw.randint(1, 9)}"
        return f"{index} {self.pick(['+', '-'])} {self.draw.randint(1, length + 3)}"

    def span(self, length: int, extent: int, dim) -> str:
        if length == extent and isinstance(dim, int) and self.chance(0.6):
            return ":"
        start = self.start(length)
        if self.chance(0.1):
            return f"{start}:{start} + {length}"
        return f"{start}:+{length}"

    def extent_near(self, length: int) -> int:
        """An extent of a tensor that is sliced by `length`: whole tiles, or a few more or less."""
        whole = length * self.draw.randint(1, 3)
        return max(1, whole + self.pick([0, 0, 0, -1, 1, 5, -length // 2]))

    def load(self, shape, dtype: str) -> Expr:
        if self.in_function:
            return Expr(f"ph.full({shape_text(shape)}, {self.literal(dtype)}, ph.{dtype})", dtype, tuple(shape))
        points = self.pick([0, 0, 0, 1]) if len(shape) < 4 else 0
        rank = len(shape) + points
        fits = [(a, d) for a, d in self.inputs if a.dtype == dtype and len(a.shape) == rank]
        if fits and self.chance(0.4):
            array, dims = self.pick(fits)
        else:
            extents = [n if self.chance(0.3) else self.extent_near(n) for n in shape]
            for _ in range(points):
                extents.insert(self.draw.randrange(len(extents) + 1), self.draw.randint(1, 4))
            array, dims = self.tensor("A", dtype, extents, self.pick(FILLS[class_of(dtype)]))
            self.inputs.append((array, dims))
        axes = sorted(self.draw.sample(range(rank), points))
        parts, lengths = [], list(shape)
        for axis in range(rank):
            if axis in axes:
                known = str(self.draw.randrange(array.shape[axis])) if array.shape[axis] else "b"
                parts.append(self.pick([self.index(), known]))
            else:
                parts.append(self.span(lengths.pop(0), array.shape[axis], dims[axis]))
        text = f"{array.name}[{listed(parts)}]"
        if self.chance(0.15):
            fill = self.literal(dtype if dtype not in FLOAT8 else "f32")
            text = f"ph.load({text}, other={fill})"
        return Expr(text, dtype, tuple(shape))

    # --- Device functions
    def call(self, shape, kind: str, depth: int):
        if self.in_function or not self.chance(0.25):
            return None
        given = [self.expr(shape, "number", depth)] + [self.expr(self.smaller(shape), "number", depth) for _ in range(self.draw.randint(0, 2))]
        name = self.name("f")
        body = self.function_text(name, given, lambda: [self.expr(shape, kind, 2)])
        self.functions.append(body[0])
        (result,) = body[1]
        return Expr(f"{name}({listed(e.text for e in given)})", result.dtype, tuple(shape))

    def function_text(self, name: str, given: list[Expr], results):
        """A function of these arguments' types; `results` draws what it returns."""
        outer = self.scope, self.variables, self.lines, self.indent
        parameters = [Expr(f"p{i}", e.dtype, e.shape) for i, e in enumerate(given)]
        self.scope, self.variables, self.lines, self.indent, self.in_function = [*parameters], [], [], 1, True
        self.write("j: ph.let = ph.ctx.block.x")
        self.known("j", "index")
        if self.chance(0.4):
            self.let()
        made = results()
        if len(made) == 1 and made[0].dtype != "index" and self.chance(0.3):
            self.write(f"if {self.condition()}:")
            self.write(f"    return {self.typed(made[0].shape, made[0].dtype, 1).text}")
        self.write(f"return {listed(e.text for e in made)}")
        text = f"@ph.fn\ndef {name}({listed(p.text for p in parameters)}):\n" + "\n".join(self.lines)
        self.scope, self.variables, self.lines, self.indent, self.in_function = *outer, False
        return text, made

    # --- Statements
    def block(self, count: int, level: int) -> None:
        """Statements one level deeper; names made there end there."""
        self.indent += 1
        scope, variables, outputs, begin = list(self.scope), list(self.variables), list(self.outputs), len(self.lines)
        for _ in range(count):
            self.statement(level)
        if len(self.lines) == begin:
            self.write("pass")
        self.scope, self.variables, self.outputs = scope, variables, outputs
        self.indent -= 1

    def statement(self, level: int) -> None:
        choices = [self.let, self.let, self.variable, self.assign, self.assign, self.augment, self.store, self.read_back]
        if level < 2:
            choices += [self.branch, self.loop, self.loop, self.unpack, self.product_loop, self.product_loop]
            choices += [self.while_loop, self.unrolled]
        if self.chance(0.15):
            choices = [self.say, self.claim]
        chosen = self.pick(choices)
        chosen(level) if chosen in (self.branch, self.loop, self.while_loop, self.unrolled) else chosen()

    def say(self) -> None:
        """A print of what is in scope and small."""
        shapes = [e.shape for e in self.scope if e.shape and math.prod(e.shape) <= 64]
        shape = self.pick(shapes) if shapes else ()
        values = [e.text for e in self.scope if e.shape in ((), shape)]
        values = self.draw.sample(values, min(len(values), self.draw.randint(0, 3)))
        word = self.name("said")
        self.write(f'ph.print("{word}"{"".join(f", {value}" for value in values)})')

    def claim(self) -> None:
        """An assertion that holds."""
        about = [e for e in self.scope if class_of(e.dtype) in ("int", "float")]
        if about:
            x = self.pick(about)
            holds = f"({x.text} & 7) < 8" if class_of(x.dtype) == "int" else f"~(ph.abs({x.text}) < 0)"
            self.write(f"ph.assert_({holds})")

    def let(self) -> None:
        shape = () if self.chance(0.2) else self.shape()
        value = self.expr(shape, "number", 3)
        name = self.name("x")
        self.write(self.pick([f"{name}: ph.let = {value.text}", f"{name} = {value.text}"]))
        self.known(name, value.dtype, shape)

    def variable(self) -> None:
        shape = () if self.chance(0.2) else self.shape()
        name = self.name("v")
        if self.chance(0.5):
            value = self.expr(shape, "number", 2)
            dtype = value.dtype
            self.write(f"{name}: ph.var = {value.text}")
        else:
            dtype = self.dtype(self.pick(["float", "int", "bool"]))
            kind = f"ph.tile[ph.{dtype}][{listed(shape)}]" if shape else f"ph.{dtype}"
            value = self.literal(dtype) if self.chance(0.6) else self.typed(shape, dtype, 2).text
            self.write(f"{name}: ph.var[{kind}] = {value}")
        self.variables.append(self.known(name, dtype, shape))

    def assign(self) -> None:
        if not self.variables:
            return self.variable()
        target = self.pick(self.variables)
        value = self.typed(target.shape, target.dtype, 3) if target.dtype != "index" else self.index_value(target.shape)
        self.write(f"{target.text} = {value.text}")

    def index_value(self, shape) -> Expr:
        whole = Expr(self.index(), "index", ())
        if not shape:
            return Expr(f"({whole.text} + {self.draw.randint(0, 3)})", "index", ())
        return Expr(f"(ph.broadcast(ph.iota({shape[-1]}), {listed(shape)}) * {whole.text})", "index", tuple(shape))

    def augment(self) -> None:
        if not self.variables:
            return self.variable()
        target = self.pick(self.variables)
        kind = class_of(target.dtype)
        if kind == "bool":
            op, value = self.pick("&|^"), self.typed(target.shape, "bool", 2)
        elif target.dtype == "index":
            op, value = self.pick(["+", "*", "-"]), self.index_value(target.shape)
        else:
            op = self.pick(["+", "-", "*", "+"] + (["/"] if kind == "float" else ["&", "|", "^"]))
            value = self.typed(target.shape if self.chance(0.6) else self.smaller(target.shape), target.dtype, 2)
        self.write(f"{target.text} {op}= {value.text}")

    def branch(self, level: int) -> None:
        self.write(f"if {self.condition(2)}:")
        self.block(self.draw.randint(1, 2), level + 1)
        if self.chance(0.3):
            self.write(f"elif {self.condition()}:")
            self.block(1, level + 1)
        if self.chance(0.5):
            self.write("else:")
            self.block(self.draw.randint(1, 2), level + 1)

    def bounds(self) -> str:
        stop = self.pick([str(self.draw.randint(0, 4)), f"ph.min({self.index()}, 3)", f"{self.index()} % 4"])
        what = self.draw.random()
        if what < 0.6:
            return stop
        if what < 0.85:
            return f"{self.draw.randint(0, 2)}, {self.draw.randint(1, 9)}, {self.draw.randint(2, 4)}"
        return f"{self.draw.randint(3, 6)}, 0, -{self.draw.randint(1, 3)}"

    def loop(self, level: int) -> None:
        if not self.variables:
            self.variable()
        name = self.name("i")
        self.write(f"for {name} in range({self.bounds()}):")
        scope = list(self.scope)
        self.known(name, "index")
        self.block(self.draw.randint(1, 3), level + 1)
        if self.chance(0.2):
            self.write(f"    if {self.condition()}:")
            self.write(f"        {self.pick(['break', 'continue'])}")
            self.block(1, level + 1)
        self.scope = scope

    def while_loop(self, level: int) -> None:
        name = self.name("w")
        self.write(f"{name}: ph.var[ph.i32] = {self.draw.randint(0, 2)}")
        self.write(f"while {name} < {self.draw.randint(1, 4)}{self.pick(['', f' and {self.index()} < 3'])}:")
        scope = list(self.scope)
        self.known(name, "i32")
        self.write(f"    {name} += 1")
        self.block(self.draw.randint(1, 2), level + 1)
        self.scope = scope

    def unrolled(self, level: int) -> None:
        name = self.name("u")
        self.write(f"for {name} in ph.unroll({self.draw.randint(1, 3)}):")
        self.block(1, level + 1)
        if self.variables:
            target = self.pick(self.variables)
            if is_float(target.dtype):
                self.write(f"    {target.text} = {target.text} + {name}")

    def unpack(self) -> None:
        shape = self.shape()
        if self.chance(0.5) or self.in_function:
            names = [self.name("t"), self.name("t")]
            values = [self.expr(shape, "number", 2) for _ in names]
            self.write(f"{listed(names)} = {listed(e.text for e in values)}")
        else:
            given = [self.expr(shape, "number", 1)]
            function = self.name("f")
            names = [self.name("t"), self.name("t")]
            text, values = self.function_text(function, given, lambda: [self.expr(shape, "number", 2), self.expr(shape, "number", 1)])
            self.functions.append(text)
            self.write(f"{listed(names)} = {function}({given[0].text})")
        for name, value in zip(names, values):
            self.known(name, value.dtype, shape)

    def product_loop(self) -> None:
        """acc += a b along k, as products of matrices are written, with or without more around it."""
        m, n = (self.pick([16, 32, 64, 64, 128, 24, 8, 48, 100]) for _ in range(2))
        k = self.pick([8, 16, 16, 32, 32, 64, 24, 20])
        dtype = self.pick(["f16", "f16", "f16", "bf16", "bf16", "f32", "f32", "i8", "u8", "f64", "f8e4m3", "f8e5m2"])
        plain = self.chance(0.35)  # as tensor cores and the copy engine like it best
        if plain:
            m, n, k = self.pick([64, 64, 128]), self.pick([16, 32, 64]), self.pick([16, 32, 64])
            dtype = self.pick(["f16", "bf16", "f16", "bf16", "f32", "i8"])
            self.tensorcore = True
        if m * n > 4096:
            return
        self.has_dot = True
        result = {"i8": "i32", "u8": "i32", "f64": "f64"}.get(dtype, "f32")
        depth = max(1, k * self.draw.randint(1, 4) + self.pick([0, 0, 0, -1, 1, 3, -5]))
        swapped = [self.chance(0.25), self.chance(0.25)]
        data = self.pick(["small", "small", "unit"])
        shapes = [(self.extent_near(m), depth), (depth, self.extent_near(n))]
        if plain:
            depth = k * self.draw.randint(1, 4)
            shapes = [(m * 2, depth), (depth, n * self.draw.randint(1, 2))]
        arrays = [self.tensor("A", dtype, s[::-1] if t else s, data)[0] for s, t in zip(shapes, swapped)]
        if plain:
            for array in arrays:
                array.order, array.padding, array.shift, array.step, array.repeated = None, 0, 0, 1, None
        i, acc, a, b = self.name("k"), self.name("acc"), self.name("a"), self.name("b")
        row, column = self.start(m), self.start(n)
        self.write(f"{acc}: ph.var[ph.tile[ph.{result}][{m}, {n}]] = {self.pick(['0', '0', '1'])}")
        end = next((d for d, v in self.dims.items() if v == depth), str(depth))
        self.write(f"for {i} in range(0, {end}, {k}):")
        slices = [(f"{row}:+{m}", f"{i}:+{k}"), (f"{i}:+{k}", f"{column}:+{n}")]
        for name, array, (first, second), turned in zip((a, b), arrays, slices, swapped):
            text = f"{array.name}[{second}, {first}]" if turned else f"{array.name}[{first}, {second}]"
            text = self.pick([f"ph.transpose({text})", f"{text}.T"]) if turned and name == a else text
            if self.chance(0.12) and not plain and dtype in ("f16", "f32", "bf16"):
                text = f"({text} * ph.{dtype}(0.5))"
            self.write(f"    {name} = {text}")
        product = f"ph.dot_t({a}, {b})" if swapped[1] else f"ph.dot({a}, {b})"
        self.write(self.pick([f"    {acc} += {product}", f"    {acc} += {product}", f"    {acc} = {product[:-1]}, {acc})"]))
        self.variables.append(self.known(acc, result, (m, n)))
        if self.chance(0.2) and not plain:
            scope = list(self.scope)
            self.known(i, "index")
            self.block(1, 2)
            self.scope = scope

    def store(self, value: Expr | None = None) -> None:
        if self.in_function or len(self.parameters) > 24:
            return
        if value is None:
            shape = self.shape()
            value = self.expr(shape, "number", self.draw.randint(1, 4))
        shape = value.shape
        blocks = math.prod(self.grid)
        same = value.dtype if value.dtype != "index" else "i32"
        dtype = self.pick([same, same, same, self.pick([*FLOATS, *INTEGERS, "bool", *FLOAT8])])
        if not shape or len(shape) == 4 or self.chance(0.3):  # an axis for the blocks
            array, dims = self.tensor("O", dtype, (blocks, *shape), "small")
            parts = ["b", *(self.span_of_output(n, array, axis + 1, dims) for axis, n in enumerate(shape))]
        else:
            ragged = self.pick([0, 0, -1, -shape[0] // 2, 3])
            extents = [max(1, blocks * shape[0] + ragged), *(self.extent_near(n) for n in shape[1:])]
            array, dims = self.tensor("O", dtype, extents, "small")
            shift = self.pick(["", "", "", " + 1", " - 2"])
            parts = [f"b * {shape[0]}{shift}:+{shape[0]}"]
            parts += [self.span_of_output(n, array, axis + 1, dims) for axis, n in enumerate(shape[1:])]
        text = f"{array.name}[{listed(parts)}]"
        self.outputs.append((text, dtype, shape))
        self.write(f"{text} {'+' if self.chance(0.15) and class_of(dtype) in ('float', 'int') and self.adds(dtype, value) else ''}= {value.text}")

    def read_back(self) -> None:
        """What this block stored, read again, and perhaps stored over."""
        here = [o for o in self.outputs if o[1] not in FLOAT8 and o[2]]
        if not here or self.in_function:
            return self.store()
        text, dtype, shape = self.pick(here)
        name = self.name("r")
        self.write(f"{name} = {text}")
        value = self.known(name, dtype, shape)
        if self.chance(0.5):
            turned = shape == shape[::-1] and len(shape) == 2 and self.chance(0.7)
            self.write(f"{text} = {f'{name}.T' if turned else self.typed(shape, dtype, 2).text}")
        else:
            self.store(value)

    def adds(self, dtype: str, value: Expr) -> bool:
        """Have both a common type?"""
        return meet([(dtype, 2 if value.shape else 1), value.party]) is not None

    def span_of_output(self, length: int, array: Array, axis: int, dims) -> str:
        if array.shape[axis] == length and isinstance(dims[axis], int) and self.chance(0.6):
            return ":"
        return f"{self.pick([0, 0, 1, 4, 'b - 1', 'b * 3'])}:+{length}"

    # --- The kernel
    def case(self) -> Case:
        self.write(f"b: ph.let = {self.block_number()}")
        self.known("b", "index")
        for _ in range(self.draw.randint(0, 3)):
            self.scalar_parameter()
        if self.chance(0.1):
            self.write(f"if b == {self.draw.randint(1, 3)}:")
            self.write("    return")
        flag = self.chance(0.15)
        if flag:
            self.parameters.append(("flag: ph.const[ph.bool]", self.chance(0.5)))
            self.write("if flag:")
            self.block(1, 2)
            self.write("else:")
            self.block(1, 2)
        for _ in range(self.draw.randint(1, 5)):
            self.statement(0)
        values = [e for e in self.scope if e.shape and class_of(e.dtype) != "f8"]
        for value in values[-6:]:
            self.store(value)
        self.store()
        if self.chance(0.3):
            self.store(self.expr((), self.pick(["float", "int"]), 3))
        return self.finish()

    def block_number(self) -> str:
        text = "ph.ctx.block.x"
        if self.grid[1] > 1:
            text += " + ph.ctx.grid.x * ph.ctx.block.y"
        if self.grid[2] > 1:
            text += " + ph.ctx.grid.x * ph.ctx.grid.y * ph.ctx.block.z"
        return text

    def decorators(self) -> list[str]:
        lines = ["@ph.kernel"]
        if self.chance(0.8):
            threads = self.pick([128, 128, 256] if self.tensorcore else [32, 64, 128, 128, 256, 256, 512])
            lines.append(f"@ph.launch({threads})")
        if self.has_dot and self.chance(0.95 if self.tensorcore else 0.6):
            lines.append(self.pick(["@ph.tensorcore", "@ph.tensorcore", '@ph.tensorcore(f32="tf32")', '@ph.tensorcore(f32="bf16x3")']))
        if self.has_dot and self.chance(0.4):
            lines.append(self.pick(["@ph.pipeline(False)", "@ph.autotune(stages=[1])", "@ph.autotune(stages=[3])", "@ph.autotune(stages=[4])"]))
        promised = [(name, value & -value or 8) for name, value in self.dims.items() if value % 4 == 0]
        if promised and self.chance(0.25):
            lines.append(f"@ph.aligned({listed(f'{name}={multiple}' for name, multiple in promised[:2])})")
        if self.chance(0.3 if self.tensorcore else 0.07):
            lines.append(self.pick(["@ph.persistent", '@ph.persistent(order="queue")']))
        if self.grid[1] > 1 and self.chance(0.3):
            lines.append(f"@ph.swizzle({self.draw.randint(1, 3)})")
        if self.chance(0.1):
            lines.append("@ph.dependent")
        clusters = [(x, y) for x in (1, 2, 3, 4) for y in (1, 2, 3, 4) if 1 < x * y <= 8 and not self.grid[0] % x and not self.grid[1] % y]
        if clusters and not any("persistent" in line or "swizzle" in line for line in lines) and self.chance(0.3):
            lines.append(f"@ph.cluster{self.pick(clusters)}")
        return lines

    def finish(self) -> Case:
        functions = "".join(f"\n\n{text}\n" for text in self.functions)
        signature = f"def kernel({listed(text for text, _ in self.parameters)}):"
        text = HEADER + functions + "\n\n" + "\n".join([*self.decorators(), signature, *self.lines]) + "\n"
        return Case(
            text,
            [argument for _, argument in self.parameters],
            self.grid,
            "sm_90a" if self.tensorcore and self.chance(0.6) else self.pick(CHIPS),
            self.pick([0, 0, self.draw.randrange(1, 1000)]),
            self.pick(["all", "all", "all", "all", ""]),
            self.pick(["0", "0", "0", "0", "1"]),
        )


def case(number: int) -> Case:
    return Generator(number).case()

