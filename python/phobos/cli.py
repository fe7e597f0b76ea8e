"""`python -m phobos` and the script `phobosc`: the compiler's command line, which is a program of its own."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys


def find() -> str | None:
    """phobosc beside the library that this package uses, else on PATH."""
    import importlib.util

    spec = importlib.util.find_spec("phobos._phobos")
    if spec and spec.origin:
        beside = pathlib.Path(os.path.realpath(spec.origin)).parents[2] / "bin" / "phobosc"
        if beside.is_file():
            return str(beside)
    return shutil.which("phobosc")


def main() -> int:
    program = find()
    if program is None:
        print("error: phobosc was not found beside the package or on PATH", file=sys.stderr)
        return 2
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
