"""Helpers for tests of kernels."""

from __future__ import annotations

# By dtype: relative to the largest value, as far as another order of summation may go.
TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}


def assert_close(got, want, *, tolerance: float | None = None, what: str = "result") -> None:
    """Fails unless two arrays (NumPy's or torch's) of one shape agree: the largest difference is within `tolerance` times
    the largest value of `want`; NaN and infinities sit in the same places; integers and bools are equal."""
    import numpy as np

    a, b = _to_numpy(got), _to_numpy(want)
    assert a.shape == b.shape, f"{what}: shape {a.shape}, expected {b.shape}"
    if a.dtype.kind != "f" and b.dtype.kind != "f":
        wrong = np.argwhere(a != b)
        assert not len(wrong), f"{what}: {len(wrong)} of {a.size} differ, the first at {tuple(wrong[0])}"
        return
    name = str(getattr(got, "dtype", a.dtype)).removeprefix("torch.")
    limit = TOLERANCE.get(name, 1e-5) if tolerance is None else tolerance
    a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.isfinite(b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    wrong = np.argwhere(~finite & ~same)
    assert not len(wrong), f"{what}: {len(wrong)} infinities or NaN differ, the first at {tuple(wrong[0])}"
    if not finite.any():
        return
    difference = np.where(finite, np.abs(a - np.where(finite, b, 0)), 0)
    difference = np.where(np.isnan(difference), np.inf, difference)
    scale = max(float(np.abs(b[finite]).max()), 1e-30)
    at = np.unravel_index(int(difference.argmax()), difference.shape)
    worst = float(difference[at]) / scale
    assert worst <= limit, f"{what}: off by {worst:.3g} of the largest value at {tuple(map(int, at))}: {a[at]}, expected {b[at]}; at most {limit:g}"


def simulate_module(mlir: str, *arguments, grid, block, entry: str = "", dynamic_shared_bytes: int = 0) -> None:
    """Runs a kernel in MLIR's llvm and nvvm dialects on the host simulator, with the checks of `phobos.sim`: one that was written by
    hand, or the compiler's own (`kernel.compile(…).ir["nvvm"]`), changed. Arguments are arrays, of which the kernel is given the
    address, ints (taken as 32 bits), and bytes for any other value. What goes wrong is a SimulationError or CompileError."""
    from . import _phobos

    def triple(extent):
        extent = (extent,) if isinstance(extent, int) else tuple(extent)
        return list(extent + (1,) * (3 - len(extent)))

    values = [a.to_bytes(4, "little", signed=a < 0) if isinstance(a, int) else a for a in arguments]
    _phobos.simulate_module(mlir, entry, triple(grid), triple(block), values, dynamic_shared_bytes)


def lower(kernel, *args, phase: str, arch: str | None = None, generic: bool = False, **keywords) -> str:
    """The text of one phase ("tile", "nvvm", …) of a kernel compiled for these arguments, in MLIR's generic form if `generic`.
    Nothing after that phase is made, so that this takes a millisecond or two. Raises as `Kernel.compile` does."""
    from . import _phobos

    return _phobos.lower(kernel, args, keywords, arch or "", phase, generic)


def _to_numpy(array):
    import numpy as np

    if hasattr(array, "detach"):  # torch
        array = array.detach().cpu()
        array = array.float() if str(array.dtype) in ("torch.bfloat16", "torch.float8_e4m3fn", "torch.float8_e5m2") else array
        return array.numpy()
    return np.asarray(array)
