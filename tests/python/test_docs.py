"""The pages under docs/dialects are what TableGen says now."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import ROOT

if not (ROOT / "compiler" / "include").exists():
    pytest.skip("the sources are not here", allow_module_level=True)


def test_generated_pages_are_current():
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "docs"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
