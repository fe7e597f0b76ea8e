"""The pages: those under docs/dialects are what TableGen says now, and kernels in the others compile."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from conftest import ROOT

if not (ROOT / "compiler" / "include").exists():
    pytest.skip("the sources are not here", allow_module_level=True)

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_generated_pages_are_current():
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "docs"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def modules(page) -> list[str]:
    """The ```python blocks of a page that define kernels."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)
    return [block for block in blocks if "@ph.kernel" in block]


def test_there_are_kernels_to_look_at():
    assert {page.name for page in PAGES if modules(page)} >= {"README.md", "language.md"}


@pytest.mark.parametrize("page", [page for page in PAGES if modules(page)], ids=lambda page: page.name)
def test_kernels_of_a_page_compile(page, phobosc, tmp_path):
    for text in modules(page):
        if "import phobos" not in text:  # one kernel of a page that has shown the imports
            text = "from __future__ import annotations\nimport phobos.lang as ph\n" + text
        compile(text, str(page), "exec")  # Python takes it too
        file = tmp_path / "page.py"
        file.write_text(text)
        done = subprocess.run([phobosc, str(file), "--emit", "cubin", "-o", str(tmp_path / "cubin")], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
