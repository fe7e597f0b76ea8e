"""Launches without a GPU: programs under a CUDA driver that only writes down what it is asked (driver/fake_cuda.cpp)."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest
from conftest import BUILD

FOLDER = pathlib.Path(__file__).resolve().parent / "driver"
PRELUDE = """
import sys, threading
import fake
from fake import Capsule, Exchange, Interface, driver, last, launches, sizes
import kernels
import phobos
import phobos.lang as ph

def raises(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError("no " + kind.__name__)
"""


@pytest.fixture(scope="session")
def fake_driver(tmp_path_factory):
    compiler = shutil.which("c++") or shutil.which("clang++-22") or shutil.which("g++")
    assert compiler, "no C++ compiler for the fake driver"
    folder = tmp_path_factory.mktemp("driver")
    target = folder / "libcuda.so.1"
    command = [compiler, "-std=c++20", "-O1", "-shared", "-fPIC", str(FOLDER / "fake_cuda.cpp"), "-o", str(target)]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture
def program(fake_driver, tmp_path):
    """program(text) runs Python text under the fake driver; it fails if the text does. Returns what it printed."""

    def run(text: str, **environment: str) -> str:
        script = tmp_path / "program.py"
        script.write_text(PRELUDE + textwrap.dedent(text))
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PHOBOS_", "XDG_"))}
        paths = [str(BUILD / "python"), str(FOLDER)]
        inherited |= {
            "LD_LIBRARY_PATH": str(fake_driver), "PYTHONPATH": os.pathsep.join(paths), "PHOBOS_CACHE_DIR": str(tmp_path / "cache"),
        }
        result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=inherited | environment)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run
