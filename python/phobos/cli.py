"""`python -m phobos` and the script `phobosc`: the compiler's command line, which is a program of its own."""

from __future__ import annotations

import os
import pathlib
import sys


def find() -> str | None:
    """The path of phobosc, beside the library that this package uses; None if it is not there."""
    import importlib.util

    spec = importlib.util.find_spec("phobos._phobos")
    if spec and spec.origin:
        package = pathlib.Path(os.path.realpath(spec.origin)).parent
        for folder in (package, package.parents[1]):  # installed; in a build folder or a bundle
            program = folder / "bin" / "phobosc"
            if program.is_file():
                return str(program)
    return None


def main() -> int:
    """Becomes phobosc with the arguments of this process; returns 2 where there is none."""
    program = find()
    if program is None:
        print("error: phobosc was not found beside the package", file=sys.stderr)
        return 2
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
