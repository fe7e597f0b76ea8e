"""f16 products with a bias and a gelu, with a residual, and in batches, beside torch's (cuBLAS and a kernel for the gelu) and our own plain product."""

from __future__ import annotations

import torch
from common import arguments, compare, show, write
from fused_kernels import blocks, matmul_f16_batched, matmul_f16_bias_gelu, matmul_f16_residual
from kernels import blocks as plain_blocks
from kernels import matmul_f16_persistent
from matmul import check

BATCH = 16


def measure(name: str, n: int, kernel, given, want, contestants, flops: float, rounds: int) -> dict:
    c = torch.empty(want.shape, device="cuda", dtype=torch.float16)
    c.fill_(float("nan"))
    kernel[blocks](*given, c)
    error = ((c.double() - want).norm() / want.norm()).item()
    if not error < 1e-3:
        raise SystemExit(f"{name} {n}: relative error {error:.3g}, not below 0.001")
    result = compare({"phobos": lambda: kernel[blocks](*given, c), **contestants}, rounds)
    show(f"{name} {n}", result, lambda ms: flops / ms / 1e9, "TFLOP/s")
    tflops = {peer: flops / ms / 1e9 for peer, ms in result["ms"].items()}
    return {
        "case": name,
        "size": n,
        "kernel": kernel.__name__,
        "tflops": tflops,
        "relative_error": error,
        "best": kernel.best(*given, c),
        **result,
    }


def products(n: int, rounds: int) -> list[dict]:
    generator = torch.Generator(device="cuda").manual_seed(n)
    a, b, r = ((torch.rand((n, n), device="cuda", generator=generator) - 0.5).half() for _ in range(3))
    bias = (torch.rand(n, device="cuda", generator=generator) - 0.5).half()
    plain, other = torch.empty_like(a), torch.empty_like(a)
    matmul_f16_persistent[plain_blocks](a, b, plain)
    check(f"plain {n}", plain, a, b, 1e-3)
    exact = a.double() @ b.double()
    without = {"phobos, plain": lambda: matmul_f16_persistent[plain_blocks](a, b, plain)}
    flops = 2.0 * n**3
    return [
        measure(
            "bias and gelu", n, matmul_f16_bias_gelu, (a, b, bias), torch.nn.functional.gelu(exact + bias.double()),
            {"torch": lambda: torch.nn.functional.gelu(torch.addmm(bias, a, b, out=other)), **without}, flops, rounds,
        ),
        measure(
            "residual", n, matmul_f16_residual, (a, b, r), exact + r.double(),
            {"torch": lambda: torch.addmm(r, a, b, out=other), **without}, flops, rounds,
        ),
    ]  # fmt: skip


def batch(n: int, rounds: int) -> dict:
    generator = torch.Generator(device="cuda").manual_seed(n)
    a, b = ((torch.rand((BATCH, n, n), device="cuda", generator=generator) - 0.5).half() for _ in range(2))
    other = torch.empty_like(a)
    peers = {"torch": lambda: torch.bmm(a, b, out=other)}
    want = a.double() @ b.double()
    return measure(f"batch of {BATCH}", n, matmul_f16_batched, (a, b), want, peers, 2.0 * BATCH * n**3, rounds)


def main() -> None:
    options = arguments(__doc__, sizes=[1024, 2048, 4096, 8192])
    rows = [row for n in options.sizes for row in products(n, options.rounds)]
    rows += [batch(n, options.rounds) for n in (512, 1024, 2048)]
    write(options.out, "matmul_fused", __doc__, rows, rounds=options.rounds)


if __name__ == "__main__":
    main()
