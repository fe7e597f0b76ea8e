"""How the host simulator runs kernels: what it checks and counts, in which order it runs what has none, whose code it simulates."""

from __future__ import annotations

from . import _phobos


class sim:
    """Settings of the simulator, until they are set again or to the end of a `with`; what is not given stays as it is.

    check: "bounds", "race", "init", "deadlock", several with commas between, "all", or "" for none. What a check finds is raised
        as phobos.SimulationError by the launch.
    seed: 0 runs threads, blocks and copies in one fixed order; any other number in a random order that a GPU could take too.
    profile: counts what launches do. At the end of the `with`, `profile` is the phobos.profile.Profile of them.
    arch: the chip whose code is simulated, "sm_80" and the like.
    """

    def __init__(
        self, *, check: str | None = None, seed: int | None = None, profile: bool | None = None, arch: str | None = None
    ):
        self._before = _phobos.simulator_settings()
        given = {"check": check, "seed": seed, "profile": profile, "arch": arch}
        self._collects = bool(profile)
        if self._collects:
            _phobos.take_profile()  # what was counted before is not ours
        _phobos.set_simulator_settings(**self._before | {k: v for k, v in given.items() if v is not None})

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _phobos.set_simulator_settings(**self._before)
        if self._collects:
            self._profile = _phobos.take_profile()

    @property
    def profile(self):
        """What was counted: after the `with`, or so far."""
        from .profile import Profile

        if not hasattr(self, "_profile"):
            self._profile = _phobos.take_profile()
        return Profile(self._profile)
