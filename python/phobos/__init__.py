"""Phobos: tile kernels written in Python, compiled to machine code for NVIDIA GPUs.

    from __future__ import annotations
    import phobos.lang as ph

    @ph.kernel
    def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], z: ph.tensor[ph.f32][N]):
        start: ph.let = ph.ctx.block.x * 1024
        z[start:+1024] = x[start:+1024] + y[start:+1024]

    add[lambda meta: -(-meta["N"] // 1024)](x, y, z)

Importing this costs milliseconds and needs no GPU: the compiler is loaded by the first kernel, the driver by the first launch.
Where there is no GPU, launches run on the host simulator, on NumPy arrays and CPU tensors.
"""

from __future__ import annotations

from .errors import CompileError, LaunchError, SimulationError

__version__ = "0.1.0"
__all__ = [
    "CompileError",
    "Kernel",
    "LaunchError",
    "SimulationError",
    "bench",
    "cache_settings",
    "cdiv",
    "current_target",
    "debug",
    "devices",
    "sim",
    "target",
    "use_chip",
]

# What is loaded when it is first asked for, and from where.
_LATER = {
    "Kernel": "kernel",
    "bench": "timing",
    "cache_settings": "machine",
    "current_target": "machine",
    "debug": "machine",
    "devices": "machine",
    "sim": "simulator",
    "target": "machine",
    "use_chip": "machine",
}


def cdiv(a: int, b: int) -> int:
    """The quotient rounded up: how many tiles of b cover a."""
    return -(-a // b)


def __getattr__(name: str):
    if name not in _LATER:
        raise AttributeError(f"module 'phobos' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module("." + _LATER[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LATER})
