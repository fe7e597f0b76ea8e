"""What the Python tests share: markers, where the programs are, and whether there is a GPU.

A test marked `gpu` (everything under tests/gpu is) runs where the CUDA driver sees a device and is skipped elsewhere.
The kernels of a test are ordinary module-level functions of its file, or text given to the `load_kernels` fixture.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A bundle has bin, lib and python where a build folder has them.
BUILD = pathlib.Path(os.environ.get("PHOBOS_BUILD_DIR", ROOT / "build" if (ROOT / "build").exists() else ROOT))
CHIPS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a")

# For this process and those that tests start, also under a plain `pytest`.
os.environ["PATH"] = os.pathsep.join([str(BUILD / "bin"), os.environ.get("PATH", "")])
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(BUILD / "python"), os.environ.get("PYTHONPATH")]))
if str(BUILD / "python") not in sys.path:
    sys.path.insert(0, str(BUILD / "python"))


@functools.cache
def device_count() -> int:
    """Devices the driver sees; 0 where there is no driver. Asked in a child, so that the driver is not initialised here."""
    code = (
        "import ctypes; d = ctypes.CDLL('libcuda.so.1'); n = ctypes.c_int()\n"
        "print(n.value if d.cuInit(0) or d.cuDeviceGetCount(ctypes.byref(n)) else n.value)"
    )
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return int(answer.stdout) if answer.returncode == 0 else 0


def pytest_configure(config):
    # A cache of the session's own: no test sees what another run, or the user, compiled.
    folder = tempfile.TemporaryDirectory(prefix="phobos-test-cache-")
    os.environ["PHOBOS_CACHE_DIR"] = folder.name
    config.add_cleanup(folder.cleanup)
    config.addinivalue_line("markers", "gpu: needs a CUDA device; skipped where there is none")
    config.addinivalue_line("markers", "ptx: compiles tutorial kernels for every chip and assembles them with ptxas")
    config.addinivalue_line("markers", "slow: more than ten seconds")


def pytest_collection_modifyitems(config, items):
    for item in items:
        if (ROOT / "tests" / "gpu") in item.path.parents:
            item.add_marker(pytest.mark.gpu)
    if any(item.get_closest_marker("gpu") for item in items) and device_count() == 0:
        for item in items:
            if item.get_closest_marker("gpu"):
                item.add_marker(pytest.mark.skip(reason="no CUDA device"))


def program(name: str) -> str:
    found = shutil.which(name)
    if not found:
        cuda = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin" / name
        found = str(cuda) if cuda.exists() else None
    assert found, f"{name} is not on PATH (looked in {BUILD / 'bin'} too): run tools/build"
    return found


@pytest.fixture(scope="session")
def phobosc() -> str:
    return program("phobosc")


@pytest.fixture(scope="session")
def ptxas() -> str:
    return program("ptxas")


@pytest.fixture(scope="session")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def load_kernels(tmp_path):
    """load_kernels(text) writes a module of kernels to a file of its own and imports it: kernels are read from their file."""
    count = itertools.count()

    def load(text: str):
        path = tmp_path / f"kernels_{next(count)}.py"
        if "import phobos.lang" not in text:
            text = "from __future__ import annotations\nimport phobos.lang as ph\n\n\n" + text
        path.write_text(text)
        return import_file(path)

    return load


def import_file(path: pathlib.Path):
    """Imports a Python file by path, anew each time."""
    name = f"_phobos_test_{path.stem}_{abs(hash(str(path)))}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
