"""The ways in which a kernel fails. The text is what `phobosc` prints: file, line, column, the source line, a caret."""

from __future__ import annotations


class CompileError(Exception):
    """The kernel is wrong, or the compiler failed on it.

    `reproducer` names the folder with the IR, if it was the compiler's own fault; None otherwise.
    """

    reproducer: str | None = None


class LaunchError(Exception):
    """The kernel cannot be launched with these arguments, this grid, or on this machine."""


class SimulationError(LaunchError):
    """The simulator found something wrong while the kernel ran: an access out of bounds, a race, a deadlock, a failed assertion."""


# Tracebacks show the names that users write.
CompileError.__module__ = LaunchError.__module__ = SimulationError.__module__ = "phobos"
