"""A NumPy evaluation of the tile dialect: what each op means, on ranges of values (ranges.py), block after block.

    memory = {"A": Memory(...), ...}
    run(tile_text.parse(text), memory, scalars, grid)     # memory now holds what each element may be

The meaning is docs/dialects/tile.md's and upstream's of arith, math and scf. Tensors are arrays by index: strides do not matter.
"""

from __future__ import annotations

import functools
import itertools
import operator
import re

import numpy as np
from fuzz import ranges
from fuzz.formats import BITS, MEMORY, decoded, encoded, float_to_integer, integer_to_float, is_float, rounded
from fuzz.printed import Print
from fuzz.ranges import Tile, Undecided, either
from fuzz.tile_text import Block, Operation, tile_type

MAX_TURNS = 100_000
KINDS = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
UNSIGNED = {np.dtype(f"int{n}"): np.dtype(f"uint{n}") for n in (8, 16, 32, 64)}
SIMPLE = {}  # op name -> function of an Operation and its operands


def simple(*names: str):
    def add(function):
        for name in names:
            SIMPLE[name] = function
        return function

    return add


class Memory:
    """A tensor: what each element may be."""

    def __init__(self, name: str, values: Tile):
        self.name, self.dtype = name, values.dtype
        self.lo, self.hi = values.lo.copy(), values.hi.copy()
        self.unknown, self.stored = np.zeros(values.shape, bool), np.zeros(values.shape, bool)

    def tile(self) -> Tile:
        return Tile(self.dtype, self.lo, self.hi if is_float(self.dtype) else None, self.unknown)

    def box(self, starts, shape):
        """The part of a slice that lies inside: its indices in the tensor, and in the tile."""
        inside, part = [], []
        for start, length, extent in zip(starts, shape, self.lo.shape):
            low, high = max(start, 0), min(start + length, extent)
            inside.append(slice(low, max(low, high)))
            part.append(slice(low - start, max(low, high) - start))
        return tuple(inside), tuple(part)

    def load(self, starts, shape, fill: Tile) -> Tile:
        inside, part = self.box(starts, shape)
        unknown = np.full(shape, fill.unknown is not None)
        lo, hi = np.full(shape, fill.lo), np.full(shape, fill.hi)
        if all(s.start < s.stop for s in inside):
            lo[part], hi[part], unknown[part] = self.lo[inside], self.hi[inside], self.unknown[inside]
        bits = np.int64 if is_float(self.dtype) else lo.dtype
        return Tile(self.dtype, lo, None if np.array_equal(lo.view(bits), hi.view(bits)) else hi, unknown)

    def store(self, value: Tile, starts) -> None:
        inside, part = self.box(starts, value.shape)
        if all(s.start < s.stop for s in inside):
            self.lo[inside], self.hi[inside] = value.lo[part], value.hi[part]
            self.stored[inside] = True
            self.unknown[inside] = False if value.unknown is None else value.unknown[part]


def run(kernel: Operation, memory: dict[str, Memory], scalars: dict, grid: tuple[int, int, int]) -> list[Print]:
    """Changes `memory`; what is printed."""
    prints: list[Print] = []
    # A persistent kernel's CTA walks the blocks: one alone walks them all.
    blocks = (1, 1, 1) if "tile.persistent" in kernel.attributes else grid
    with np.errstate(all="ignore"):
        for z, y, x in itertools.product(*(range(n) for n in reversed(blocks))):
            CtaRun(kernel, memory, scalars, grid, (x, y, z), prints).kernel()
    return prints


class CtaRun:
    """One block of the grid."""

    def __init__(self, kernel, memory, scalars, grid, block, prints):
        self.kernel_op, self.memory, self.scalars, self.grid, self.block, self.prints = kernel, memory, scalars, grid, block, prints
        self.index = np.int32 if kernel.integer("tile.index_bits") == 32 else np.int64
        self.values: dict[str, object] = {}

    def kernel(self) -> None:
        body = self.kernel_op.regions[0]
        names = [text.split('tile.name = "')[1].split('"')[0] for text in self.kernel_op.attributes["arg_attrs"].split("}")[:-1]]
        for argument, name in zip(body.arguments, names):
            self.values[argument] = self.memory[name] if name in self.memory else self.scalars[name]
        self.run(body)

    def kind(self, dtype: str):
        return self.index if dtype == "index" else KINDS[dtype]

    def run(self, block: Block, arguments=()) -> list:
        """Runs a block; the operands of its terminator."""
        self.values.update(zip(block.arguments, arguments))
        for op in block.operations:
            operands = [self.values[name] for name in op.operands]
            if op.name in ("scf.yield", "tile.yield", "scf.condition", "tile.return"):
                return operands
            if op.name in SIMPLE:
                results = SIMPLE[op.name](self, op, *operands)
            else:
                results = getattr(self, op.name.replace(".", "_"))(op, operands)
            results = results if isinstance(results, (list, tuple)) else [results]
            self.values.update(zip(op.results, results))
        return []

    # --- Control flow
    def scf_if(self, op, operands):
        taken = 0 if operands[0].scalar() else 1
        return self.run(op.regions[taken]) if taken < len(op.regions) and op.regions[taken].operations else []

    def scf_for(self, op, operands):
        lower, upper, step = (int(x.scalar()) for x in operands[:3])
        carried = operands[3:]
        assert step > 0 or lower >= upper
        for i in range(lower, upper, max(step, 1)):
            carried = self.run(op.regions[0], [Tile("index", np.array(i, self.index)), *carried])
        return carried

    def scf_while(self, op, operands):
        for _ in range(MAX_TURNS):
            condition, *carried = self.run(op.regions[0], operands)
            if not condition.scalar():
                return carried
            operands = self.run(op.regions[1], carried)
        raise Undecided

    # --- Memory and the grid
    def starts(self, operands):
        return [int(x.scalar()) for x in operands]

    def tile_load(self, op, operands):
        dtype, shape = tile_type(op.result_types[0])
        _, count, fills, indices = op.integers("operandSegmentSizes")
        assert not indices, "no kernel that is drawn gathers"
        zero = Tile(dtype, np.zeros((), float if is_float(dtype) else self.kind(dtype)))
        return operands[0].load(self.starts(operands[1 : 1 + count]), shape, operands[-1] if fills else zero)

    def tile_store(self, op, operands):
        operands[1].store(operands[0], self.starts(operands[2:]))
        return []

    def tile_print(self, op, operands):
        values = list(operands[3:])
        for i, word in enumerate(re.findall("true|false", op.attributes.get("is_unsigned", ""))):
            if word == "true":
                values[i] = values[i].mapped(lambda a: unsigned(np.asarray(a)))
        block = tuple(int(x.scalar()) for x in operands[:3])
        self.prints.append(Print(block, op.attributes["text"].strip('"'), values))
        return []

    def tile_extent(self, op, operands):
        return Tile("index", np.array(operands[0].lo.shape[op.integer("dim")], self.index))

    def tile_block_id(self, op, operands):
        return Tile("index", np.array(self.block["xyz".index(op.attributes["axis"].split()[-1][0])], self.index))

    def tile_grid_dim(self, op, operands):
        return Tile("index", np.array(self.grid["xyz".index(op.attributes["axis"].split()[-1][0])], self.index))

    def tile_resident_id(self, op, operands):
        return Tile("index", np.array(0, self.index))

    def tile_resident_count(self, op, operands):
        return Tile("index", np.array(1, self.index))

    tile_queue = tile_resident_count

    # --- Constants and shapes
    def arith_constant(self, op, operands):
        dtype, shape = tile_type(op.result_types[0])
        return Tile(dtype, np.full(shape, self.number(op.attributes["value"], dtype)))

    def number(self, text: str, dtype: str):
        text = text.removeprefix("dense<").split(">")[0].split(":")[0].strip()
        if text in ("true", "false"):
            return text == "true"
        if not is_float(dtype):
            return np.array(int(text, 0)).astype(self.kind(dtype))
        if text.startswith("0x"):
            return bits_to_float(int(text, 16), dtype)
        return float(rounded(np.array(float(text)), dtype))

    def tile_splat(self, op, operands):
        _, shape = tile_type(op.result_types[0])
        return operands[0].mapped(lambda a: np.full(shape, a))

    def tile_broadcast(self, op, operands):
        _, shape = tile_type(op.result_types[0])
        return operands[0].mapped(lambda a: np.broadcast_to(a, shape))

    def tile_reshape(self, op, operands):
        _, shape = tile_type(op.result_types[0])
        return operands[0].mapped(lambda a: a.reshape(shape))

    tile_expand_dims = tile_to_scalar = tile_reshape

    def tile_transpose(self, op, operands):
        return operands[0].mapped(lambda a: a.transpose(op.integers("permutation")))

    def tile_iota(self, op, operands):
        dtype, shape = tile_type(op.result_types[0])
        return Tile(dtype, np.arange(shape[0], dtype=self.kind(dtype)))

    # --- Reductions and contractions
    def tile_reduce(self, op, operands):
        axis, body = op.integer("axis"), op.regions[0]
        single = body.operations[0].name if len(body.operations) == 2 else ""
        if single == "arith.addf":
            return ranges.sum_along(operands[0], axis)
        if single == "arith.mulf":
            return ranges.product_along(operands[0], axis)
        # What does not depend on the order: the two halves with each other, and again.
        while (count := operands[0].shape[axis]) > 1:
            half = count // 2
            first, second, rest = ([part(x, axis, *ends) for x in operands] for ends in ((0, half), (half, 2 * half), (2 * half, count)))
            combined = self.run(body, [*first, *second])
            operands = [joined(c, r, axis) for c, r in zip(combined, rest)] if count % 2 else combined
        return [x.mapped(lambda a: a.take(0, axis)) for x in operands]

    def tile_scan(self, op, operands):
        axis, body = op.integer("axis"), op.regions[0]
        single = body.operations[0].name if len(body.operations) == 2 else ""
        along = {"arith.addf": ranges.sum_along, "arith.mulf": ranges.product_along}.get(single)
        count = operands[0].shape[axis]
        firsts = [[part(x, axis, i, i + 1) for x in operands] for i in range(count)]
        if along:  # in any order, each sum by itself
            kept = [along(part(operands[0], axis, 0, i + 1), axis).mapped(lambda a: np.expand_dims(a, axis)) for i in range(count)]
            return functools.reduce(lambda x, y: joined(x, y, axis), kept)
        running = [firsts[0]]
        for each in firsts[1:]:
            running.append(self.run(body, [*running[-1], *each]))
        return [functools.reduce(lambda x, y: joined(x, y, axis), column) for column in zip(*running)]

    def dot_contract(self, op, operands):
        a, b, acc = operands
        a = a.mapped(np.transpose) if "trans_a" in op.attributes else a
        b = b.mapped(np.transpose) if "trans_b" in op.attributes else b
        return ranges.contract(a, b, acc, op.attributes.get("precision", "").strip('"'))


def part(x: Tile, axis: int, begin: int, end: int) -> Tile:
    return x.mapped(lambda a: a[(slice(None),) * axis + (slice(begin, end),)])


def joined(x: Tile, y: Tile, axis: int) -> Tile:
    def both(a, b):
        return np.concatenate([a, b], axis)

    unknown = either(*(None if v.unknown is None else v.unknown for v in (x, y)))
    if unknown is not None:
        unknown = both(*(np.zeros(v.shape, bool) if v.unknown is None else v.unknown for v in (x, y)))
    lo = both(x.lo, y.lo)
    return Tile(x.dtype, lo, None if x.is_point and y.is_point else both(x.hi, y.hi), unknown)


def bits_to_float(bits: int, dtype: str) -> float:
    raw = np.array([bits], f"uint{BITS[dtype]}")
    return float(decoded(raw.view(MEMORY[dtype]), dtype)[0])


# --- Floats
SIMPLE |= {
    "arith.addf": lambda run, op, x, y: ranges.add(x, y),
    "arith.subf": lambda run, op, x, y: ranges.add(x, y, -1.0),
    "arith.mulf": lambda run, op, x, y: ranges.multiply(x, y),
    "arith.divf": lambda run, op, x, y: ranges.divide(x, y),
    "arith.negf": lambda run, op, x: ranges.negate(x),
    "arith.remf": lambda run, op, x, y: ranges.remainder(x, y),
    "arith.minimumf": lambda run, op, x, y: ranges.extreme(x, y, np.minimum),
    "arith.maximumf": lambda run, op, x, y: ranges.extreme(x, y, np.maximum),
    "math.fma": lambda run, op, x, y, z: ranges.fma(x, y, z),
    "math.powf": lambda run, op, x, y: ranges.power(x, y),
}
for _name in ranges.INCREASING:
    SIMPLE["math." + _name] = lambda run, op, x, name=_name: ranges.function(name, x)
for _name in ("sin", "cos"):
    SIMPLE["math." + _name] = lambda run, op, x, name=_name: ranges.wave(name, x)
for _name, _function in {"sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "roundeven": np.rint, "trunc": np.trunc}.items():
    SIMPLE["math." + _name] = lambda run, op, x, function=_function: ranges.corners(x.dtype, function, x)


@simple("math.absf")
def absolute(run, op, x: Tile):
    if x.is_point:
        return x.mapped(np.abs)
    low = np.where((x.lo <= 0) & (x.hi >= 0), 0.0, np.fmin(np.abs(x.lo), np.abs(x.hi)))
    return Tile(x.dtype, np.where(np.isnan(x.lo), np.nan, low), np.fmax(np.abs(x.lo), np.abs(x.hi)), x.unknown)


@simple("arith.extf", "arith.truncf", "tile.to_float8")
def convert_float(run, op, x: Tile):
    return ranges.corners(tile_type(op.result_types[0])[0], lambda a: a, x)


@simple("arith.cmpf")
def compare_floats(run, op, x: Tile, y: Tile):
    """Decided where every pair of values agrees."""
    number = op.integer("predicate")
    ordered = number < 8
    which = number if ordered else {14: 0, 15: 7}.get(number, number - 7)
    equal, greater, less = which & 1, which & 2, which & 4
    nan = np.isnan(x.lo) | np.isnan(y.lo)
    some_less, some_greater = x.lo < y.hi, x.hi > y.lo
    some_equal = (x.lo <= y.hi) & (y.lo <= x.hi)
    points = (x.lo == x.hi) & (y.lo == y.hi)
    some_equal = np.where(points, x.lo == y.lo, some_equal)
    no = np.zeros(nan.shape, bool)
    can_hold = (some_less if less else no) | (some_greater if greater else no) | (some_equal if equal else no)
    can_fail = (no if less else some_less) | (no if greater else some_greater) | (no if equal else some_equal)
    value = np.where(nan, not ordered, can_hold)
    return Tile("bool", value, unknown=either(x.unknown, y.unknown, can_hold & can_fail & ~nan))


@simple("arith.select")
def select(run, op, condition: Tile, x: Tile, y: Tile):
    yes = condition.lo
    lo = np.where(yes, x.lo, y.lo)
    hi = None if x.is_point and y.is_point else np.where(yes, x.hi, y.hi)
    unknown = None
    if x.unknown is not None or y.unknown is not None:
        unknown = np.where(yes, *(False if v.unknown is None else v.unknown for v in (x, y)))
    chosen = Tile(x.dtype, lo, hi, unknown)
    if condition.unknown is None:
        return chosen
    mixed = ranges.union(x, y)
    mask = condition.unknown
    unknown = np.where(mask, *(False if v.unknown is None else v.unknown for v in (mixed, chosen)))
    hi = np.where(mask, mixed.hi, chosen.hi) if is_float(x.dtype) else None
    return Tile(x.dtype, np.where(mask, mixed.lo, chosen.lo), hi, unknown)


# --- Integers: exact, and unknown where an operand is
def unsigned(a):
    return a.view(UNSIGNED[a.dtype]) if a.dtype in UNSIGNED else a


def integer_op(function, as_unsigned=False, undefined=None):
    def evaluate(run, op, *operands):
        arrays = [np.asarray(x.lo) for x in operands]
        arrays = [unsigned(a) for a in arrays] if as_unsigned else arrays
        result = np.asarray(function(*arrays))
        unknown = either(*(x.unknown for x in operands))
        if undefined is not None:
            unknown = either(unknown, np.broadcast_to(undefined(*arrays), result.shape))
        return Tile(operands[0].dtype, result.astype(operands[0].lo.dtype, copy=False), unknown=unknown)

    return evaluate


def no_quotient(x, y):
    """Division by zero, and the one quotient that does not fit."""
    least = np.iinfo(x.dtype).min
    return (y == 0) | ((x == least) & (y == -1) if least < 0 else False)


def safely(function):
    """A division whose undefined cases are avoided (they trap, or warn)."""

    def divide(x, y):
        return function(x, np.where(no_quotient(x, y), y.dtype.type(1), y))

    return divide


def truncated_quotient(x, y):
    quotient = x // y
    return quotient + ((x % y != 0) & ((x < 0) != (y < 0)))


def too_far(x, y):
    return unsigned(y) >= x.dtype.itemsize * 8


def shifted(function):
    return lambda x, y: function(x, np.where(too_far(x, y), y.dtype.type(0), y))


for _name, _function in {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply, "xori": np.bitwise_xor, "minsi": np.minimum, "maxsi": np.maximum,
}.items():
    SIMPLE["arith." + _name] = integer_op(_function)
SIMPLE |= {
    "arith.minui": integer_op(np.minimum, as_unsigned=True),
    "arith.maxui": integer_op(np.maximum, as_unsigned=True),
    "arith.divsi": integer_op(safely(truncated_quotient), undefined=no_quotient),
    "arith.floordivsi": integer_op(safely(np.floor_divide), undefined=no_quotient),
    "arith.ceildivsi": integer_op(safely(lambda x, y: -((-x) // y)), undefined=no_quotient),
    "arith.remsi": integer_op(safely(np.fmod), undefined=no_quotient),
    "arith.divui": integer_op(safely(np.floor_divide), as_unsigned=True, undefined=no_quotient),
    "arith.remui": integer_op(safely(np.remainder), as_unsigned=True, undefined=no_quotient),
    "arith.shli": integer_op(shifted(np.left_shift), undefined=too_far),
    "arith.shrsi": integer_op(shifted(np.right_shift), undefined=too_far),
    "arith.shrui": integer_op(shifted(np.right_shift), as_unsigned=True, undefined=too_far),
    "math.absi": integer_op(np.abs),
    "math.ctpop": integer_op(lambda x: bit_table(x, lambda n: bin(n).count("1")), as_unsigned=True),
    "math.ctlz": integer_op(lambda x: bit_table(x, lambda n: x.dtype.itemsize * 8 - n.bit_length()), as_unsigned=True),
}


def bit_table(x, count):
    return np.vectorize(lambda n: count(int(n)), otypes=[np.int64])(x)


@simple("arith.andi", "arith.ori")
def logical(run, op, x: Tile, y: Tile):
    """Of bools, known where one operand decides."""
    is_and = op.name == "arith.andi"
    value = (np.bitwise_and if is_and else np.bitwise_or)(x.lo, y.lo)
    unknown = either(x.unknown, y.unknown)
    if unknown is None or x.dtype != "bool":
        return Tile(x.dtype, value, unknown=unknown)
    decided = [(v.lo != is_and) & (True if v.unknown is None else ~v.unknown) for v in (x, y)]
    decided = decided[0] | decided[1]
    return Tile("bool", np.where(decided, not is_and, value), unknown=unknown & ~decided)


PREDICATES = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge] + [
    operator.lt, operator.le, operator.gt, operator.ge,
]  # fmt: skip


@simple("arith.cmpi")
def compare_integers(run, op, x: Tile, y: Tile):
    number = op.integer("predicate")
    a, b = (unsigned(np.asarray(v.lo)) if number >= 6 else v.lo for v in (x, y))
    return Tile("bool", np.asarray(PREDICATES[number](a, b)), unknown=either(x.unknown, y.unknown))


@simple("arith.trunci", "arith.extsi", "arith.index_cast")
def resize(run, op, x: Tile):
    dtype, _ = tile_type(op.result_types[0])
    value = -x.lo.astype(np.int8) if x.dtype == "bool" else x.lo
    value = value & 1 if dtype == "bool" else value
    return Tile(dtype, value.astype(run.kind(dtype)), unknown=x.unknown)


@simple("arith.extui", "arith.index_castui")
def zero_extend(run, op, x: Tile):
    dtype, _ = tile_type(op.result_types[0])
    return Tile(dtype, unsigned(np.asarray(x.lo)).astype(run.kind(dtype)), unknown=x.unknown)


@simple("arith.sitofp", "arith.uitofp")
def from_integer(run, op, x: Tile):
    dtype, _ = tile_type(op.result_types[0])
    value = unsigned(np.asarray(x.lo)) if op.name == "arith.uitofp" else x.lo
    value = np.asarray(value.astype(np.uint8) if x.dtype == "bool" else value)
    return Tile(dtype, np.asarray(integer_to_float(value, dtype)), unknown=x.unknown)


@simple("arith.fptosi", "arith.fptoui")
def to_integer(run, op, x: Tile):
    dtype, _ = tile_type(op.result_types[0])
    kind = np.dtype(run.kind(dtype))
    kind = UNSIGNED[kind] if op.name == "arith.fptoui" else kind
    lo = float_to_integer(x.lo, kind)
    differs = None if x.is_point else lo != float_to_integer(x.hi, kind)
    return Tile(dtype, lo.view(run.kind(dtype)), unknown=either(x.unknown, differs))


def bits_of(raw):
    return np.ravel(raw).view(f"u{raw.itemsize}").reshape(raw.shape)


@simple("arith.bitcast")
def bitcast(run, op, x: Tile):
    dtype, _ = tile_type(op.result_types[0])
    unknown = x.unknown
    raw = x.lo
    if is_float(x.dtype):
        raw = encoded(np.asarray(x.lo), x.dtype)
        # Of a NaN only that it is one is known.
        unknown = either(unknown, np.isnan(x.lo), None if x.is_point else bits_of(raw) != bits_of(encoded(np.asarray(x.hi), x.dtype)))
    raw = np.ravel(raw).view(MEMORY.get(dtype, f"i{BITS[dtype] // 8}"))
    values = decoded(raw, dtype) if is_float(dtype) else raw
    return Tile(dtype, values.reshape(x.shape), unknown=unknown)
