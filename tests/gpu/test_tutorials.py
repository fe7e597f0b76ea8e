"""Every tutorial's own check on the GPU: as compiled for it, and as PTX of older chips, which the driver translates.

Each runs in a process of its own, since the chip is chosen once a process.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import ROOT, import_file

tutorials = import_file(ROOT / "tools" / "lib" / "tutorials.py")
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import pathlib, tutorials
sys.exit(0 if tutorials.run_checks([pathlib.Path(sys.argv[2])]) else 1)
"""


@pytest.mark.parametrize("arch", ["native", "sm_80", "sm_75"])
@pytest.mark.parametrize("path", tutorials.find([]), ids=lambda p: p.stem)
def test_check(path, arch, torch):
    environment = dict(os.environ)
    if arch != "native":
        environment["PHOBOS_ARCH"] = arch
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(ROOT / "tools" / "lib"), str(path)],
        env=environment, capture_output=True, text=True,
    )
    assert done.returncode == 0 and f"{path.stem}: ok" in done.stdout, done.stdout + done.stderr
    print(f"[{arch}] {done.stdout.strip()}")
