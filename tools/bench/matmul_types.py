"""Products of other types on tensor cores beside cuBLAS by way of torch: tf32, int8 and e4m3, the second operand stored transposed (e4m3
with sums as the tensor cores keep them, and added to whole f32 every 512 products; peers with and without fast accumulation), and f32
split in three terms beside exact f32."""

from __future__ import annotations

import torch
from common import arguments, compare, show, write
from kernels import blocks, matmul_bf16x3, matmul_f8, matmul_f8_promoted, matmul_i8, matmul_tf32, matmul_tf32x3


def measure(name: str, kernel, n: int, a, b, c, peer, want, tolerance: float, rounds: int) -> dict:
    c.fill_(77)
    kernel[blocks](a, b, c)
    error = ((c.double() - want).norm() / want.norm()).item()
    if not error <= tolerance:
        raise SystemExit(f"{name} {n}: relative error {error:.3g}, not below {tolerance}")
    result = compare({"phobos": lambda: kernel[blocks](a, b, c), "cuBLAS": peer}, rounds)
    operations = 2.0 * n**3
    show(f"{name} {n}", result, lambda ms: operations / ms / 1e9, "Top/s")
    speed = {who: operations / ms / 1e9 for who, ms in result["ms"].items()}
    return {"dtype": name, "size": n, "tflops": speed, "relative_error": error, "best": kernel.best(a, b, c), **result}


def main() -> None:
    options = arguments(__doc__, sizes=[4096, 8192])
    torch.backends.cuda.matmul.allow_tf32 = True
    rows = []
    for n in options.sizes:
        generator = torch.Generator(device="cuda").manual_seed(n)
        a, b = (torch.rand((n, n), device="cuda", generator=generator) - 0.5 for _ in range(2))
        c, d = torch.empty_like(a), torch.empty_like(a)
        tf32 = lambda a=a, b=b, d=d: torch.matmul(a, b.t(), out=d)  # noqa: E731
        rows.append(measure("tf32", matmul_tf32, n, a, b, c, tf32, a.double() @ b.double().t(), 1e-3, options.rounds))
        a, b = (torch.randint(-128, 128, (n, n), device="cuda", generator=generator, dtype=torch.int8) for _ in range(2))
        c = torch.empty((n, n), device="cuda", dtype=torch.int32)
        int8 = lambda a=a, b=b: torch._int_mm(a, b.t())  # noqa: E731
        rows.append(measure("int8", matmul_i8, n, a, b, c, int8, int8().double(), 0.0, options.rounds))
        a, b = (torch.randn((n, n), device="cuda", generator=generator).to(torch.float8_e4m3fn) for _ in range(2))
        c, one = torch.empty((n, n), device="cuda", dtype=torch.float16), torch.ones((), device="cuda")
        want = a.double() @ b.double().t()
        for name, kernel, fast, tolerance in (("e4m3", matmul_f8, True, 2e-2), ("e4m3, promoted", matmul_f8_promoted, False, 1e-3)):
            f8 = lambda a=a, b=b, fast=fast, one=one: torch._scaled_mm(  # noqa: E731
                a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.float16, use_fast_accum=fast
            )
            row = measure(name, kernel, n, a, b, c, f8, want, tolerance, options.rounds)
            rows.append(row | {"peer_error": ((f8().double() - want).norm() / want.norm()).item()})
        torch.backends.cuda.matmul.allow_tf32 = False
        a, b = (torch.rand((n, n), device="cuda", generator=generator) - 0.5 for _ in range(2))
        c, d, want = torch.empty_like(a), torch.empty_like(a), a.double() @ b.double()
        f32 = lambda a=a, b=b, d=d: torch.matmul(a, b, out=d)  # noqa: E731
        for name, kernel, tolerance in (("f32 by tf32x3", matmul_tf32x3, 1e-4), ("f32 by bf16x3", matmul_bf16x3, 2e-4)):
            row = measure(name, kernel, n, a, b, c, f32, want, tolerance, options.rounds)
            f32()
            rows.append(row | {"peer_error": ((d.double() - want).norm() / want.norm()).item()})
        torch.backends.cuda.matmul.allow_tf32 = True
        del a, b, c, d, want
        torch.cuda.empty_cache()
    write(options.out, "matmul_types", __doc__, rows, rounds=options.rounds)


if __name__ == "__main__":
    main()
