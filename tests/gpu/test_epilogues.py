"""What follows a product's loop, fused: biases, activations, scales, residuals, narrowing, second outputs; whole tiles and ragged ones."""

from __future__ import annotations

import math

import pytest

SOURCE = """
WIDE = {wide}


@ph.kernel
@ph.launch({threads})
@ph.tensorcore
@ph.autotune(stages=[{stages}]){more}
def matmul(A: ph.tensor[ph.{dtype}][M, K], B: ph.tensor[ph.{dtype}][K, N], {parameters}):
    row: ph.let = ph.ctx.block.x * 128
    column: ph.let = ph.ctx.block.y * WIDE
    acc: ph.var[ph.tile[ph.f32][128, WIDE]] = 0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+128, k:+64], B[k:+64, column:+WIDE])
    {epilogue}
"""
TILE = "[row:+128, column:+WIDE]"


class Epilogue:
    """`extra`: name, dtype and dims of what the kernel takes beside A, B and its outputs (which begin as random numbers too). `text`: lines
    after the loop. `reference`: from the product and those tensors, all float64, the outputs in order."""

    def __init__(self, extra, outputs, text, reference):
        self.extra, self.outputs, self.text, self.reference = extra, outputs, text, reference

    def parameters(self, dtype: str) -> str:
        tensors = [f"{name}: ph.tensor[ph.{kind or dtype}][{dims}]" for name, kind, dims in self.extra + self.outputs]
        return ", ".join(tensors)


def erf(x):
    return (x / math.sqrt(2)).erf()


C = ("C", "", "M, N")
EPILOGUES = {
    "bias-row": Epilogue([("v", "", "N")], [C], f"C{TILE} = acc + v[column:+WIDE]", lambda p, v, c: [p + v]),
    "bias-column": Epilogue([("v", "f32", "M")], [C], f"C{TILE} = acc + v[row:+128][:, None]", lambda p, v, c: [p + v[:, None]]),
    "relu": Epilogue([], [C], f"C{TILE} = ph.max(acc, 0.0)", lambda p, c: [p.clamp(min=0)]),
    "bias-gelu": Epilogue(
        [("v", "", "N")], [C],
        f"x: ph.let = acc + v[column:+WIDE]\n    C{TILE} = 0.5 * x * (1.0 + ph.erf(x * 0.7071067811865476))",
        lambda p, v, c: [0.5 * (p + v) * (1 + erf(p + v))],
    ),
    "gelu-tanh": Epilogue(
        [], [C], f"C{TILE} = 0.5 * acc * (1.0 + ph.tanh(0.7978845608028654 * (acc + 0.044715 * acc * acc * acc)))",
        lambda p, c: [0.5 * p * (1 + (math.sqrt(2 / math.pi) * (p + 0.044715 * p**3)).tanh())],
    ),
    "swish": Epilogue([], [C], f"C{TILE} = acc * ph.sigmoid(acc)", lambda p, c: [p * p.sigmoid()]),
    "scales": Epilogue(
        [("v", "f32", "M"), ("w", "f32", "N")], [C], f"C{TILE} = acc * (v[row:+128][:, None] * w[column:+WIDE][None, :])",
        lambda p, v, w, c: [p * v[:, None] * w],
    ),
    "residual": Epilogue([("R", "", "M, N")], [C], f"C{TILE} = acc + R{TILE}", lambda p, r, c: [p + r]),
    "residual-f32": Epilogue([("R", "f32", "M, N")], [C], f"C{TILE} = acc + R{TILE}", lambda p, r, c: [p + r]),
    "residual-turned": Epilogue(
        [("R", "", "N, M")], [C], f"C{TILE} = acc + R[column:+WIDE, row:+128].T", lambda p, r, c: [p + r.t()]
    ),
    "alpha-beta": Epilogue([], [C], f"C{TILE} = 2.0 * acc - 0.5 * C{TILE}", lambda p, c: [2 * p - 0.5 * c]),
    "wide": Epilogue([], [("C", "f32", "M, N")], f"C{TILE} = acc * 3.0", lambda p, c: [3 * p]),
    "two": Epilogue(
        [], [C, ("D", "", "M, N")], f"C{TILE} = acc\n    D{TILE} = ph.max(acc, 0.0)", lambda p, c, d: [p, p.clamp(min=0)]
    ),
    "two-types": Epilogue([], [C, ("D", "f32", "M, N")], f"C{TILE} = acc\n    D{TILE} = acc * acc", lambda p, c, d: [p, p * p]),
    "narrow": Epilogue(
        [], [("C", "i8", "M, N")], f"C{TILE} = ph.i8(ph.clamp(acc * 16.0, -128.0, 127.0))",
        lambda p, c: [(16 * p).clamp(-128, 127).trunc()],
    ),
    "start": Epilogue([("R", "", "M, N")], [C], f"C{TILE} = acc", lambda p, r, c: [p + r]),
    "transposed": Epilogue([], [("C", "", "N, M")], "C[column:+WIDE, row:+128] = acc.T", lambda p, c: [p.t()]),
}  # fmt: skip
SHAPES = [(128, 64, 64), (256, 192, 200), (200, 136, 72), (264, 72, 136)]  # whole, whole but for k, ragged


def tensors_of(torch, kernel_dtype, extents, wanted):
    dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "i8": torch.int8}
    made = []
    for _, kind, dims in wanted:
        shape = [extents[dim.strip()] for dim in dims.split(",")]
        made.append((torch.rand(shape, device="cuda") - 0.5).to(dtypes[kind or kernel_dtype]))
    return made


def close(got, want, dtype: str) -> bool:
    if dtype == "i8":  # a sum may be on the other side of an integer
        off = (got.double() - want).abs()
        return bool((off <= 1).all()) and int((off > 0).sum()) <= max(2, want.numel() // 200)
    rounding, sums = {"f16": 2**-10, "bf16": 2**-7, "f32": 2**-18}[dtype], 2e-4
    return bool(((got.double() - want).abs() <= rounding * want.abs() + sums).all())


@pytest.mark.parametrize("more", ["", "\n@ph.persistent"], ids=["plain", "persistent"])
@pytest.mark.parametrize("dtype,threads,wide", [("f16", 256, 64), ("bf16", 256, 64), ("f16", 256, 256)])
@pytest.mark.parametrize("name", EPILOGUES)
def test_epilogue(name, dtype, threads, wide, more, torch, load_kernels):
    """With 32 sums a thread, and with 128, which leave little room."""
    torch.manual_seed(0)
    epilogue = EPILOGUES[name]
    source = SOURCE.format(
        more=more,
        dtype=dtype,
        threads=threads,
        wide=wide,
        stages=3 if wide == 64 else 2,
        parameters=epilogue.parameters(dtype),
        epilogue=epilogue.text,
    )
    if name == "start":
        source = source.replace("[128, WIDE]] = 0", f"[128, WIDE]] = ph.f32(R{TILE})")
    matmul = load_kernels(source).matmul
    for m, n, k in SHAPES:
        if name == "narrow":
            n = -(-n // 16) * 16
        extents = {"M": m, "N": n, "K": k}
        a, b = tensors_of(torch, dtype, extents, [("A", "", "M, K"), ("B", "", "K, N")])
        extra, outputs = (
            tensors_of(torch, dtype, extents, epilogue.extra),
            tensors_of(torch, dtype, extents, epilogue.outputs),
        )
        wants = epilogue.reference(a.double() @ b.double(), *(x.double() for x in extra + outputs))
        matmul[-(-m // 128), -(-n // wide)](a, b, *extra, *outputs)
        torch.cuda.synchronize()
        for got, want, (_, kind, _) in zip(outputs, wants, epilogue.outputs):
            assert close(got, want, kind or dtype), f"{name} {m}x{n}x{k}\n{source}"


BRANCH = SOURCE.format(
    more="{more}",
    dtype="f16",
    threads=256,
    wide=64,
    stages=3,
    parameters="v: ph.tensor[ph.f16][N], C: ph.tensor[ph.f16][M, N], S: ph.tensor[ph.f32][L, M]",
    epilogue=f"""if row >= 128:
        acc = acc + v[column:+64]
    S[ph.ctx.block.y, row:+128] = ph.sum(acc, axis=1)
    C{TILE} = acc""",
)


@pytest.mark.parametrize("more", ["", "\n@ph.persistent"], ids=["plain", "persistent"])
def test_branch_and_sums(more, torch, load_kernels):
    """A block of its own takes a bias; sums of rows leave beside the tile."""
    torch.manual_seed(0)
    matmul = load_kernels(BRANCH.format(more=more)).matmul
    for m, n, k in SHAPES:
        a, b = (torch.rand(m, k, device="cuda") - 0.5).half(), (torch.rand(k, n, device="cuda") - 0.5).half()
        v, c = (torch.rand(n, device="cuda") - 0.5).half(), torch.empty(m, n, device="cuda", dtype=torch.float16)
        sums = torch.empty(-(-n // 64), m, device="cuda")
        matmul[-(-m // 128), -(-n // 64)](a, b, v, c, sums)
        want = a.double() @ b.double()
        want[128:] += v.double()
        assert close(c, want, "f16")
        for block, got in enumerate(sums):
            assert torch.allclose(got.double(), want[:, block * 64 : block * 64 + 64].sum(1), atol=1e-3)


BATCHED = """
@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.autotune(stages=[2]){more}
def matmul(A: ph.tensor[ph.f16][L, M, K], B: ph.tensor[ph.f16][L, K, N], v: ph.tensor[ph.f16][L, N], R: ph.tensor[ph.f16][M, L, N],
           C: ph.tensor[ph.f16][L, M, N]):
    i: ph.let = ph.ctx.block.z
    row: ph.let = ph.ctx.block.x * 128
    column: ph.let = ph.ctx.block.y * 128
    acc: ph.var[ph.tile[ph.f32][128, 128]] = 0
    for k in range(0, K, 64):
        acc += ph.dot(A[i, row:+128, k:+64], B[i, k:+64, column:+128])
    x: ph.let = acc + v[i, column:+128] + R[row:+128, i, column:+128]
    C[i, row:+128, column:+128] = x - 0.5 * C[i, row:+128, column:+128]
"""


@pytest.mark.parametrize("more", ["", "\n@ph.persistent"], ids=["plain", "persistent"])
def test_batched(more, torch, load_kernels):
    """What is loaded behind the loop is cut out of tensors of rank 2 and 3, and C is read before it is stored."""
    torch.manual_seed(0)
    matmul = load_kernels(BATCHED.format(more=more)).matmul
    for m, n, k in SHAPES:
        a, b, v, r, c = (
            (torch.rand(shape, device="cuda") - 0.5).half()
            for shape in ((3, m, k), (3, k, n), (3, n), (m, 3, n), (3, m, n))
        )
        want = a.double() @ b.double() + v.double()[:, None, :] + r.double().transpose(0, 1) - 0.5 * c.double()
        matmul[-(-m // 128), -(-n // 128), 3](a, b, v, r, c)
        assert close(c, want, "f16")
