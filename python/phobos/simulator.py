"""How the host simulator runs kernels: what it checks, in which order it runs what has none, whose code it simulates."""

from __future__ import annotations

from . import _phobos


class sim:
    """Settings of the simulator, until they are set again or to the end of a `with`; what is not given stays as it is.

    check: "bounds", "race", "init", "deadlock", several with commas between, "all", or "" for none. What a check finds is raised
        as phobos.SimulationError by the launch.
    seed: 0 runs threads, blocks and copies in one fixed order; any other number in a random order that a GPU could take too.
    arch: the chip whose code is simulated, "sm_80" and the like.
    """

    def __init__(self, *, check: str | None = None, seed: int | None = None, arch: str | None = None):
        self._before = _phobos.simulator_settings()
        given = {"check": check, "seed": seed, "arch": arch}
        _phobos.set_simulator_settings(**self._before | {k: v for k, v in given.items() if v is not None})

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _phobos.set_simulator_settings(**self._before)
