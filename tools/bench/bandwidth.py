"""How kernels that wait for memory are measured: bytes that must be read plus bytes that must be written, a second, beside a copy that
moves as many."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import phobos
import torch
from common import compare, show

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
# Relative errors against float64, of sums in f32 that are rounded once to the type.
TOLERANCES = {"f32": 1e-5, "f16": 1e-3, "bf16": 5e-3}

LOOKS = 3
Ways = dict[str, tuple[Callable[[], object], dict]]


def random(shape, name: str, seed: int):
    torch.manual_seed(seed)
    return torch.randn(shape, device="cuda").to(DTYPES[name])


def check(label: str, got, want, tolerance: float) -> float:
    """The relative error against float64; a wrong kernel's speed says nothing."""
    error = ((got.double() - want).norm() / want.norm()).item()
    if not error < tolerance:
        raise SystemExit(f"{label}: relative error {error:.3g}, not below {tolerance}")
    return error


def way(kernel, grid, *arguments, **fixed) -> tuple[Callable[[], None], dict]:
    """A function that launches a kernel, tuned by now, and its constants."""

    def compute() -> None:
        kernel[grid](*arguments, **fixed)

    compute()
    return compute, kernel.best(*arguments, **fixed)


def copying(moved: int) -> Callable[[], object]:
    """A copy on the device that moves so many bytes: it reads a half and writes a half."""
    source = torch.randint(256, (moved // 2,), device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def measure(label: str, ways: Ways, verify: Callable[[str], float], peers: dict[str, Callable[[], object]], moved: int, rounds: int) -> dict:
    """The fastest of our ways beside the peers and the copy. `verify(name)` looks at what the last call of a way has left and gives its error."""
    errors = {}
    for name, (compute, _) in ways.items():
        compute()
        errors[name] = verify(f"{label}, {name}")
    # In turn and turn about: those close together are not ranked by one look at each.
    looks = [{name: phobos.bench(compute) for name, (compute, _) in ways.items()} for _ in range(LOOKS)]
    times = {name: statistics.median(look[name] for look in looks) for name in ways}
    fastest = min(times, key=times.get)
    compute, best = ways[fastest]
    result = compare({"phobos": compute, **peers, "copy": copying(moved)}, rounds)
    show(label, result, lambda ms: moved / ms / 1e9, "TB/s")
    print(f"    {fastest}, {best}", flush=True)
    tbps = {who: moved / ms / 1e9 for who, ms in result["ms"].items()}
    return {"kernel": fastest, "tbps": tbps, "bytes": moved, "relative_error": errors[fastest], "best": best, "tried_ms": times, **result}


def power_of_two(n: int) -> int:
    return 1 << (n - 1).bit_length()
