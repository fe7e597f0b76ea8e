"""A few launches for compute-sanitizer: the tutorials' kernels and some random products, small, checked as well.

    compute-sanitizer --tool memcheck python tests/gpu/sanitizer_sample.py FOLDER

FOLDER takes the kernels' files. torch's caching allocator must be off (PYTORCH_NO_CUDA_MEMORY_CACHING=1): otherwise an
access past the end of an array lands in the allocator's block and nothing is seen.
"""

from __future__ import annotations

import pathlib
import sys

import torch

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from conftest import ROOT, import_file  # noqa: E402
from gpu import matmul_cases  # noqa: E402

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "i8": torch.int8, "i32": torch.int32}
# One of each kind: dtype, tensor cores or not, and every order of the operands.
MAX_SAMPLES = 12


def sample() -> list[matmul_cases.Case]:
    seen, chosen = set(), []
    for case in matmul_cases.cases():
        kind = (case.dtype, bool(case.tensorcore)), case.order
        if max(case.shape) <= 400 and not all(part in seen for part in kind):
            seen.update(kind)
            chosen.append(case)
    return chosen[:MAX_SAMPLES]


def run_case(case: matmul_cases.Case, folder: pathlib.Path) -> None:
    path = folder / f"case_{case.number:03}.py"
    path.write_text(case.source())
    matmul = import_file(path).matmul
    m, n, k = case.shape
    shape_a = (k, m) if case.order == "transpose_a" else (m, k)
    shape_b = (n, k) if case.order == "dot_t" else (k, n)

    def random(shape, view):
        shape = shape[::-1] if view else shape
        if case.dtype == "i8":
            values = torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8)
        else:
            values = (torch.rand(shape, device="cuda") - 0.5).to(DTYPES[case.dtype])
        return values.t() if view else values

    a = random(shape_a, case.order in ("view_a", "view_ab"))
    b = random(shape_b, case.order in ("view_b", "view_ab"))
    c = torch.empty((m, n), device="cuda", dtype=DTYPES[case.out])
    matmul[-(-m // case.tile[0]), -(-n // case.tile[1])](a, b, c)
    left = (a.t() if case.order == "transpose_a" else a).cpu().double()
    right = (b.t() if case.order == "dot_t" else b).cpu().double()
    error = (c.cpu().double() - left @ right).abs().max().item()
    assert error <= (0 if case.dtype == "i8" else 0.05), f"{case}: {error}"
    print(f"{case}: {error:.3g}", flush=True)


def attention() -> None:
    """Forward by two warpgroups and a queue, and both kernels of the backward pass, causal, with a ragged end."""
    t06 = import_file(ROOT / "examples" / "tutorials" / "t06_attention.py")
    q, k, v, do = (torch.randn((1, 2, 200, 64), device="cuda").half() for _ in range(4))
    o, sums, delta = torch.empty_like(q), torch.empty((1, 2, 200), device="cuda"), torch.empty((1, 2, 200), device="cuda")
    dq, dk, dv = (torch.empty_like(q) for _ in range(3))
    t06.attention[t06.blocks](q, k, v, o, sums, 0.125, True, 64, BM=128, BN=64, stages=3, threads=256)
    t06.row_products[7, 2, 1](o, do, delta, 64)
    t06.key_gradients[t06.key_blocks](q, k, v, do, sums, delta, dk, dv, 0.125, True, 64, BN=64, BM=64, stages=2, threads=128)
    t06.query_gradients[t06.blocks](q, k, v, do, sums, delta, dq, 0.125, True, 64, BM=64, BN=64, stages=2, threads=128)
    exact = [x.cpu().double().requires_grad_() for x in (q, k, v)]
    s = (exact[0] @ exact[1].transpose(2, 3) / 8).masked_fill(~torch.ones((200, 200), dtype=torch.bool).tril(), -float("inf"))
    want = torch.softmax(s, 3) @ exact[2]
    want.backward(do.cpu().double())
    for got, expected in zip((o, dq, dk, dv), (want.detach(), *(x.grad for x in exact)), strict=True):
        assert (got.cpu().double() - expected).norm() < 2e-3 * expected.norm()


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    vector_add = import_file(ROOT / "examples" / "tutorials" / "t01_vector_add.py").add
    x, y, z = (torch.rand(5000, device="cuda") for _ in range(3))
    vector_add[(5,)](x, y, z)
    assert torch.equal(z.cpu(), x.cpu() + y.cpu())
    matmul = import_file(ROOT / "examples" / "tutorials" / "t03_matmul.py").matmul
    a, b, c = (torch.rand((128, 128), device="cuda").half() for _ in range(3))
    matmul[(2, 2)](a, b, c)
    assert (c.cpu().double() - a.cpu().double() @ b.cpu().double()).abs().max() < 0.05
    t09 = import_file(ROOT / "examples" / "tutorials" / "t09_persistent_matmul.py")
    a, b, c = (torch.rand(shape, device="cuda").half() for shape in ((200, 264), (264, 328), (200, 328)))
    want = a.cpu().double() @ b.cpu().double()
    t09.matmul[t09.tiles](a, b, c, TILE_M=64, TILE_N=64, TILE_K=64, stages=3, threads=256)
    assert (c.cpu().double() - want).abs().max() < 0.1
    t09.matmul_split(torch, a, b, c, TILE_M=64, TILE_N=64, TILE_K=64, SPLITS=4, stages=3, threads=128)
    assert (c.cpu().double() - want).abs().max() < 0.1
    attention()
    for case in sample():
        run_case(case, folder)
    torch.cuda.synchronize()
    print("sample done")


if __name__ == "__main__":
    main()
