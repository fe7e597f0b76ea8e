"""Operands that are converted or scaled on their way to a product: int8 and 8-bit float weights, scales a column, a row or a group of k, an
activation of A. Compared with the product of the operands as they are then, in float64."""

from __future__ import annotations

import pytest

SOURCE = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore{more}
def matmul(A: ph.tensor[ph.{a}][M, K], W: ph.tensor[ph.{w}][{dims}], s: ph.tensor[ph.f16][{scales}], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 64
    column: ph.let = ph.ctx.block.y * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 32):
        acc += {product}
    C[row:+64, column:+64] = acc
"""
A, W, WT = "A[row:+64, k:+32]", "W[k:+32, column:+64]", "W[column:+64, k:+32]"
# What a and w are, dims of W, dims of s, the product's text, and what multiplies: A (M, K) and W (K, N) as float64, and s.
CASES = {
    "weights-i8": ("f16", "i8", "K, N", "1", f"ph.dot({A}, ph.f16({W}))", lambda a, w, s: (a, w)),
    "weights-i8-turned": ("f16", "i8", "N, K", "1", f"ph.dot_t({A}, ph.f16({WT}))", lambda a, w, s: (a, w)),
    "weights-i8-bf16": ("bf16", "i8", "K, N", "1", f"ph.dot({A}, ph.bf16({W}))", lambda a, w, s: (a, w)),
    "scaled-by-column": ("f16", "i8", "K, N", "N", f"ph.dot({A}, ph.f16({W}) * s[column:+64])", lambda a, w, s: (a, w * s)),
    "scaled-by-row-of-k": ("f16", "i8", "K, N", "K", f"ph.dot({A}, ph.f16({W}) * s[k:+32][:, None])", lambda a, w, s: (a, w * s[:, None])),
    "scaled-by-group": (
        "f16", "i8", "K, N", "G, N", f"ph.dot({A}, ph.f16({W}) * s[k // 64, column:+64])",
        lambda a, w, s: (a, w * s.repeat_interleave(64, 0)[: w.shape[0]]),
    ),
    "first-operand": ("i8", "f16", "K, N", "1", f"ph.dot(ph.f16({A}), {W})", lambda a, w, s: (a, w)),
    "both": ("i8", "i8", "K, N", "1", f"ph.dot(ph.f16({A}), ph.f16({W}))", lambda a, w, s: (a, w)),
    "activated": ("f16", "f16", "K, N", "1", f"ph.dot(ph.max({A}, 0.0), {W})", lambda a, w, s: (a.clamp(min=0), w)),
    "from-f32": ("f32", "f16", "K, N", "1", f"ph.dot(ph.f16({A}), {W})", lambda a, w, s: (a, w)),
}  # fmt: skip
DEPTHS = {
    "automatic": "",
    "s3": "\n@ph.autotune(stages=[3])",
    "off": "\n@ph.pipeline(False)",
    "persistent": "\n@ph.persistent",
}
SHAPES = [(64, 64, 32), (128, 64, 256), (100, 72, 136), (64, 128, 40)]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("name", CASES)
def test_prologue(name, depth, torch, load_kernels):
    torch.manual_seed(0)
    a_type, w_type, dims, scales, product, reference = CASES[name]
    source = SOURCE.format(more=DEPTHS[depth], a=a_type, w=w_type, dims=dims, scales=scales, product=product)
    matmul = load_kernels(source).matmul
    dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "i8": torch.int8}

    def operand(dtype, *shape):
        if dtype == "i8":
            return torch.randint(-8, 8, shape, device="cuda").to(torch.int8)
        values = torch.rand(shape, device="cuda") - 0.5
        return values.half().float() if dtype == "f32" else values.to(dtypes[dtype])

    for m, n, k in SHAPES:
        extents = {"M": m, "N": n, "K": k, "G": -(-k // 64), "1": 1}
        a, w = operand(a_type, m, k), operand(w_type, *(extents[dim] for dim in dims.split(", ")))
        s = operand("f16", *(extents[dim] for dim in scales.split(", ")))
        c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float16)
        matmul[-(-m // 64), -(-n // 64)](a, w, s, c)
        torch.cuda.synchronize()
        left, right = reference(a.double(), (w.t() if dims == "N, K" else w).double(), s.double())
        want, absolute = left @ right, left.abs() @ right.abs()
        # An operand is rounded once more than the reference's where it is scaled.
        bound = (2**-11 if "scaled" in name else 0) * absolute + k * 2**-23 * absolute + 2**-11 * want.abs() + 1e-6
        assert ((c.double() - want).abs() <= bound * 1.01).all(), f"{name} {m}x{n}x{k}\n{source}"
