"""Runs a kernel's text as the Python that it is, on NumPy: the meaning that docs/language.md gives to it, without the compiler.

Names of `ph` are functions on `Value`s here, control flow is Python's own. What Python cannot express is rewritten first (Rewriter): typed
declarations, conversion on assignment, slices of tensors. Sums are taken in one order and functions are NumPy's, so a result is one of
those that the language allows.
"""

from __future__ import annotations

import ast
import itertools
import math
import types

import numpy as np
from fuzz.formats import decoded, encoded, is_float
from fuzz.python_names import NAMES, DType, as_is
from fuzz.python_values import Value, convert, element


# --- Tensors
class Loaded(Value):
    """A slice that was read, and where it lies, for `ph.load`."""

    __slots__ = ("place",)

    def __init__(self, place: Place, fill=0):
        super().__init__(place.tensor.dtype, place.read(fill))
        self.place = place


class Place:
    """A slice of a tensor: starts and lengths by axis; None as length is an index, whose axis goes."""

    def __init__(self, tensor: Tensor, index):
        index = index if isinstance(index, tuple) else (index,)
        shape = tensor.raw.shape
        at = next((i for i, each in enumerate(index) if each is Ellipsis), len(index))
        missing = len(shape) - (len(index) - (at < len(index)))
        index = (*index[:at], *[slice(None)] * missing, *index[at + 1 :])
        self.tensor, self.spans = tensor, []
        for each, extent in zip(index, shape):
            if isinstance(each, slice):
                each = Span(0, extent)
            self.spans.append((int(each.start), each.length) if isinstance(each, Span) else (int(each), None))

    def parts(self):
        inside, part = [], []
        for (start, length), extent in zip(self.spans, self.tensor.raw.shape):
            low, high = max(start, 0), min(start + (length or 1), extent)
            inside.append(slice(low, max(low, high)))
            part.append(slice(low - start, max(low, high) - start))
        return tuple(inside), tuple(part), all(s.start < s.stop for s in inside)

    def read(self, fill):
        full = [1 if length is None else length for _, length in self.spans]
        tile = np.full(full, convert(fill, self.tensor.dtype).array)
        inside, part, some = self.parts()
        if some:
            tile[part] = decoded(self.tensor.raw[inside], self.tensor.dtype)
        return tile.reshape([length for _, length in self.spans if length is not None])

    def write(self, value):
        shape = [length for _, length in self.spans if length is not None]
        full = [1 if length is None else length for _, length in self.spans]
        if isinstance(value, float) and not is_float(self.tensor.dtype):
            value = convert(value, "f32")
        tile = np.broadcast_to(convert(value, self.tensor.dtype).array, shape).reshape(full)
        inside, part, some = self.parts()
        if some:
            self.tensor.raw[inside] = encoded(tile[part], self.tensor.dtype)


class Tensor:
    def __init__(self, dtype: str, raw, strides):
        self.dtype, self.raw = dtype, raw
        self.shape = [convert(n, "index") for n in raw.shape]
        self.stride = [convert(n, "index") for n in strides]
        self.ndim = raw.ndim

    def __getitem__(self, index):
        return Loaded(Place(self, index))

    def __setitem__(self, index, value):
        Place(self, index).write(value)


class Span:
    def __init__(self, start, length: int):
        self.start, self.length = start, length


# --- What Python cannot say
def span(start, length):
    return Span(0 if start is None else start, int(length))


def distance(start, stop):
    return Span(start, int(stop - start))


def counted(*bounds):
    for i in range(*(int(b) for b in bounds)):
        yield convert(i, "index")


def bind(known: dict, name: str, value, once: bool):
    """What an assignment leaves in a name: of the type that its first one gave it. A literal assigned once stays one."""
    if isinstance(value, tuple) or (once and not isinstance(value, Value)):
        return value
    if name not in known:
        known[name] = (element(value), value.shape if isinstance(value, Value) else ())
    dtype, shape = known[name]
    return Value(dtype, np.broadcast_to(convert(value, dtype).array, shape))


def declare(known: dict, name: str, value, dtype: DType, shape=()):
    known[name] = (dtype.name, tuple(shape))
    return bind(known, name, value, False)


class Rewriter(ast.NodeTransformer):
    def visit_FunctionDef(self, node):
        names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        self.once = {name for name in names if names.count(name) == 1}
        self.generic_visit(node)
        node.body.insert(0, ast.parse("_known = {}").body[0])
        for arg in node.args.args:
            arg.annotation = None
        return node

    def visit_Slice(self, node):
        self.generic_visit(node)
        nothing = ast.Constant(None)
        if node.upper is None:
            return node
        if isinstance(node.upper, ast.UnaryOp) and isinstance(node.upper.op, ast.UAdd):
            return call("_span", node.lower or nothing, node.upper.operand)
        return call("_distance", node.lower, node.upper)

    def bound(self, target, value):
        once = ast.Constant(target.id in self.once)
        return ast.Assign([target], call("_bind", name("_known"), ast.Constant(target.id), value, once))

    def visit_Assign(self, node):
        self.generic_visit(node)
        if isinstance(node.targets[0], ast.Name):
            return self.bound(node.targets[0], node.value)
        if isinstance(node.targets[0], ast.Tuple):
            parts = ast.Assign([name("_parts", ast.Store())], node.value)
            each = [
                self.bound(target, ast.Subscript(name("_parts"), ast.Constant(i), ast.Load()))
                for i, target in enumerate(node.targets[0].elts)
            ]
            return [parts, *each]
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            return self.bound(node.target, ast.BinOp(name(node.target.id), node.op, node.value))
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if not isinstance(node.annotation, ast.Subscript):
            return self.bound(node.target, node.value)
        kind, shape = node.annotation.slice, ast.Tuple([], ast.Load())
        if isinstance(kind, ast.Subscript):  # ph.tile[dtype][shape]
            shape = kind.slice if isinstance(kind.slice, ast.Tuple) else ast.Tuple([kind.slice], ast.Load())
            kind = kind.value.slice
        value = call("_declare", name("_known"), ast.Constant(node.target.id), node.value, kind, shape)
        return ast.Assign([node.target], value)


def name(text: str, context=None):
    return ast.Name(text, context or ast.Load())


def call(function: str, *args):
    return ast.Call(name(function), list(args), [])


HELPERS = {"_span": span, "_distance": distance, "_bind": bind, "_declare": declare, "range": counted}
HELPERS |= {"min": NAMES["min"], "max": NAMES["max"], "abs": NAMES["abs"], "int": lambda x: convert(x, "index")}
HELPERS |= {"float": lambda x: convert(x, "f32"), "math": math}


def run_as_python(case, kernel, buffers) -> None:
    """Leaves in the buffers what the case's kernel writes."""
    tree = ast.fix_missing_locations(Rewriter().visit(ast.parse(case.text)))
    tree.body = [node for node in tree.body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    ph = types.SimpleNamespace(**NAMES, load=lambda t, other=0: Loaded(t.place, other))
    names = {**HELPERS, "ph": ph}
    arguments = []
    for parameter, value in zip(kernel.signature["parameters"], case.arguments):
        if parameter["kind"] == "tensor":
            buffer = buffers[parameter["name"]]
            arguments.append(Tensor(parameter["dtype"], buffer.view, buffer.strides))
            names |= {dim: convert(n, "index") for dim, n in zip(parameter["dims"], buffer.view.shape) if isinstance(dim, str)}
        elif parameter["kind"] == "scalar":
            arguments.append(convert(value, parameter["dtype"]))
        else:
            arguments.append(value)
    group = []
    ph.swizzle = lambda rows: group.append(rows) or as_is
    exec(compile(tree, "<kernel as Python>", "exec", dont_inherit=True), names)
    with np.errstate(all="ignore"):
        for z, y, x in itertools.product(*(range(n) for n in reversed(case.grid))):
            ph.ctx = context((*(swizzled(x, y, case.grid, *group) if group else (x, y)), z), case.grid)
            names["kernel"](*arguments)


def swizzled(x: int, y: int, grid, rows: int) -> tuple[int, int]:
    """Groups of `rows` rows, column by column within a group; the last group may be smaller."""
    place, in_group = x + y * grid[0], rows * grid[1]
    first = place // in_group * rows
    here = min(grid[0] - first, rows)
    return first + place % in_group % here, place % in_group // here


def context(block, grid):
    def triple(values):
        return types.SimpleNamespace(**{axis: convert(n, "index") for axis, n in zip("xyz", values)})

    return types.SimpleNamespace(block=triple(block), grid=triple(grid))
