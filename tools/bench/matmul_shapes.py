"""Products of 16-bit matrices beside cuBLAS (by way of torch) and Triton in one process: square ones, tall, wide, flat and ragged ones, and a batch.

Of the kernels of half_kernels.py that a shape allows, each tuned, the fastest is timed: all kernels of a product that is split, or made from copies with
longer rows, together."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import half_kernels
import phobos
import torch
from common import arguments, compare, show, write
from matmul import check

# m, n, k; and how many of them at once.
SHAPES = [
    (8192, 1024, 8192, 1),
    (16384, 4096, 1024, 1),
    (64, 8192, 8192, 1),
    (4093, 4091, 4099, 1),
    (1, 8192, 8192, 1),
    (512, 512, 512, 64),
]
DTYPES = {"f16": (torch.float16, 1e-3), "bf16": (torch.bfloat16, 5e-3)}
LOOKS = 3
FLAT = 64  # rows of a tile: with no more, blocks are few


def candidates(kernels, a, b, c) -> dict[str, tuple[Callable[[], None], dict]]:
    """By name: a function that computes C, and its tuned constants."""

    def whole(kernel):
        def compute() -> None:
            kernel[kernels.tiles](a, b, c)

        compute()
        return compute, kernel.best(a, b, c)

    if a.ndim == 3:
        return {"matmul_batched": whole(kernels.matmul_batched)}
    if a.shape[0] > FLAT:
        both = (kernels.matmul, kernels.matmul_persistent)
        ways = {kernel.__name__: whole(kernel) for kernel in both}
        if a.shape[1] % 8 or b.shape[1] % 8:
            ways |= {f"{kernel.__name__}, copied": kernels.padded(kernel, a, b, c) for kernel in both}
        return ways
    ways = [kernels.matmul_parts, *[kernels.vector_parts] * (a.shape[0] == 1)]
    return {f"{way.__name__} {splits}": kernels.split(way, splits, a, b, c) for way in ways for splits in kernels.SPLITS}


def triton_peers(label: str, a, b, d, tolerance: float) -> dict[str, Callable[[], None]]:
    """Triton's kernels by pointers and by tensor maps, of those that the shape allows; a wrong one is none to be measured against."""
    try:
        from peers import triton_matmul, triton_matmul_persistent
    except ImportError:
        return {}
    found = {"Triton 03": lambda: triton_matmul(a, b, d)}
    if a.shape[-1] % 8 == 0 and b.shape[-1] % 8 == 0:  # pitches of whole 16 bytes
        found["Triton 09"] = lambda: triton_matmul_persistent(a, b, d)
    for name, function in found.items():
        d.fill_(float("nan"))
        function()
        check(f"{label}, {name}", d, a, b, tolerance)
    return found


def measure(name: str, m: int, n: int, k: int, batch: int, rounds: int) -> dict:
    dtype, tolerance = DTYPES[name]
    generator = torch.Generator(device="cuda").manual_seed(m + n + k)
    a, b = ((torch.rand(shape, device="cuda", generator=generator) - 0.5).to(dtype) for shape in ((batch, m, k), (batch, k, n)))
    if batch == 1:
        a, b = a[0], b[0]
    c, d = (torch.empty((*a.shape[:-1], n), device="cuda", dtype=dtype) for _ in range(2))
    label = f"{name} {m} x {n} x {k}" + (f", {batch} times" if batch > 1 else "")
    ways = candidates(half_kernels.of(name), a, b, c)
    # In turn and turn about: those close together are not ranked by one look at each.
    looks = [{way: phobos.bench(compute) for way, (compute, _) in ways.items()} for _ in range(LOOKS)]
    times = {way: statistics.median(look[way] for look in looks) for way in ways}
    fastest = min(times, key=times.get)
    compute, best = ways[fastest]
    c.fill_(float("nan"))
    compute()
    error = check(label, c, a, b, tolerance)
    peer = torch.bmm if batch > 1 else torch.matmul
    triton = triton_peers(label, a, b, d, tolerance)
    result = compare({"phobos": compute, "cuBLAS": lambda: peer(a, b, out=d), **triton}, rounds)
    flops, moved = 2.0 * batch * m * n * k, 2.0 * batch * (m * k + k * n + m * n)
    show(label, result, lambda ms: flops / ms / 1e9, "TFLOP/s")
    print(f"    {fastest}, {best}: {moved / result['ms']['phobos'] / 1e9:.2f} TB/s", flush=True)
    tflops, tbps = ({who: amount / ms / 1e9 for who, ms in result["ms"].items()} for amount in (flops, moved))
    shape = {"m": m, "n": n, "k": k, "batch": batch}
    return {"dtype": name, **shape, "kernel": fastest, "tflops": tflops, "tbps": tbps, "relative_error": error, "best": best, "tried_ms": times, **result}


def main() -> None:
    options = arguments(__doc__, sizes=[1024, 2048, 4096, 8192], shapes=list(range(len(SHAPES))))
    cases = [(name, n, n, n, 1) for name in DTYPES for n in options.sizes] + [("f16", *SHAPES[i]) for i in options.shapes]
    rows = []
    for name, *shape in cases:
        rows.append(measure(name, *shape, options.rounds))
        write(options.out, "matmul_shapes", __doc__, rows, rounds=options.rounds)  # what there is, should a run be ended


if __name__ == "__main__":
    main()
