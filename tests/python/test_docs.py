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


def test_bounds_of_functions():
    """The page of approximations has every elementwise function, and the bounds that the tests hold."""
    from gpu import test_accuracy, test_activations, test_functions

    page = (ROOT / "docs" / "approximations.md").read_text()
    single, library, activations = (page.split(f"## {title}")[1].split("\n## ")[0] for title in ("Functions of f32", "ph.libdevice", "Elementwise functions of ph.std"))
    exact = page.split("## Correctly rounded")[1].split("\n## ")[0]
    for name, bound in test_functions.BOUNDS.items():
        if name != "sqrt":
            (stated,) = re.findall(rf"^\| .*`{name}`.* \| (.*) \| ", single, re.M)
            assert f"{bound:g}" in stated, name
    for name, (f32, f64) in test_accuracy.BOUNDS.items():
        assert f"| `{name}` | {f32:g} | {f64:g} |" in library, name
    cases = test_activations.ACTIVATIONS | test_activations.GRADIENTS | test_activations.GATED
    for call, (_, *bound) in cases.items():
        name = call.partition("(")[0]
        assert f"| `{name}` | {test_activations.bound_in_words(*bound, 'grad' in name)} |" in activations, name

    definitions = ROOT / "compiler" / "include" / "phobos"
    names = re.findall(r"^PHOBOS_LIBDEVICE\((\w+)", (definitions / "Support" / "Libdevice.def").read_text(), re.M)
    assert set(names) <= set(test_accuracy.BOUNDS) | set(test_accuracy.EXACT) | {"powi"}
    assert all(re.search(rf"\b{name}\b", exact) for name in test_accuracy.EXACT)
    names = re.findall(r'^PHOBOS_BUILTIN\("(\w+)", Elementwise', (definitions / "Sema" / "Builtins.def").read_text(), re.M)
    assert names and all(re.search(rf"\b{name}\b", exact + single) for name in names if name not in ("where", "cdiv"))
    written = (ROOT / "python" / "phobos" / "_activations.py").read_text()
    assert set(re.findall(r"^def (\w+)", written, re.M)) | {"sign", "expm1"} == {call.partition("(")[0] for call in cases}
