"""Every barrier, wait, fence and commit that the compiler emits is needed, and the checkers see when it is not there.

Each ordering instruction of a kernel's lowered code is left out in turn. The simulator must report it, in its fixed order and
under seeds; the code as it is must run right and silently. None is excused.
"""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest
from conftest import CHIPS, ROOT, import_file
from lowered import Lowered, blocks, ordering_lines, without
from simulated import torch_on_host

T03 = import_file(ROOT / "examples" / "tutorials" / "t03_matmul.py")
tutorials = import_file(ROOT / "tools" / "lib" / "tutorials.py")
modules = import_file(ROOT / "tests" / "python" / "test_simulator_modules.py")
SEEDS = (0, 1, 2)
KERNELS = """
@ph.kernel
@ph.launch(128)
def total(x: ph.tensor[ph.f32][4096], out: ph.tensor[ph.f32][1]):
    out[:] = ph.sum(x[:], axis=0, keepdims=True)


@ph.kernel
@ph.launch(128)
def turn(x: ph.tensor[ph.f16][64, 48], out: ph.tensor[ph.f16][48, 64]):
    out[:, :] = ph.transpose(x[:, :]) + ph.f16(1)


@ph.kernel
@ph.launch(128)
def rows(x: ph.tensor[ph.f32][2, 1024], out: ph.tensor[ph.f32][2, 1024]):  # two warps a row
    t = x[:, :]
    out[:, :] = t - ph.expand(ph.max(t, axis=1), 1)


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3)
def deep(A: ph.tensor[ph.f16][128, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][128, 64]):
    row: ph.let = ph.ctx.block.x * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 256, 32):
        acc += ph.dot(A[row:+64, k:+32], B[k:+32, 0:+64])
    C[row:+64, 0:+64] = acc


@ph.kernel
@ph.launch(128)
def exact(A: ph.tensor[ph.f32][64, 128], B: ph.tensor[ph.f32][128, 64], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 128, 16):
        acc += ph.dot(A[0:+64, k:+16], B[k:+16, 0:+64])
    C[0:+64, 0:+64] = acc


# Of two turns with three slots the zeros for a fourth are in flight to the first slot when the loop ends: where the sum's scratch lies, …
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3)
def summed(A: ph.tensor[ph.f16][64, 64], B: ph.tensor[ph.f16][64, 64], C: ph.tensor[ph.f32][64, 1]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 64, 32):
        acc += ph.dot(A[0:+64, k:+32], B[k:+32, 0:+64])
    C[:, :] = ph.sum(acc, axis=1, keepdims=True)


# … Of three turns they go where the second of the next columns' copies does, whose first goes where the last fragments were read.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3)
def strips(A: ph.tensor[ph.f16][64, 96], B: ph.tensor[ph.f16][96, 128], C: ph.tensor[ph.f32][64, 128]):
    for n in range(0, 128, 64):
        acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
        for k in range(0, 96, 32):
            acc += ph.dot(A[0:+64, k:+32], B[k:+32, n:+64])
        C[0:+64, n:+64] = acc


# A later run of the loop goes on with slots and phases: seven turns over three slots.
@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.pipeline(stages=3)
def bands(A: ph.tensor[ph.f16][128, 224], B: ph.tensor[ph.f16][224, 192], C: ph.tensor[ph.f16][128, 192]):
    for n in range(0, 192, 64):
        acc: ph.var[ph.tile[ph.f32][128, 64]] = 0
        for k in range(0, 224, 32):
            acc += ph.dot(A[0:+128, k:+32], B[k:+32, n:+64])
        C[0:+128, n:+64] = acc


# Two CTAs walk five blocks of five turns over three slots; of six where the slots are begun anew, so that they are those last read.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=3)
def walk(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][K, 640], C: ph.tensor[ph.f16][64, 640]):
    n: ph.let = ph.ctx.block.x * 128
    acc: ph.var[ph.tile[ph.f32][64, 128]] = 0
    for k in range(0, K, 32):
        acc += ph.dot(A[0:+64, k:+32], B[k:+32, n:+128])
    C[0:+64, n:+128] = acc


# Blocks are drawn: of two turns each with five slots, so that neither the slots keep the producer from the words nor these from those.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent(order="queue")
@ph.pipeline(stages=5)
def drawn(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][K, 1280], C: ph.tensor[ph.f16][64, 1280]):
    n: ph.let = ph.ctx.block.x * 128
    acc: ph.var[ph.tile[ph.f32][64, 128]] = 0
    for k in range(0, K, 32):
        acc += ph.dot(A[0:+64, k:+32], B[k:+32, n:+128])
    C[0:+64, n:+128] = acc


@ph.kernel
@ph.launch(128)
@ph.persistent(order="queue")
def dealt(x: ph.tensor[ph.f32][1280], y: ph.tensor[ph.f32][1280]):
    i: ph.let = ph.ctx.block.x * 128
    y[i:+128] = x[i:+128] + 1.0


# Each block reads what the one after it wrote, twice.
@ph.kernel
@ph.launch(64)
def round(x: ph.tensor[ph.f32][4, 64], y: ph.tensor[ph.f32][4, 64], z: ph.tensor[ph.f32][4, 64]):
    i: ph.let = ph.ctx.block.x
    y[i, :] = x[i, :] + 1.0
    ph.grid_barrier()
    z[i, :] = y[(i + 1) % 4, :]
    ph.grid_barrier()
    y[i, :] = z[(i + 1) % 4, :]
    ph.grid_barrier()
    z[i, :] = y[(i + 1) % 4, :]


# Blocks of a cluster copy for each other.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.cluster(2, 2)
@ph.pipeline(stages=3)
def together(A: ph.tensor[ph.f16][128, 160], B: ph.tensor[ph.f16][160, 128], C: ph.tensor[ph.f16][128, 128]):
    m: ph.let = ph.ctx.block.x * 64
    n: ph.let = ph.ctx.block.y * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 160, 32):
        acc += ph.dot(A[m:+64, k:+32], B[k:+32, n:+64])
    C[m:+64, n:+64] = acc


# The same, beside the end of the kernel before.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.dependent
@ph.pipeline(stages=3)
def beside(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][K, 640], C: ph.tensor[ph.f16][64, 640]):
    n: ph.let = ph.ctx.block.x * 128
    acc: ph.var[ph.tile[ph.f32][64, 128]] = 0
    for k in range(0, K, 32):
        acc += ph.dot(A[0:+64, k:+32], B[k:+32, n:+128])
    C[0:+64, n:+128] = acc


# A batch in the middle: boxes of rank 3.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=3)
def batches(A: ph.tensor[ph.f16][64, L, 160], B: ph.tensor[ph.f16][L, 160, 128], C: ph.tensor[ph.f16][64, L, 128]):
    i: ph.let = ph.ctx.block.x
    acc: ph.var[ph.tile[ph.f32][64, 128]] = 0
    for k in range(0, 160, 32):
        acc += ph.dot(A[0:+64, i, k:+32], B[i, k:+32, 0:+128])
    C[0:+64, i, 0:+128] = acc


# Several products in a loop, each waited for in its turn.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=2)
def chain(A: ph.tensor[ph.f16][64, 64], B: ph.tensor[ph.f16][K, 64], C: ph.tensor[ph.f16][64, 64]):
    a: ph.let = A[:, :]
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 32):
        b = B[k:+32, :]
        acc += ph.dot(ph.f16(ph.dot_t(a, b)), b)
    C[:, :] = acc


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=2)
def chains(A: ph.tensor[ph.f16][256, 64], B: ph.tensor[ph.f16][K, 64], C: ph.tensor[ph.f16][256, 64]):
    m: ph.let = ph.ctx.block.x * 64
    a: ph.let = A[m:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 32):
        b = B[k:+32, :]
        acc += ph.dot(ph.f16(ph.dot_t(a, b)), b)
    C[m:+64, :] = acc


# A product that is put off by a turn. Maxima grow in some turns and some rows.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3)
def online(A: ph.tensor[ph.f16][64, 64], B: ph.tensor[ph.f16][K, 64], C: ph.tensor[ph.f16][64, 64]):
    a: ph.let = A[:, :]
    top: ph.var[ph.tile[ph.f32][64, 1]] = -1e30
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 32):
        b = B[k:+32, :]
        s: ph.let = ph.dot_t(a, b)
        new: ph.let = ph.max(top, ph.rowmax(s))
        acc = acc * ph.exp2(top - new) + ph.dot(ph.f16(ph.exp2(s - new)), b)
        top = new
    C[:, :] = acc


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=3)
def onlines(A: ph.tensor[ph.f16][256, 64], B: ph.tensor[ph.f16][K, 64], C: ph.tensor[ph.f16][256, 64]):
    m: ph.let = ph.ctx.block.x * 64
    a: ph.let = A[m:+64, :]
    top: ph.var[ph.tile[ph.f32][64, 1]] = -1e30
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 32):
        b = B[k:+32, :]
        s: ph.let = ph.dot_t(a, b)
        new: ph.let = ph.max(top, ph.rowmax(s))
        acc = acc * ph.exp2(top - new) + ph.dot(ph.f16(ph.exp2(s - new)), b)
        top = new
    C[m:+64, :] = acc


# An operand that is the same in all turns has a slot of its own, filled again for each block.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=2)
def still(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][K, 256], C: ph.tensor[ph.f32][64, 256]):
    a: ph.let = A[:, :]
    acc: ph.var[ph.tile[ph.f32][64, 256]] = 0
    for k in range(0, K, 32):
        b = B[k:+32, :]
        acc += ph.dot(ph.f16(ph.dot_t(a, b)), b)
    C[:, :] = acc


# Blocks of one turn, before which only the first operand's slot is waited for, and blocks of more turns than there are slots.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=2)
def stills(A: ph.tensor[ph.f16][640, 256], B: ph.tensor[ph.f16][K, 256], C: ph.tensor[ph.f32][640, 256]):
    m: ph.let = ph.ctx.block.x * 64
    a: ph.let = A[m:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 256]] = 0
    for k in range(0, 32 if ph.ctx.block.x < 6 else K, 32):
        b = B[k:+32, :]
        acc += ph.dot(ph.f16(ph.dot_t(a, b)), b)
    C[m:+64, :] = acc


# Two products that need nothing of each other, the second under what is computed on the first one's sums.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=2)
def gradients(A: ph.tensor[ph.f16][64, 64], B: ph.tensor[ph.f16][K, 64], C: ph.tensor[ph.f32][64, 64]):
    a: ph.let = A[:, :]
    half: ph.let = a * ph.f16(0.5)
    dv: ph.var[ph.tile[ph.f32][64, 64]] = 0
    dk: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 32):
        b = B[k:+32, :]
        p: ph.let = ph.exp2_ftz(ph.dot_t(a, b) * 0.1)
        dv += ph.dot(ph.f16(p), b)
        dk += ph.dot(ph.f16(p * ph.dot_t(half, b)), b)
    C[:, :] = dv + dk


# The next block is asked for, and its first operand loaded, while the one before ends.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent(order="queue")
@ph.pipeline(stages=3)
def ahead(A: ph.tensor[ph.f16][640, 64], B: ph.tensor[ph.f16][K, 64], C: ph.tensor[ph.f16][640, 64]):
    m: ph.let = ph.ctx.block.x * 64
    a: ph.let = A[m:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 32 if ph.ctx.block.x < 6 else K, 32):
        b = B[k:+32, :]
        acc += ph.dot(ph.f16(ph.dot_t(a, b)), b)
    C[m:+64, :] = acc


# The same where a block may have nothing to multiply.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent(order="queue")
@ph.pipeline(stages=3)
def idle(A: ph.tensor[ph.f16][640, 64], B: ph.tensor[ph.f16][K, 64], C: ph.tensor[ph.f16][640, 64]):
    m: ph.let = ph.ctx.block.x * 64
    a: ph.let = A[m:+64, :]
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, ph.ctx.block.x // 2 * 32, 32):
        b = B[k:+32, :]
        acc += ph.dot(ph.f16(ph.dot_t(a, b) * 0.5), b)
    C[m:+64, :] = acc


# Two of them in flight.
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3)
def pair(A: ph.tensor[ph.f16][64, 160], B: ph.tensor[ph.f16][160, 64], C: ph.tensor[ph.f32][64, 64]):
    one: ph.var[ph.tile[ph.f32][64, 64]] = 0
    two: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, 160, 32):
        a = A[:, k:+32]
        b = B[k:+32, :]
        one += ph.dot(a, b)
        two += ph.dot(a, B[k:+32, :])
    C[:, :] = one - 2 * two


# Two tiles leave through the same slots; one of them goes where what it needs was read.
@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages=2)
def fused(
    A: ph.tensor[ph.f16][128, 96], B: ph.tensor[ph.f16][96, 384], bias: ph.tensor[ph.f16][384],
    D: ph.tensor[ph.f16][128, 384], C: ph.tensor[ph.f16][128, 384],
):
    n: ph.let = ph.ctx.block.x * 128
    acc: ph.var[ph.tile[ph.f32][128, 128]] = 0
    for k in range(0, 96, 32):
        acc += ph.dot(A[0:+128, k:+32], B[k:+32, n:+128])
    x: ph.let = acc + bias[n:+128]
    D[0:+128, n:+128] = x + D[0:+128, n:+128]
    C[0:+128, n:+128] = ph.max(x, 0.0)
"""


def random(*shape: int, dtype=np.float16) -> np.ndarray:
    return (np.random.default_rng(len(shape)).random(shape) - 0.5).astype(dtype)


def matmul(arch: str):
    a, b, c = random(128, 448), random(448, 64), np.zeros((128, 64), np.float16)  # the last turn in the first slot, on every chip
    return Lowered(T03.matmul, a, b, c, arch=arch, grid=(2, 1)), c, a.astype(np.float64) @ b.astype(np.float64), 2e-3


CASES = {
    "matmul-sm_75": lambda k: matmul("sm_75"),
    "matmul-sm_80": lambda k: matmul("sm_80"),
    "matmul-sm_90a": lambda k: matmul("sm_90a"),
}


def case(name: str, grid: int, tolerance: float, reference, *shapes, dtype=np.float32, out=np.float32, arch="sm_80", without_work=False):
    def make(kernels):
        given = [random(*shape, dtype=dtype) for shape in shapes[:-1]]
        result = np.zeros(shapes[-1], out)
        want = reference(*(array.astype(np.float64) for array in given))
        lowered = Lowered(getattr(kernels, name), *given, result, arch=arch, grid=grid)
        lowered.without_work = without_work
        return lowered, result, want, tolerance

    CASES[f"{name}-{arch}"] = make


case("total", 1, 1e-4, lambda x: x.sum(keepdims=True), (4096,), (1,))
case("turn", 1, 1e-3, lambda x: x.T + 1, (64, 48), (48, 64), dtype=np.float16, out=np.float16)
case("rows", 1, 1e-6, lambda x: x - x.max(1, keepdims=True), (2, 1024), (2, 1024))
for chip in ("sm_80", "sm_90a"):
    case("deep", blocks(128, 64), 1e-4, lambda a, b: a @ b, (128, 256), (256, 64), (128, 64), dtype=np.float16, arch=chip)
case("exact", 1, 1e-5, lambda a, b: a @ b, (64, 128), (128, 64), (64, 64))
case("summed", 1, 1e-3, lambda a, b: (a @ b).sum(1, keepdims=True), (64, 64), (64, 64), (64, 1), dtype=np.float16)
case("strips", 1, 1e-4, lambda a, b: a @ b, (64, 96), (96, 128), (64, 128), dtype=np.float16)
case("bands", 1, 1e-3, lambda a, b: a @ b, (128, 224), (224, 192), (128, 192), dtype=np.float16, out=np.float16, arch="sm_90a")
case("chain", 1, 2e-3, lambda a, b: (a @ b.T) @ b, (64, 64), (160, 64), (64, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
case("chains", 4, 2e-3, lambda a, b: (a @ b.T) @ b, (256, 64), (160, 64), (256, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
case("still", 1, 2e-3, lambda a, b: (a @ b.T) @ b, (64, 256), (96, 256), (64, 256), dtype=np.float16, arch="sm_90a")
short = lambda a, b: np.concatenate([(a[:384] @ b[:32].T) @ b[:32], (a[384:] @ b.T) @ b])  # noqa: E731
case("stills", 10, 2e-3, short, (640, 256), (128, 256), (640, 256), dtype=np.float16, arch="sm_90a")
powers = lambda a, b: np.exp2(a @ b.T - (a @ b.T).max(1, keepdims=True)) @ b  # noqa: E731
case("online", 1, 2e-3, powers, (64, 64), (160, 64), (64, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
case("onlines", 4, 2e-3, powers, (256, 64), (160, 64), (256, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
gradients = lambda a, b: np.exp2(a @ b.T * 0.1) @ b + (np.exp2(a @ b.T * 0.1) * (a @ b.T * 0.5)) @ b  # noqa: E731
case("gradients", 1, 2e-3, gradients, (64, 64), (160, 64), (64, 64), dtype=np.float16, arch="sm_90a")
case("ahead", 10, 2e-3, short, (640, 64), (160, 64), (640, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
parts = lambda a, b: [(a[64 * x :][:64] @ b[: x // 2 * 32].T) @ b[: x // 2 * 32] / 2 for x in range(10)]  # noqa: E731
case("idle", 10, 2e-3, lambda a, b: np.concatenate(parts(a, b)), (640, 64), (160, 64), (640, 64), dtype=np.float16, out=np.float16, arch="sm_90a", without_work=True)
case("pair", 1, 1e-3, lambda a, b: -(a @ b), (64, 160), (160, 64), (64, 64), dtype=np.float16, arch="sm_90a")
for chip, k in (("sm_80", 192), ("sm_90a", 160)):
    case("walk", 5, 1e-3, lambda a, b: a @ b, (64, k), (k, 640), (64, 640), dtype=np.float16, out=np.float16, arch=chip)
shapes = (64, 5, 160), (5, 160, 128), (64, 5, 128)
case("batches", 5, 1e-3, lambda a, b: np.einsum("mlk,lkn->mln", a, b), *shapes, dtype=np.float16, out=np.float16, arch="sm_90a")
case("drawn", 10, 1e-3, lambda a, b: a @ b, (64, 64), (64, 1280), (64, 1280), dtype=np.float16, out=np.float16, arch="sm_90a")
case("dealt", 10, 1e-6, lambda x: x + 1, (1280,), (1280,))
case("round", 4, 1e-6, lambda x, y: np.roll(x + 1, -3, 0), (4, 64), (4, 64), (4, 64))
shapes = (128, 96), (96, 384), (384,), (128, 384), (128, 384)
case("fused", 3, 1e-3, lambda a, b, v, d: (a @ b + v).clip(min=0), *shapes, dtype=np.float16, out=np.float16, arch="sm_90a")
case("together", (2, 2), 1e-3, lambda a, b: a @ b, (128, 160), (160, 128), (128, 128), dtype=np.float16, out=np.float16, arch="sm_90a")
case("beside", 5, 1e-3, lambda a, b: a @ b, (64, 160), (160, 640), (64, 640), dtype=np.float16, out=np.float16, arch="sm_90a")



@pytest.fixture(autouse=True)
def on_host():
    import phobos

    with phobos.target("host"):
        yield


def outcome(lowered: Lowered, text: str, seed: int, result, want, tolerance) -> str:
    """What the checkers say of it, "wrong values", or nothing."""
    import phobos

    result[...] = np.nan
    with phobos.sim(check="all", seed=seed):
        try:
            lowered.run(text)
        except phobos.SimulationError as error:
            return str(error)
    return "" if np.abs(result - want).max() <= tolerance * np.abs(want).max() else "wrong values"


def unseen(lowered: Lowered, say) -> list:
    """The ordering instructions that can be left out without an error under some seed; `say(text, seed)` is the outcome."""
    for seed in SEEDS:
        assert say(lowered.text, seed) == ""
    found = []
    fences = [line for line in lowered.ordering_lines() if "wgmma.fence" in lowered.text.splitlines()[line]]
    for line in lowered.ordering_lines():
        if line in fences[1:]:
            # No thread touches the sums between two turns' groups, so that PTX asks for none; but where they pass through a loop ptxas puts
            # one in itself, and says so (C7519).
            continue
        said = [say(lowered.without(line), seed) for seed in SEEDS]
        if not all("error: " in each for each in said):
            found.append((line, lowered.text.splitlines()[line].strip(), [each.splitlines()[:1] for each in said]))
    return found


@pytest.mark.parametrize("name", CASES)
def test_each_instruction_that_orders_is_missed(name, load_kernels):
    lowered, result, want, tolerance = CASES[name](load_kernels(KERNELS))
    assert lowered.ordering_lines(), "this kernel orders nothing"
    assert not unseen(lowered, lambda text, seed: outcome(lowered, text, seed, result, want, tolerance))


def launches_of(path, monkeypatch) -> list:
    """What a tutorial's check launches, the first of each kernel: the kernel, its grid, its arguments before and after."""
    from phobos.kernel import Kernel

    original, found = Kernel.__getitem__, {}

    def recording(kernel, grid):
        def launch(*args, **keywords):
            grids = []
            known = (lambda meta: grids.append(grid(meta)) or grids[-1]) if callable(grid) else grid
            before = [a.numpy().copy() if hasattr(a, "numpy") else a for a in args]
            original(kernel, known)(*args, **keywords)
            after = [a.numpy().copy() if hasattr(a, "numpy") else a for a in args]
            found.setdefault(kernel.__name__, (kernel, grids[-1] if grids else grid, before, after))

        return launch

    with monkeypatch.context() as patch:
        patch.setattr(Kernel, "__getitem__", recording)
        for torch in torch_on_host():
            assert tutorials.load(path).check(torch)[0]
    return list(found.values())


def waits_for_word(lines: list[str], line: int) -> bool:
    """The producer's wait for a queue's word, in front of what puts the counter back: blocks of as many turns as there are slots imply it. `ahead` and `idle` above have
    shorter ones, and show it."""
    return "mbarrier.try_wait" in lines[line] and any("llvm.atomicrmw xchg" in each for each in lines[line : line + 25])


@pytest.mark.slow
@pytest.mark.parametrize("path", tutorials.find([]), ids=lambda path: path.stem)
def test_each_instruction_that_orders_a_tutorial_is_missed(path, monkeypatch):
    """Each in one of its launches at least: a queue's slot is waited for where blocks are short, and so on."""
    import phobos

    missed = {}  # by the text: what no launch of it yet has shown to be needed
    for kernel, grid, before, after in launches_of(path, monkeypatch):
        seen = set()
        for chip in CHIPS:
            lowered = Lowered(kernel, *copy.deepcopy(before), arch=chip, grid=grid, **kernel.best(*before, grid=grid))
            way = re.sub(r"sm_\d+a?", "", lowered.text)
            if way in seen:  # as another chip does it
                continue
            if path.stem == "t03_matmul" and lowered.text == matmul(chip)[0].text and f"matmul-{chip}" in CASES:
                continue  # shown above, where the last turn lies in the slot whose memory C takes
            seen.add(way)

            def say(text: str, seed: int) -> str:
                for array, given in zip(lowered.arguments, before):
                    if isinstance(array, np.ndarray):  # else a scalar
                        array[...] = given
                with phobos.sim(check="all", seed=seed):
                    try:
                        lowered.run(text)
                    except phobos.SimulationError as error:
                        return str(error)
                close = all(np.allclose(x, y, atol=1e-2, rtol=0, equal_nan=True) for x, y in zip(lowered.arguments, after))
                return "" if close else "wrong values"

            lines = lowered.text.splitlines()
            found = {line: instruction for line, instruction, _ in unseen(lowered, say) if not waits_for_word(lines, line)}
            missed[way] = {line: found[line] for line in missed.get(way, found) if line in found}
    assert not [each for each in missed.values() if each]


# Kernels that another generator wrote, and what of theirs need not be there; lines are counted from 1.
MODULES = {
    "ampere_gemm": (lambda: modules.ampere_gemm(160), {}),
    "hopper_gemm": (modules.test_hopper_gemm, {258: "a fence before sums that nothing but wgmmas has touched"}),
    "hopper_attention": (
        modules.test_hopper_attention,
        dict.fromkeys((88, 90, 92, 94, 96), "mbarriers that are not used where each block has one tile")
        | {120: "the wait for a slot that is free at first", 179: "the wait for a slot of V: that for a later slot of K includes it"}
        | {846: "a fence before sums that begin at zero", 1611: "the barrier before the first use of memory for O"},
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_each_instruction_that_orders_another_generator_s_kernel_is_missed(name, monkeypatch):
    import phobos

    work, superfluous = MODULES[name]
    text, unseen = modules.text_of(name), []
    for line in ordering_lines(text):
        monkeypatch.setattr(modules, "text_of", lambda _, line=line: without(text, line))
        for seed in SEEDS[:2]:
            with phobos.sim(check="all", seed=seed):
                try:
                    work()
                    unseen.append(line + 1)
                except phobos.SimulationError:
                    pass
    assert sorted(set(unseen)) == sorted(superfluous)


def test_a_padded_tile_stays_inside_its_tensor(load_kernels):
    """1000 bytes are 62.5 vectors of 16."""
    import phobos

    kernel = load_kernels(
        """
@ph.kernel
@ph.launch(32)
def copy(x: ph.tensor[ph.i8][1000], y: ph.tensor[ph.i8][1000]):
    y[:] = x[:]
"""
    ).copy
    x = np.arange(1000, dtype=np.int8)
    around = np.full(1040, 77, np.int8)
    with phobos.sim(check="bounds"):
        kernel[1](x, around[:1000])
    assert np.array_equal(around[:1000], x) and (around[1000:] == 77).all()
