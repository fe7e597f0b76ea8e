"""The GPUs of this machine, where launches go, what kernels are compiled for, and where compiled kernels are kept."""

from __future__ import annotations

from dataclasses import dataclass

from . import _phobos


@dataclass(frozen=True)
class Device:
    """A CUDA device. `chip` is what kernels are compiled for on it; empty if it is not supported."""

    index: int
    name: str
    chip: str
    capability: tuple[int, int]
    memory_bytes: int
    multiprocessors: int
    shared_bytes_per_block: int


def devices() -> list[Device]:
    """Every CUDA device; none without a driver or a GPU."""
    return [Device(**device) for device in _phobos.devices()]


def current_target() -> str:
    """Where launches go: "cuda", or "host" for the simulator."""
    return _phobos.current_target()


class target:
    """Sends launches to "cuda" or to "host", the simulator, whose arrays are NumPy's or CPU tensors. None: as at first, which is
    $PHOBOS_TARGET, else CUDA where there is a GPU. Holds until it is used again, or to the end of a `with`."""

    def __init__(self, name: str | None):
        self._before = _phobos.target()
        _phobos.set_target(name or "")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _phobos.set_target(self._before)


class use_chip:
    """Compiles for another chip than the device's own, whose PTX the driver then assembles: how code for an older chip is
    tried on a newer GPU. Holds until it is used again, or to the end of a `with`; None is the device's own chip. LaunchError for a
    chip that is not known."""

    def __init__(self, chip: str | None):
        self._before = _phobos.chip()
        _phobos.set_chip(chip or "")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _phobos.set_chip(self._before)


class debug:
    """Checks `ph.assert_` (True) or leaves it out (False), in kernels that are launched or compiled from now on. None: as at first,
    which is $PHOBOS_DEBUG (1 or 0), else checked on the simulator and left out on a GPU. Holds until it is used again, or to
    the end of a `with`."""

    def __init__(self, on: bool | None):
        self._before = _phobos.debug()
        _phobos.set_debug(on)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _phobos.set_debug(self._before)


def cache_settings() -> dict:
    """Where compiled kernels are kept on disk: `folder`, whether it is `usable`, and if not, `why_off`."""
    return _phobos.cache_settings()
