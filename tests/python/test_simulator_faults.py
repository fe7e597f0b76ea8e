"""A planted fault of every kind that the checkers know, and the same kernel without it: what is said, of which tensor, index and
extents, and both places in the source.

Kernels are modules of the llvm and nvvm dialects. A line that begins with `-` is left out where the fault is planted, one with
`+` is there only then. `@12` at the end of a line is its place: line 12 of kernel.py, column 5.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

SEEDS = (0, 1, 2)
HEAD = """
llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<8192 x i8>
llvm.func @kernel(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %c32 = llvm.mlir.constant(32 : i32) : i32
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %c512 = llvm.mlir.constant(512 : i32) : i32
  %c4096 = llvm.mlir.constant(4096 : i32) : i32
  %one = llvm.mlir.constant(1.0 : f32) : f32
  %first = llvm.icmp "eq" %tid, %c0 : i32
  %other = llvm.xor %tid, %c64 : i32
  %at = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %there = llvm.getelementptr %s[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %linear = llvm.mul %block, %c64 overflow<none> : i32
  %linear2 = llvm.add %linear, %linear : i32
  %i = llvm.add %linear2, %tid : i32
  %mine = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %out = llvm.getelementptr %q[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
"""
TAIL = "\n  llvm.return\n}\n"
THREADS, BLOCKS, N = 128, 2, 256


@pytest.fixture(autouse=True)
def on_host():
    import phobos

    with phobos.target("host"):
        yield


def text(body: str, faulty: bool) -> str:
    lines = []
    for line in body.splitlines():
        mark = line.lstrip()[:1]
        if mark == ("-" if faulty else "+"):
            continue
        line = line.replace(mark, " ", 1) if mark in "-+" else line
        lines.append(re.sub(r"@(\d+)$", r'loc("kernel.py":\1:5)', line))
    return HEAD + "\n".join(lines) + TAIL


def launch(body: str, faulty: bool, check: str, seed: int, blocks: int = BLOCKS) -> str:
    """What is said of it; empty if nothing is."""
    import phobos
    from phobos.testing import simulate_module

    p, q = np.arange(N, dtype=np.float32), np.zeros((8, N // 8), np.float32)
    with phobos.sim(check=check, seed=seed):
        try:
            simulate_module(text(body, faulty), p, q, grid=blocks, block=THREADS)
        except phobos.SimulationError as error:
            return str(error)
    return ""


# What is found, the body, what is said: in this order, all of it, under every seed.
FAULTS = {
    # --- bounds; without shared memory the threads are a loop
    "a load behind the end": (
        "bounds",
        """
+ %far = llvm.add %i, %c4 : i32
- %far = llvm.add %i, %c0 : i32
  %a = llvm.getelementptr %p[%far] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %a : !llvm.ptr<1> -> f32 @9""",
        ["kernel.py:9:5: error: load from `argument 0` out of bounds: index [256], extents [256]", "note: block (1, 0, 0), thread 124"],
    ),
    "a store before the beginning": (
        "bounds",
        """
+ %back = llvm.sub %i, %c1 : i32
- %back = llvm.sub %i, %c0 : i32
  %a = llvm.getelementptr %q[%back] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %one, %a : f32, !llvm.ptr<1> @9""",
        ["kernel.py:9:5: error: store to `argument 1` out of bounds: index [-1, 31], extents [8, 32]", "note: block (0, 0, 0), thread 0"],
    ),
    "an atomic behind the end": (
        "bounds",
        """
+ %far = llvm.add %i, %c32 : i32
- %far = llvm.add %i, %c0 : i32
  %a = llvm.getelementptr %q[%far] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.atomicrmw fadd %a, %one monotonic : !llvm.ptr<1>, f32 @9""",
        ["kernel.py:9:5: error: atomic on `argument 1` out of bounds: index [8, 0], extents [8, 32]", "note: block (1, 0, 0), thread 96"],
    ),
    "a vector of which half is outside": (
        "bounds",
        """
  nvvm.barrier0
+ %far = llvm.add %i, %c1 : i32
- %far = llvm.sub %i, %c0 : i32
  %last = llvm.mlir.constant(255 : i32) : i32
  %even = llvm.and %far, %last : i32
+ %use = llvm.or %far, %c0 : i32
- %use = llvm.and %far, %c64 : i32
  %a = llvm.getelementptr %p[%use] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %a {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xf32> @9""",
        ["kernel.py:9:5: error: load from `argument 0` out of bounds: index [256], extents [256]", "note: block (1, 0, 0), thread"],
    ),
    "a load outside shared memory": (
        "bounds",
        """
  %high = llvm.getelementptr %at[1900] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  llvm.store %one, %high : f32, !llvm.ptr<3>
+ // Of block 0 alone: which of two blocks on two cores came first is not known.
+ %hundred = llvm.mlir.constant(-100 : i32) : i32
+ %back = llvm.mul %block, %hundred : i32
+ %beyond = llvm.getelementptr %at[2000] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
+ %far = llvm.getelementptr %beyond[%back] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
- %far = llvm.getelementptr %at[1900] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  %x = llvm.load %far : !llvm.ptr<3> -> f32 @9""",
        ["kernel.py:9:5: error: load of 4 bytes outside shared memory, at offset 8", "the block has 8192 bytes", "note: block (0, 0, 0), thread"],
    ),
    "a store outside shared memory": (
        "bounds",
        """
+ %far = llvm.getelementptr %at[-100] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
- %far = llvm.getelementptr %at[100] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  llvm.store %one, %far : f32, !llvm.ptr<3> @9""",
        ["kernel.py:9:5: error: store of 4 bytes outside shared memory, ", " bytes before its beginning"],
    ),
    # --- races
    "no barrier between a store and a load": (
        "race",
        """
  %v = llvm.sitofp %tid : i32 to f32
  llvm.store %v, %at : f32, !llvm.ptr<3> @8
- nvvm.barrier0
  %x = llvm.load %there : !llvm.ptr<3> -> f32 @9""",
        ["error: data race in shared memory: a ", "note: this is block (", ", at shared memory offset 0x", "note: the other is thread "],
    ),
    "no barrier before memory is used again": (
        "race",
        """
  %v = llvm.sitofp %tid : i32 to f32
  llvm.store %v, %at : f32, !llvm.ptr<3> @7
  nvvm.barrier0
  %x = llvm.load %there : !llvm.ptr<3> -> f32 @8
- nvvm.barrier0
  llvm.store %one, %at : f32, !llvm.ptr<3> @9""",
        ["error: data race in shared memory: a "],
    ),
    "two blocks write one element": (
        "race",
        """
  %v = llvm.sitofp %i : i32 to f32
  %a = llvm.getelementptr %q[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
+ llvm.store %v, %a : f32, !llvm.ptr<1> @9
- llvm.store %v, %out : f32, !llvm.ptr<1> @9""",
        ["kernel.py:9:5: error: data race in `argument 1`: a write and an earlier write", "note: this is block (", "at index [",
         "] of [8, 32]", "kernel.py:9:5: note: the other is block number "],
    ),
    "a block reads what another writes": (
        "race",
        """
  %v = llvm.sitofp %i : i32 to f32
  llvm.store %v, %out : f32, !llvm.ptr<1> @8
+ %a = llvm.getelementptr %q[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
- %a = llvm.getelementptr %q[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %a : !llvm.ptr<1> -> f32 @9""",
        ["error: data race in `argument 1`: a ", "at index [", "] of [8, 32]", "note: the other is block number "],
    ),
    "a thread reads what another of its block writes": (
        "race",
        """
  %v = llvm.sitofp %i : i32 to f32
  llvm.store %v, %out : f32, !llvm.ptr<1> @8
+ %j = llvm.xor %i, %c1 : i32
- %j = llvm.xor %i, %c0 : i32
  %a = llvm.getelementptr %q[%j] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %a : !llvm.ptr<1> -> f32 @9""",
        ["kernel.py:9:5: error: data race in `argument 1`: a read and an earlier write", "note: this is block (", "at index [",
         "] of [8, 32]", "kernel.py:8:5: note: the other is thread ", "of the same block"],
    ),
    # --- asynchronous copies
    "cp.async is not waited for": (
        "race",
        """
  %to = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  nvvm.cp.async.shared.global %to, %mine, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1> @8
  nvvm.cp.async.commit.group
- nvvm.cp.async.wait.group 0
  nvvm.barrier0
  %x = llvm.load %there : !llvm.ptr<3> -> f32 @9""",
        ["kernel.py:9:5: error: data race in shared memory: a read and an earlier write", "kernel.py:8:5: note: the other is an unfinished cp.async of warp "],
    ),
    "cp.async is waited for and not met": (
        "race",
        """
  %to = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  nvvm.cp.async.shared.global %to, %mine, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1> @8
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
- nvvm.barrier0
  %x = llvm.load %there : !llvm.ptr<3> -> f32 @9""",
        ["error: data race in shared memory: a "],
    ),
    # --- initialisation
    "shared memory is read that nobody wrote": (
        "init",
        """
  llvm.cond_br %first, ^rest, ^write
^write:
- llvm.br ^go
+ llvm.br ^rest
^go:
  llvm.store %one, %at : f32, !llvm.ptr<3>
  llvm.br ^rest
^rest:
- llvm.store %one, %at : f32, !llvm.ptr<3>
  nvvm.barrier0
  %x = llvm.load %there : !llvm.ptr<3> -> f32 @9""",
        ["kernel.py:9:5: error: shared memory is read that nothing has written", "note: block (", ", at shared memory offset 0x"],
    ),
    # --- barriers
    "a barrier at two places": (
        "deadlock",
        """
  %odd = llvm.and %tid, %c1 : i32
  %isOdd = llvm.icmp "eq" %odd, %c1 : i32
+ llvm.cond_br %isOdd, ^here, ^there
- llvm.br ^there
^here:
  nvvm.barrier0 @8
  llvm.br ^end
^there:
  nvvm.barrier0 @9
  llvm.br ^end
^end:""",
        ["error: the block's barrier is reached by threads of one warp at two places", "note: others of the warp wait here"],
    ),
    "barriers with two counts": (
        "deadlock",
        """
  %half = llvm.icmp "slt" %tid, %c64 : i32
  %all = llvm.add %c64, %c64 : i32
+ %most = llvm.add %c64, %c32 : i32
- %most = llvm.add %c64, %c64 : i32
  llvm.cond_br %half, ^low, ^high
^low:
  "nvvm.barrier"(%c1, %all) {operandSegmentSizes = array<i32: 1, 1, 0>} : (i32, i32) -> () @8
  llvm.br ^end
^high:
  "nvvm.barrier"(%c1, %most) {operandSegmentSizes = array<i32: 1, 1, 0>} : (i32, i32) -> () @9
  llvm.br ^end
^end:""",
        ["error: barrier 1: block (", "waits for ", "who came first for ", "note: the first to arrive"],
    ),
    "a barrier that nobody else comes to": (
        "",
        """
  %half = llvm.icmp "slt" %tid, %c64 : i32
  llvm.cond_br %half, ^low, ^end
^low:
+ %all = llvm.add %c64, %c64 : i32
- %all = llvm.add %c64, %c0 : i32
  "nvvm.barrier"(%c1, %all) {operandSegmentSizes = array<i32: 1, 1, 0>} : (i32, i32) -> () @9
  llvm.br ^end
^end:""",
        ["kernel.py:9:5: error: deadlock in block (", "threads wait, none can go on",
         "kernel.py:9:5: note: threads 0 to 63 wait at barrier 1, where 64 of 128 threads have arrived", "note: threads 64 to 127 have exited"],
    ),
}

# --- bulk copies: 512 bytes of %p to the beginning of shared memory, completing on an mbarrier at offset 4096.
BULK = """
  %bar = llvm.getelementptr %s[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %src = llvm.getelementptr %p[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %dst = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  %time = llvm.mlir.constant(1000 : i32) : i32
  llvm.cond_br %first, ^init, ^ready
^init:
  nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32 @5
{fence}nvvm.fence.mbarrier.init
  llvm.br ^ready
^ready:
  nvvm.barrier0
  llvm.cond_br %first, ^issue, ^wait
^issue:
  nvvm.mbarrier.arrive.expect_tx %bar, {bytes} : !llvm.ptr<3>, i32
  nvvm.cp.async.bulk.shared.cluster.global %dst, %src, %bar, %c512 : !llvm.ptr<7>, !llvm.ptr<1> @8
  llvm.br ^wait
^wait:
{wait}nvvm.mbarrier.try_wait.parity %bar, %c0, %time : !llvm.ptr<3>, i32, i32 @9
  %x = llvm.load %at : !llvm.ptr<3> -> f32 @10"""


def bulk(fence: str = "  ", wait: str = "  ", bytes: str = "%c512") -> str:
    return BULK.format(fence=fence, wait=wait, bytes=bytes)


FAULTS |= {
    "a bulk copy is not waited for": (
        "race", bulk(wait="- "),
        ["kernel.py:10:5: error: data race in shared memory: a read and an earlier write", "kernel.py:8:5: note: the other is an unfinished bulk copy"],
    ),
    "an mbarrier is not made known to the copy": (
        "race", bulk(fence="- "),
        ["kernel.py:8:5: error: a bulk copy completes on an mbarrier that no fence.mbarrier_init", "kernel.py:5:5: note: the mbarrier was initialised here"],
    ),
    "a store to global memory is not fenced for the copy engine": (
        "race",
        """
  %half = llvm.icmp "slt" %tid, %c64 : i32
  %v = llvm.sitofp %i : i32 to f32
  llvm.store %v, %at : f32, !llvm.ptr<3> @8
- nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  nvvm.barrier0
  llvm.cond_br %first, ^store, ^end
^store:
  nvvm.cp.async.bulk.global.shared.cta %out, %s, %c512 : !llvm.ptr<1>, !llvm.ptr<3> @9
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0 {read}
  llvm.br ^end
^end:""",
        ["kernel.py:9:5: error: an asynchronous instruction reads shared memory that a thread wrote, with no fence.proxy.async between",
         "kernel.py:8:5: note: the write is of "],
    ),
    "shared memory is written again while a bulk store reads it": (
        "race",
        """
  %v = llvm.sitofp %i : i32 to f32
  llvm.store %v, %at : f32, !llvm.ptr<3> @7
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  nvvm.barrier0
  llvm.cond_br %first, ^store, ^end
^store:
  nvvm.cp.async.bulk.global.shared.cta %out, %s, %c512 : !llvm.ptr<1>, !llvm.ptr<3> @8
  nvvm.cp.async.bulk.commit.group
- nvvm.cp.async.bulk.wait_group 0 {read}
  llvm.br ^end
^end:
  nvvm.barrier0
  llvm.store %one, %at : f32, !llvm.ptr<3> @9""",
        ["kernel.py:9:5: error: data race in shared memory: a write and an earlier read", "kernel.py:8:5: note: the other is an unfinished bulk store of warp 0"],
    ),
}  # fmt: skip

# --- wgmma: 64 x 8 x 16 halves, both operands in shared memory as they were stored
WGMMA = """
  %v = llvm.mlir.constant(0.0 : f32) : f32
  llvm.store %v, %at : f32, !llvm.ptr<3> @5
  %up = llvm.getelementptr %at[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  llvm.store %v, %up : f32, !llvm.ptr<3>
  %top = llvm.getelementptr %at[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  llvm.store %v, %top : f32, !llvm.ptr<3>
  %wide = llvm.getelementptr %at[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  llvm.store %v, %wide : f32, !llvm.ptr<3>
  %wider = llvm.getelementptr %at[384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  llvm.store %v, %wider : f32, !llvm.ptr<3>
{proxy}nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
  nvvm.barrier0
  // Rows of 16 bytes, eight rows 128 bytes, no swizzle.
  %da = llvm.mlir.constant(34359803904 : i64) : i64
  %db = llvm.mlir.constant(34359804032 : i64) : i64
  %none = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
{fence}nvvm.wgmma.fence.aligned
  %d = nvvm.wgmma.mma_async %da, %db, %none, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, #nvvm.wgmma_scale_out<zero>], A[<f16>, #nvvm.wgmma_scale_in<one>, <row>], B[<f16>, #nvvm.wgmma_scale_in<one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)> @8
  nvvm.wgmma.commit.group.sync.aligned @9
{early}%e0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
{early}llvm.store %e0, %out : f32, !llvm.ptr<1> @10
{free}nvvm.wgmma.wait.group.sync.aligned 0
{free}nvvm.barrier0
  llvm.store %one, %at : f32, !llvm.ptr<3> @11
{end}nvvm.wgmma.wait.group.sync.aligned 0"""


def wgmma(**parts: str) -> str:
    return WGMMA.format(**({"proxy": "  ", "fence": "  ", "early": "# ", "free": "  ", "end": "# "} | parts)).replace("# ", "// ")


FAULTS |= {
    "wgmma reads what was not fenced for it": (
        "race", wgmma(proxy="- "),
        ["kernel.py:8:5: error: an asynchronous instruction reads shared memory that a thread wrote, with no fence.proxy.async between", "note: the write is of "],
    ),
    "no wgmma.fence": ("race", wgmma(fence="- "), ["kernel.py:8:5: error: wgmma without a wgmma.fence before it"]),
    "an operand is written before wgmma is done": (
        "race", wgmma(free="- ", end="+ "),
        ["kernel.py:11:5: error: data race in shared memory: a write and an earlier read", "kernel.py:8:5: note: the other is an unfinished wgmma of warp "],
    ),
    "a result is used before wgmma is done": (
        "race", wgmma(early="+ "),
        ["kernel.py:10:5: error: a result of a wgmma is used before a wait covers it", "kernel.py:8:5: note: the wgmma"],
    ),
    "a thread ends before wgmma is done": (
        "race", wgmma(free="- "),
        ["kernel.py:9:5: error: a thread ends with a wgmma that it never waited for"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_told(name):
    kind, body, said = FAULTS[name]
    for seed in SEEDS:
        assert launch(body, False, "all", seed) == ""
        for check in (kind, "all"):
            found = launch(body, True, check, seed)
            rest = found
            for part in said:
                assert part in rest, found
                rest = rest[rest.index(part) + len(part) :]


def test_a_phase_with_missing_bytes_says_what_is_to_come():
    body = bulk(bytes="%c4096")
    for seed in SEEDS:
        found = launch(body, False, "", seed, blocks=1)
        assert "kernel.py:9:5: error: deadlock in block (0, 0, 0): 128 threads wait, none can go on" in found
        assert "threads 0 to 127 wait at the mbarrier at shared memory offset 4096, in phase 0: 0 of 1 arrivals and 3584 bytes are to come" in found
