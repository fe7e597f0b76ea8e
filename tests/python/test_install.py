"""What `pip install .` puts into a Python: the package with its library and programs inside, which need nothing of the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import phobos
import pytest
from conftest import BUILD, ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    command = ["cmake", "--install", str(BUILD), "--component", "python", "--prefix", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def run(installed, *command: str) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PHOBOS_")} | {"PYTHONPATH": str(installed), "PATH": "/nowhere"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=installed)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_files(installed):
    package = installed / "phobos"
    sources = {path.name for path in (ROOT / "python" / "phobos").iterdir() if path.suffix == ".py"}
    assert sources | {"_builtins.py"} == {path.name for path in package.glob("*.py")}
    assert (package / "py.typed").is_file() and (package / "lib" / "libphobos.so").is_file()
    assert not [path for path in package.rglob("*") if path.is_symlink()]


def test_command_line(installed):
    tutorial = str(ROOT / "examples" / "tutorials" / "t01_vector_add.py")
    script = "import sys; from phobos.cli import main; sys.exit(main())"  # what pip writes for project.scripts
    assert f"phobosc {phobos.__version__}," in run(installed, sys.executable, "-c", script, "--version")
    assert ".entry add(" in run(installed, sys.executable, "-m", "phobos", tutorial)


def test_kernels_compile(installed):
    text = """
        import sys
        sys.path.insert(0, sys.argv[1])
        import phobos
        from t01_vector_add import add
        assert phobos.__file__.startswith(sys.argv[2]), phobos.__file__
        mapped = {line.split()[-1] for line in open("/proc/self/maps") if "libphobos" in line}
        assert mapped == {sys.argv[2] + "/phobos/lib/libphobos.so"}, mapped
        assert ".target sm_86" in add.compile(arch="sm_86").ptx
    """
    run(installed, sys.executable, "-c", textwrap.dedent(text), str(ROOT / "examples" / "tutorials"), str(installed))


def test_metadata():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["name"] == "phobos" and project["project"]["scripts"] == {"phobosc": "phobos.cli:main"}
    cache = (BUILD / "CMakeCache.txt").read_text()
    assert f"CMAKE_PROJECT_VERSION:STATIC={phobos.__version__}\n" in cache
