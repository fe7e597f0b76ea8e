"""The notebooks under examples run from top to bottom, and print what they are committed with."""

from __future__ import annotations

import copy

import nbclient
import nbformat
import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples").rglob("*.ipynb"))
LIMIT_S = 120


def executed(notebook, folder):
    """A copy with new outputs; nbclient.exceptions.CellExecutionError if a cell raises."""
    notebook = copy.deepcopy(notebook)
    nbclient.NotebookClient(notebook, timeout=LIMIT_S, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def printed(notebook) -> list[tuple[str, str, list[str]]]:
    """By code cell: its name, what it printed, and what kinds of pictures it drew."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            text = "".join(output.get("text", "") for output in cell.outputs)
            found.append((cell.id, text, [kind for output in cell.outputs for kind in output.get("data", {}) if kind.startswith("image/")]))
    return found


def test_there_is_a_notebook():
    assert "matmul_offsets" in [path.stem for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert printed(executed(notebook, tmp_path)) == printed(notebook), "run it again: tools/python -m jupyter execute --inplace NOTEBOOK"


def test_a_wrong_number_is_noticed(tmp_path):
    notebook = nbformat.read(ROOT / "examples" / "tutorials" / "matmul_offsets.ipynb", as_version=4)
    cell = next(cell for cell in notebook.cells if cell.id == "sixty")
    assert "== (4, 6)" in cell.source
    cell.source = cell.source.replace("(row, column) == (4, 6)", "(row, column) == (4, 7)")
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="AssertionError"):
        executed(notebook, tmp_path)
