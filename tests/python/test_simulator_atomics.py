"""Atomics on the simulator: every operation and width, packed pairs, every scope and memory, compare and exchange, as they are
written in the llvm dialect; and what the checkers say of them."""

from __future__ import annotations

import numpy as np
import pytest

SCOPES = {"cta": ' syncscope("block")', "cluster": ' syncscope("cluster")', "gpu": ' syncscope("device")', "sys": ""}
# What holds their bits in NumPy.
DTYPES = {
    "i8": np.int8,
    "i16": np.int16,
    "f16": np.float16,
    "bf16": np.uint16,
    "i32": np.int32,
    "f32": np.float32,
    "i64": np.int64,
    "f64": np.float64,
}


@pytest.fixture(autouse=True)
def on_host():
    import phobos

    with phobos.target("host"), phobos.sim(check="", seed=0):
        yield


def simulate(text: str, *arguments, **launch) -> None:
    from phobos.testing import simulate_module

    simulate_module(text, *arguments, **launch)


def to_bf16(x) -> np.ndarray:
    """Bits of f32 values rounded to nearest, ties to even."""
    bits = np.atleast_1d(np.asarray(x, np.float32)).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(np.atleast_1d(x)), np.uint16(0x7FFF), rounded)


def from_bf16(bits) -> np.ndarray:
    return (np.atleast_1d(bits).astype(np.uint32) << 16).view(np.float32)


def element(type: str) -> str:
    return type.removeprefix("vector<2x").removesuffix(">")


def of_type(values, type: str) -> np.ndarray:
    if element(type) == "bf16":
        return to_bf16(values)
    return np.asarray(values).astype(DTYPES[element(type)])


# --- sums of many threads ------------------------------------------------------------------------------------------------


def counting(type: str, ordering: str, scope: str, shared: bool) -> str:
    """Each thread adds its element of %x to one place, in global memory or in the block's; a block's sum goes to %out."""
    op = "add" if element(type).startswith("i") else "fadd"
    memory = "!llvm.ptr<3>" if shared else "!llvm.ptr<1>"
    place = "%s" if shared else "%p"
    store = f"""
  %sum = llvm.load %s : !llvm.ptr<3> -> {type}
  %o = llvm.getelementptr %out[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {type}
  llvm.store %sum, %o : {type}, !llvm.ptr<1>"""
    return f"""
llvm.mlir.global external @s() {{addr_space = 3 : i32, alignment = 16 : i64}} : !llvm.array<16 x i8>
llvm.func @count(%x: !llvm.ptr<1>, %p: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {{nvvm.kernel}} {{
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %zero = llvm.mlir.zero : {type}
  %first = llvm.icmp "eq" %tid, %c0 : i32
  llvm.cond_br %first, ^begin, ^go
^begin:
  llvm.store %zero, %s : {type}, !llvm.ptr<3>
  llvm.br ^go
^go:
  nvvm.barrier0
  %q = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {type}
  %v = llvm.load %q : !llvm.ptr<1> -> {type}
  %old = llvm.atomicrmw {op} {place}, %v{SCOPES[scope]} {ordering} : {memory}, {type}
  nvvm.barrier0
  llvm.cond_br %first, ^end, ^done
^end:{store if shared else ""}
  llvm.br ^done
^done:
  llvm.return
}}
"""


@pytest.mark.parametrize(
    "type", ["i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "vector<2xf16>", "vector<2xbf16>"]
)
def test_sums_of_all_threads_in_every_memory_and_scope(type):
    import phobos

    threads, blocks, pairs = 64, 3, 2 if "vector" in type else 1
    values = np.arange(threads * pairs).reshape(threads, pairs) % 2  # 0 and 1: exact in every type
    x = of_type(values.ravel(), type)
    want = values.sum(0)
    for scope in SCOPES:
        for ordering in ("monotonic", "acq_rel"):
            for check in ("", "all"):
                with phobos.sim(check=check, seed=len(scope)):
                    p, out = np.zeros(8, x.dtype), np.zeros(blocks * pairs, x.dtype)
                    grid = 1 if scope == "cta" else blocks  # of the block's scope: one block
                    simulate(counting(type, ordering, scope, False), x, p, out, grid=grid, block=threads)
                    assert np.array_equal(p[:pairs], of_type(grid * want, type)), (scope, ordering, check)
                    simulate(counting(type, ordering, scope, True), x, p, out, grid=blocks, block=threads)
                    assert np.array_equal(out, of_type(np.tile(want, blocks), type)), (scope, ordering, check)


def test_atomics_of_the_block_s_scope_race_between_blocks():
    import phobos

    x, p = np.ones(64, np.int32), np.zeros(4, np.int32)
    with phobos.sim(check="race"), pytest.raises(phobos.SimulationError) as caught:
        simulate(counting("i32", "acq_rel", "cta", False), x, p, p.copy(), grid=3, block=64)
    said = str(caught.value)
    assert "data race in `argument 1`: a write and an earlier write" in said and "the other is block number" in said


# --- one thread after the other ------------------------------------------------------------------------------------------


def sequence(type: str, op: str, ordering: str = "monotonic", space: int = 1) -> str:
    """One thread applies all elements of %x to one place; what was there before each goes to %out."""
    pointer = f"!llvm.ptr<{space}>" if space else "!llvm.ptr"
    return f"""
llvm.func @apply(%x: {pointer}, %p: {pointer}, %out: {pointer}, %n: i32) attributes {{nvvm.kernel}} {{
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^head(%c0 : i32)
^head(%i: i32):
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^body, ^done
^body:
  %q = llvm.getelementptr %x[%i] : ({pointer}, i32) -> {pointer}, {type}
  %v = llvm.load %q : {pointer} -> {type}
  %old = llvm.atomicrmw {op} %p, %v {ordering} : {pointer}, {type}
  %o = llvm.getelementptr %out[%i] : ({pointer}, i32) -> {pointer}, {type}
  llvm.store %old, %o : {type}, {pointer}
  %next = llvm.add %i, %c1 : i32
  llvm.br ^head(%next : i32)
^done:
  llvm.return
}}
"""


def unsigned(x):
    return x.view(np.dtype(f"u{x.dtype.itemsize}"))


INTEGER = {
    "add": lambda old, v: old + v,
    "sub": lambda old, v: old - v,
    "_and": lambda old, v: old & v,
    "_or": lambda old, v: old | v,
    "_xor": lambda old, v: old ^ v,
    "max": np.maximum,
    "min": np.minimum,
    "umax": lambda old, v: old if unsigned(old) >= unsigned(v) else v,
    "umin": lambda old, v: old if unsigned(old) <= unsigned(v) else v,
    "xchg": lambda old, v: v,
    "uinc_wrap": lambda old, v: old + old.dtype.type(1) if unsigned(old) < unsigned(v) else old.dtype.type(0),
    "udec_wrap": lambda old, v: v if unsigned(old) == 0 or unsigned(old) > unsigned(v) else old - old.dtype.type(1),
}


@pytest.mark.parametrize("op", INTEGER)
@pytest.mark.parametrize("type", ["i8", "i16", "i32", "i64"])
def test_operations_on_integers(type, op):
    import phobos

    dtype, n = np.dtype(DTYPES[type]), 200
    rng = np.random.default_rng(len(op))
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
    if op.endswith("wrap"):
        x[::2] %= 5
    for space, check in ((1, ""), (0, "all")):
        p, out = np.array([3, 77], dtype), np.zeros(n, dtype)
        want, value = [], p[0]
        with np.errstate(over="ignore"):
            for v in x:
                want.append(value)
                value = INTEGER[op](value, v)
        with phobos.sim(check=check):
            simulate(sequence(type, op, space=space), x, p, out, n, grid=1, block=1)
        assert np.array_equal(out, np.array(want, dtype)) and p[0] == value and p[1] == 77


REAL = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "xchg": lambda a, b: b,
}


REAL_CASES = [(type, op) for type in ("f16", "bf16", "f32", "f64") for op in REAL]
REAL_CASES += [(f"vector<2x{type}>", op) for type in ("f16", "bf16") for op in REAL if op != "xchg"]


@pytest.mark.parametrize("type, op", REAL_CASES)
def test_operations_on_reals_round_once(type, op):
    import phobos

    n, pairs = 300, 2 if "vector" in type else 1
    rng = np.random.default_rng(n)
    # Of all magnitudes: sums are rounded, subnormal ones among them.
    values = rng.standard_normal(n * pairs) * 2.0 ** rng.integers(-12 if "f16" in type else -20, 6, n * pairs)
    values[:20] *= 2.0**-14 if element(type) == "f16" else 2.0**-126 if type != "f64" else 2.0**-1022
    x = of_type(values, type)
    wide = {"f16": np.float32, "bf16": np.float32, "f32": np.float64, "f64": np.longdouble}[element(type)]

    def widen(a):
        return from_bf16(a).astype(wide) if element(type) == "bf16" else a.astype(wide)

    number = widen(x)
    for space, check in ((1, "all"), (0, "")):
        p, out = np.zeros(pairs, x.dtype), np.zeros(n * pairs, x.dtype)
        value, want = of_type(np.zeros(pairs), type), []
        for i in range(n):
            want.append(value)
            value = of_type(REAL[op](widen(value), number[i * pairs : (i + 1) * pairs]), type)
        with phobos.sim(check=check):
            simulate(sequence(type, op, space=space), x, p, out, n, grid=1, block=1)
        assert np.array_equal(widen(out), widen(np.concatenate(want))) and np.array_equal(widen(p), widen(value))


# --- compare and exchange ------------------------------------------------------------------------------------------------


def locked(type: str, scope: str, acquire: str, release: str) -> str:
    """A counter in %sum under a lock in %p, taken by compare and exchange and given back by an exchange."""
    return f"""
llvm.func @lock(%p: !llvm.ptr<1>, %sum: !llvm.ptr<1>, %tries: !llvm.ptr<1>) attributes {{nvvm.kernel}} {{
  %free = llvm.mlir.constant(0 : {type}) : {type}
  %taken = llvm.mlir.constant(1 : {type}) : {type}
  %one = llvm.mlir.constant(1 : i32) : i32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %first = llvm.icmp "eq" %tid, %c0 : i32
  llvm.cond_br %first, ^try, ^done
^try:
  %result = llvm.cmpxchg %p, %free, %taken{SCOPES[scope]} {acquire} monotonic : !llvm.ptr<1>, {type}
  %count = llvm.atomicrmw add %tries, %one monotonic : !llvm.ptr<1>, i32
  %mine = llvm.extractvalue %result[1] : !llvm.struct<({type}, i1)>
  llvm.cond_br %mine, ^inside, ^try
^inside:
  %old = llvm.load %sum : !llvm.ptr<1> -> i32
  %new = llvm.add %old, %one : i32
  llvm.store %new, %sum : i32, !llvm.ptr<1>
  %back = llvm.atomicrmw xchg %p, %free{SCOPES[scope]} {release} : !llvm.ptr<1>, {type}
  llvm.br ^done
^done:
  llvm.return
}}
"""


@pytest.mark.parametrize("type", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("scope", ["cluster", "gpu", "sys"])
def test_locks_by_compare_and_exchange(type, scope):
    import phobos

    blocks = 6
    for check, seed in (("", 0), ("all", 0), ("all", 1)):
        p, total, tries = np.zeros(8, DTYPES[type]), np.zeros(1, np.int32), np.zeros(1, np.int32)
        with phobos.sim(check=check, seed=seed):
            simulate(locked(type, scope, "acquire", "release"), p, total, tries, grid=blocks, block=32)
        assert total[0] == blocks and tries[0] >= blocks and p[0] == 0
    for orders in (("monotonic", "release"), ("acquire", "monotonic")):
        p[...] = 0  # a launch that is ended by a fault may leave the lock taken
        with phobos.sim(check="race"), pytest.raises(phobos.SimulationError) as caught:
            simulate(locked(type, scope, *orders), p, total, tries, grid=blocks, block=32)
        assert "data race in `argument 1`" in str(caught.value)
