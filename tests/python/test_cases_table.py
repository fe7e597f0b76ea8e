"""docs/cases.md: every number of the table is tested where the table says, and every numbered test is in the table."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

PAGE = ROOT / "docs" / "cases.md"
if not PAGE.exists() or not (ROOT / "compiler").exists():
    pytest.skip("the sources are not here", allow_module_level=True)

# A row: number, thread, what it is, tests as `file::function`.
ROWS = re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE.read_text(encoding="utf-8"), re.M)
TESTS = {(int(number), *place) for number, _, _, tests in ROWS for place in re.findall(r"`([\w./-]+)::(\w+)`", tests)}


def text(name: str) -> str:
    return (ROOT / "tests" / name).read_text(encoding="utf-8")


def test_numbers_are_there_once():
    numbers = [int(row[0]) for row in ROWS]
    assert numbers == sorted(set(numbers)) and len(numbers) == 39


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_tests_or_says_why_not(row):
    number, threads, _, tests = row
    assert re.search(r"[\w-]+/[\w-]+#\d+|\]\(http|report", threads)
    assert re.search(r"`[\w./-]+::\w+`", tests) or tests.startswith("none: "), number


@pytest.mark.parametrize("number, file, function", sorted(TESTS), ids=str)
def test_a_test_of_the_table_exists_and_bears_its_number(number, file, function):
    """In its name, or in a comment above it."""
    if file.startswith("lit/"):
        assert re.search(rf"[Cc]ase {number} of docs/cases\.md", text(file)) and f"@{function}" in text(file)
        return
    found = re.search(rf"((?:^#.*\n)*)(?:^@.*\n(?:^[ \])].*\n)*)*^def {function}\(", text(file), re.M)
    assert found, f"{file} has no {function}"
    assert function.startswith(f"test_case_{number:02}_") or f"Case {number} of docs/cases.md" in found[1], (
        f"{function} has no number"
    )


def test_every_numbered_test_is_in_the_table():
    listed = {(number, function) for number, _, function in TESTS}
    files = [path for folder in ("gpu", "python") for path in (ROOT / "tests" / folder).glob("test_*.py")]
    for path in files:
        for function, number in re.findall(r"^def (test_case_(\d\d)_\w+)\(", path.read_text(encoding="utf-8"), re.M):
            assert (int(number), function) in listed, f"{path.name}::{function} is not in docs/cases.md"


# --- case 35 --------------------------------------------------------------------------------------------------------------


def test_case_35_every_op_that_writes_shared_memory_is_tested_with_barriers():
    """The ops are those that the barrier pass asks about; a new one needs a lit test of that pass, and a line here."""
    source = (ROOT / "compiler" / "lib" / "Dialect" / "Dot" / "Transforms" / "SharedMemory.cpp").read_text()
    body = source.partition("sharedUses(Operation *op) {")[2].partition("\n}\n")[0]
    writers = set(
        re.findall(
            r"dyn_cast<(\w+)Op>\(op\)\) \{[^\n]*\n\s+return \{buffer\(\w+\.get\w+\(\), (?:true|false), true", body
        )
    )
    scratch = re.search(r"isa<((?:tile::\w+(?:, )?)+)>\(op\)\) \{\n\s+if \(uint64_t bytes", body)
    assert writers == {"CopyAsync", "TmaLoad", "StoreAsync", "Put"} and scratch
    writers |= set(re.findall(r"tile::(\w+)Op", scratch[1]))
    tests = [path.read_text() for path in (ROOT / "tests" / "lit").rglob("*.mlir")]
    tested = "\n".join(test for test in tests if re.search(r"RUN:.*dot-insert-barriers", test))
    for writer in writers:
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", writer).lower()
        assert re.search(rf"^ *(%\w+ = )?(dot|tile)\.{name}\b", tested, re.M), (
            f"{name} is in no lit test of dot-insert-barriers"
        )
