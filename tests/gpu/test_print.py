"""ph.print on a GPU: the lines of the simulator's tests, which the driver writes when it is waited for."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import printing
import pytest

SAMPLE = pathlib.Path(__file__).with_name("print_sample.py")


@pytest.mark.parametrize("name", printing.CASES)
def test_lines(name, torch, tmp_path):
    case = printing.CASES[name]
    command = [sys.executable, str(SAMPLE), name, str(tmp_path)]
    environment = os.environ | {"PHOBOS_PRINT_BUFFER": "64M"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # Threads come in any order, and so does what they print; a NaN's sign is the chip's.
    got = printing.check_places(done.stdout.replace("-nan", "nan"), "kernels.py", case.source)
    assert sorted(got) == sorted(case.lines)
