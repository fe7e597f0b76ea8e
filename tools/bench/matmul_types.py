"""Products of f32 operands by tf32 and of int8 operands on tensor cores, the second operand stored transposed, beside cuBLAS by way of torch."""

from __future__ import annotations

import torch
from common import arguments, compare, show, write
from kernels import blocks, matmul_i8, matmul_tf32


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
    write(options.out, "matmul_types", __doc__, rows, rounds=options.rounds)


if __name__ == "__main__":
    main()
