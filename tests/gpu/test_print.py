"""ph.print on a GPU: the lines of the simulator's tests, which the driver writes when it is waited for."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import printing
import pytest

SAMPLE = pathlib.Path(__file__).with_name("print_sample.py")


@pytest.fixture(scope="module")
def printed(torch, tmp_path_factory) -> dict[str, str]:
    """What each case printed."""
    command = [sys.executable, str(SAMPLE), str(tmp_path_factory.mktemp("kernels"))]
    environment = os.environ | {"PHOBOS_PRINT_BUFFER": "64M"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    parts = done.stdout.split("=== ")
    assert parts[0] == ""
    return dict(part.split("\n", 1) for part in parts[1:])


@pytest.mark.parametrize("name", printing.CASES)
def test_lines(name, printed):
    case = printing.CASES[name]
    # Threads come in any order, and so does what they print; a NaN's sign is the chip's.
    got = printing.check_places(printed[name].replace("-nan", "nan"), f"{name}.py", case.source)
    assert sorted(got) == sorted(case.lines)
