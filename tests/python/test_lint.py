"""tools/lint.py: the repository passes every check, and every check catches the mistake that it is there for."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import ROOT, import_file

if not (ROOT / ".git").exists():
    pytest.skip("not a git checkout", allow_module_level=True)

lint = import_file(ROOT / "tools" / "lint.py")


@pytest.mark.parametrize("name", lint.CHECKS)
def test_repository(name):
    errors = [str(f) for f in lint.CHECKS[name](lint.Tree(ROOT)) if f.fatal]
    assert not errors, "\n" + "\n".join(errors)


def tree_of(tmp_path, files: dict[str, str]):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return lint.Tree(tmp_path, list(files))


def messages(check, tree):
    return [f"{f.path}:{f.line}: {f.message}" for f in check(tree)]


GOOD_TEST = """// RUN: phobos-opt %s --tile-simplify-masks | FileCheck %s
// What breaks: masks stay.
// CHECK-LABEL: @f
// CHECK-COUNT-2: tile.load
// CHECK-NOT: mask
"""


def test_directives_accepts_a_good_test(tmp_path):
    assert messages(lint.check_directives, tree_of(tmp_path, {"tests/lit/a.mlir": GOOD_TEST})) == []


@pytest.mark.parametrize(
    "wrong, said",
    [
        ("CHECK-LABLE: x", "did you mean 'CHECK-LABEL'?"),
        ("CHEKC: x", "did you mean 'CHECK'?"),
        ("CHECK-NXT: x", "did you mean 'CHECK-NEXT'?"),
        ("CHECK_NEXT: x", "did you mean 'CHECK-NEXT'?"),
        ("CHECK-NEXT x", "not followed by a colon"),
    ],
)
def test_directives_finds_misspelling(tmp_path, wrong, said):
    tree = tree_of(tmp_path, {"tests/lit/a.mlir": GOOD_TEST + f"// {wrong}\n"})
    (message,) = messages(lint.check_directives, tree)
    assert message.startswith("tests/lit/a.mlir:6:") and said in message


def test_directives_finds_unused_prefix_and_missing_run(tmp_path):
    unused = "// RUN: phobosc %s | FileCheck %s --check-prefixes=CHECK,PTX\n// CHECK: x\n"
    tree = tree_of(tmp_path, {"tests/lit/a.mlir": unused, "tests/lit/b.mlir": "// nothing\n"})
    assert any("'PTX', which no line uses" in m for m in messages(lint.check_directives, tree))
    assert any("b.mlir:1: no RUN line" in m for m in messages(lint.check_directives, tree))


def test_passes_and_operations_need_a_test(tmp_path):
    td = 'def Foo : Pass<"tile-foo"> {}\ndef Bar : Pass<"tile-simplify-masks", "X"> {}\n'
    ops = 'def Tile_LoadOp : Tile_Op<"load", [Pure]> {}\ndef Tile_GoneOp : Tile_Op<"gone"> {}\n'
    tree = tree_of(
        tmp_path,
        {"compiler/include/P.td": td, "compiler/include/O.td": ops, "tests/lit/a.mlir": GOOD_TEST},
    )
    assert messages(lint.check_passes, tree) == [
        "compiler/include/P.td:1: pass 'tile-foo' is run by no test under tests/lit"
    ]
    assert messages(lint.check_operations, tree) == [
        "compiler/include/O.td:2: op 'tile.gone' is in no .mlir test under tests/lit"
    ]


def test_architecture_compares_both_ways(tmp_path):
    page = "text\n```tree\na/  one\n  b/  two\n  gone/  three\n```\n"
    files = {"docs/architecture.md": page, "a/b/x.h": "", "a/c/y.h": ""}
    assert messages(lint.check_architecture, tree_of(tmp_path, files)) == [
        "docs/architecture.md:5: 'a/gone/' is not on disk",
        "docs/architecture.md:1: the folder 'a/c' is not in the tree",
        "docs/architecture.md:1: the folder 'docs' is not in the tree",
    ]


def test_links_and_forbidden_words(tmp_path):
    files = {"README.md": "[here](docs/x.md) [out](https://a.b/c)\n", "a.py": "x = '/ho" + "me/me/x'\n"}
    tree = tree_of(tmp_path, files)
    assert messages(lint.check_links, tree) == ["README.md:1: the link 'docs/x.md' leads nowhere"]
    assert len(messages(lint.check_forbidden, tree)) == 1


def test_long_files_warn(tmp_path):
    (finding,) = lint.check_lengths(tree_of(tmp_path, {"a.cpp": "\n" * 601}))
    assert not finding.fatal


def test_format_warns(tmp_path):
    files = {"a.cpp": "int x = 1;\n", "b.cpp": "int  y=1 ;\n", ".clang-format": "BasedOnStyle: LLVM\n"}
    (finding,) = lint.check_format(tree_of(tmp_path, files))
    assert (finding.path, finding.line, finding.fatal) == ("b.cpp", 1, False)


def test_ruff():
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "--quiet", str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
