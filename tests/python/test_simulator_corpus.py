"""The GPU's corpus of kernels, on the simulator with every check; and the page that lists it.

PHOBOS_UPDATE_CORPUS=1 writes the page's table anew.
"""

from __future__ import annotations

import os

import pytest
from conftest import ROOT
from gpu.corpus.cases import load, table
from gpu.test_corpus import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

PAGE = ROOT / "docs" / "corpus.md"

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True)
def checked():
    import phobos

    with phobos.sim(check="all"):
        yield


def test_kernels_have_two_shapes():
    for case in load():
        assert len(set(map(str, case.shapes))) >= 2, case.name


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not here")
def test_page_is_current():
    head, mark, rest = PAGE.read_text().partition("| kernel |")
    assert mark
    if os.environ.get("PHOBOS_UPDATE_CORPUS"):
        PAGE.write_text(head + table())
    assert PAGE.read_text() == head + table(), "write it anew with PHOBOS_UPDATE_CORPUS=1"
