"""A sample of the random kernels of tests/fuzz, and every kernel that once failed there, on the simulator with its checks."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import ROOT
from fuzz import cases

FUZZ = ROOT / "tests" / "fuzz"


@pytest.mark.parametrize("path", sorted((FUZZ / "found").glob("*.py")), ids=lambda path: path.stem)
def test_what_was_found(path):
    verdict = cases.run(cases.read(path.read_text()))
    assert verdict.kind == "ok", verdict.text


def test_a_sample():
    command = [sys.executable, str(FUZZ / "fuzz_kernels.py"), "--seed", "1", "--count", "200", "--jobs", "2", "--no-shrink"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "200 kernels in" in done.stdout
