"""Kernels that meet each way of ordering threads, as text: test_simulator_mutations.py leaves out one instruction of theirs after the other."""

from __future__ import annotations

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
