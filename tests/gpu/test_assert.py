"""ph.assert_ on a GPU: which element failed, CUDA's own message, and an error that names the kernel at the next launch."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

SAMPLE = pathlib.Path(__file__).with_name("assert_sample.py")


@pytest.fixture
def run(torch, tmp_path):
    def run(*arguments: str) -> subprocess.CompletedProcess:
        command = [sys.executable, str(SAMPLE), str(tmp_path), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    return run


@pytest.mark.parametrize(
    "what,line,message,block,at",
    [("scalar", 9, "n is positive", r"\d, 0, 0", ""), ("tile", 10, "a < 7", "2, 0, 0", r" at \[33\]")],
)
def test_what_fails_is_said_and_the_kernel_named(what, line, message, block, at, run):
    done = run(what, "debug")
    output = done.stdout + done.stderr
    # By CUDA: place, function and message. By the kernel, just before: block and element.
    assert re.search(rf"kernels\.py:{line}: checked: block: \[{block.replace(', ', ',')}\], thread: .* Assertion `{message}` failed", output), output
    assert re.search(rf"^kernels\.py:{line}: block \({block}\): assertion failed{at}: {message}$", output, re.M), output
    assert "waiting: " in done.stdout and "assert" in done.stdout, output
    told = done.stdout.split("launching: ")[1]
    assert "launch of kernel `innocent` failed: cuLaunchKernel: CUDA_ERROR_ASSERT" in told
    assert re.search(r"note: an assertion failed in kernel `checked` \(.*kernels\.py:7\)", told)


def test_what_holds_is_silent(run):
    done = run("none", "debug")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok 1.0\n", "")


def test_left_out_without_debugging(run):
    done = run("scalar")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok 1.0\n", "")
