"""Square matrix products beside cuBLAS and Triton in one process: f16 on tensor cores, the same with dependent launch (each product
starts under the end of the one before it, as no peer does), tutorial 03 as it is written beside Triton with its tile, and f32 exact (FMA,
no tf32)."""

from __future__ import annotations

import importlib.util

import torch
from common import ROOT, arguments, compare, show, write
from kernels import (
    blocks,
    matmul_f16,
    matmul_f16_dependent,
    matmul_f16_persistent,
    matmul_f16_small_dependent,
    matmul_f32,
)

# From here on there are several waves of blocks, whose ends and beginnings overlap.
PERSISTENT_FROM = 4096
DEPENDENT_PERSISTENT_FROM = 2048
T03_SIZE = 4096


def tutorial(name: str):
    specification = importlib.util.spec_from_file_location(name, ROOT / "examples" / "tutorials" / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def operands(n: int, dtype):
    generator = torch.Generator(device="cuda").manual_seed(n)
    a, b = ((torch.rand((n, n), device="cuda", generator=generator) - 0.5).to(dtype) for _ in range(2))
    return a, b


def check(name: str, ours, a, b, tolerance: float) -> float:
    """The relative error of a product against float64; a wrong kernel's speed says nothing."""
    want = a.double() @ b.double()
    error = ((ours.double() - want).norm() / want.norm()).item()
    if not error < tolerance:
        raise SystemExit(f"{name}: relative error {error:.3g}, not below {tolerance}")
    return error


def measure(name, kernel, dtype, n, tolerance, peers, rounds) -> dict:
    a, b = operands(n, dtype)
    c, d = torch.empty_like(a), torch.empty_like(a)
    c.fill_(float("nan"))
    kernel[blocks](a, b, c)
    error = check(f"{name} {n}", c, a, b, tolerance)
    contestants = {"phobos": lambda: kernel[blocks](a, b, c), "cuBLAS": lambda: torch.matmul(a, b, out=d)}
    for peer, function in peers.items():
        function(a, b, d)
        check(f"{peer} {n}", d, a, b, tolerance)
        contestants[peer] = lambda function=function: function(a, b, d)
    result = compare(contestants, rounds)
    flops = 2.0 * n**3
    show(f"{name} {n}", result, lambda ms: flops / ms / 1e9, "TFLOP/s")
    tflops = {peer: flops / ms / 1e9 for peer, ms in result["ms"].items()}
    return {"dtype": name, "size": n, "kernel": kernel.__name__, "tflops": tflops, "relative_error": error, "best": kernel.best(a, b, c), **result}


def main() -> None:
    options = arguments(__doc__, sizes=[1024, 2048, 4096, 8192])
    torch.backends.cuda.matmul.allow_tf32 = False
    peers, same_tile = {}, {}
    try:
        from peers import triton_matmul, triton_matmul_persistent, triton_matmul_t03

        same_tile = {"Triton, its tile": triton_matmul_t03}
        peers = {"Triton 03": triton_matmul, "Triton 09": triton_matmul_persistent}
    except ImportError as error:
        print(f"without Triton: {error}")
    rows = []
    for n in options.sizes:
        kernel = matmul_f16_persistent if n >= PERSISTENT_FROM else matmul_f16
        rows.append(measure("f16", kernel, torch.float16, n, 1e-3, peers, options.rounds))
    for n in options.sizes:
        kernel = matmul_f16_dependent if n >= DEPENDENT_PERSISTENT_FROM else matmul_f16_small_dependent
        rows.append(measure("f16, dependent", kernel, torch.float16, n, 1e-3, {}, options.rounds))
    t03 = tutorial("t03_matmul").matmul
    for n in (n for n in options.sizes if n == T03_SIZE):
        rows.append(measure("f16, t03 as written", t03, torch.float16, n, 1e-3, same_tile, options.rounds))
    rows += [measure("f32", matmul_f32, torch.float32, n, 1e-5, {}, options.rounds) for n in options.sizes]
    write(options.out, "matmul", __doc__, rows, rounds=options.rounds)


if __name__ == "__main__":
    main()
