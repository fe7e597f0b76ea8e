"""Our lexer and parser against CPython's own: `tokenize` on the whole standard library, `ast` on kernels."""

from __future__ import annotations

import ast
import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import tokenize
import warnings

import pytest
from conftest import ROOT, import_file, program
from hypothesis import given, settings

STDLIB = pathlib.Path(sysconfig.get_path("stdlib"))
CORPUS = pathlib.Path(__file__).parent / "corpus"
kernel_programs = import_file(pathlib.Path(__file__).parent / "kernel_programs.py").kernel_programs


def library_files() -> list[pathlib.Path]:
    found = [p for p in sorted(STDLIB.rglob("*.py")) if not {"site-packages", "dist-packages"} & set(p.parts)]
    assert len(found) > 400, f"only {len(found)} files in {STDLIB}"
    return found


def run_oracle(mode: str, *arguments: object, text: str | None = None) -> str:
    ran = subprocess.run(
        [program("phobos-syntax-oracle"), mode, *map(str, arguments)],
        input=None if text is None else text.encode("utf-8", "surrogatepass"),
        stdout=subprocess.PIPE, check=True,
    )
    return ran.stdout.decode("utf-8", "surrogateescape")


# ---- tokens


def python_tokens(path: pathlib.Path) -> list[str]:
    lines = []
    with open(path, "rb") as file:
        for kind, text, (line, column), (end_line, end_column), _ in tokenize.tokenize(file.readline):
            if kind != tokenize.ENCODING:
                text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
                lines.append(f"{tokenize.tok_name[kind]} {line} {column} {end_line} {end_column} {text}")
    return lines


def our_tokens(paths: list[pathlib.Path]) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {}
    for line in run_oracle("tokens", *paths).split("\n"):
        if line.startswith("FILE "):
            current = files.setdefault(line[5:], [])
        elif line:
            current.append(line)
    return files


def compare_tokens(paths: list[pathlib.Path]) -> tuple[int, list[str]]:
    """How many files were compared, and what differed in each that differs."""
    ours = our_tokens(paths)
    compared, wrong = 0, []
    for path in paths:
        try:
            expected = python_tokens(path)
        except (tokenize.TokenError, SyntaxError):
            continue
        compared += 1
        got = ours[str(path)]
        if got[-1] != "ERRORS 0":
            wrong.append(f"{path}: {got[-1]}")
        if got[:-1] != expected:
            pairs = zip(expected, got, strict=False)
            wrong.append(f"{path}: " + next((f"expected {e!r}, got {g!r}" for e, g in pairs if e != g), "another length"))
    return compared, wrong


only_3_11 = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the lexical grammar is that of Python 3.11")


@only_3_11
def test_tokens_of_the_standard_library():
    compared, wrong = compare_tokens(library_files())
    assert compared > 400
    assert not wrong, "\n".join(wrong[:20])


@only_3_11
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "x",
        "x = 1",
        "# only a comment",
        "x = 1  # comment",
        "if x:\n    y",
        "if x:\n    y\n# c",
        "if x:\n\ty\n\tif z:\n\t\tw\n",
        "if x:\r\n    y = [1,\r\n  2]\r\n\r\n# c\r\nz\r\n",
        "\ufeffx = 1\n",
        "x = 1 \\\n  + 2\n",
        "x = 1 \\\r\n  + 2\r\n",
        "x = 1 \\\n\ny\n",
        "\x0cx = 1\n\x0c  \ndef f():\n  \x0c  pass\n",
        "if x:\n  if y:\n    z\n  w\nv\n",
        "if x:\n    (a,\n  # c\n\n b)\n    c\n",
        "a = '''x\ny'''; b = \"\"\"\\\n\"\"\"\n",
        "a = 'x\\\ny'\n",
        "rb'x' Rb'''y''' bR\"z\" f'a{b}c' rf'{x!r:>{w}}' u'x' f'{{}}' F\"{d['k']}\" fr'\\{x}'\n",
        "f'{x:{y}}' f'''{\nx}''' f\"{x:'>10}\" f'{x,}' f'{ {1: 2}[1] }'\n",
        "0xfor 1if 1_0.e-1_0J .5j 1e5 0b1_0 0o_7 00 1..x\n",
        "a->b:=c...d!=e<<=f>>=g**=h//=i@=j->k:l\n",
        "x = (yield)\nasync def f(): await g\n",
        "été = 'é' + \"你\" # 好\n",
        "def f(\n    a=1, # c\n    *, b): return {a: [b, (c)]}\n",
        "class C:\n\n    x = 1\n\n\n    def f(self):\n        pass\n    # c\n  # d\ny\n",
    ],
)
def test_tokens(text, tmp_path):
    path = tmp_path / "source.py"
    path.write_bytes(text.encode())
    assert compare_tokens([path]) == (1, [])


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the table of identifiers is that of Unicode 14")
def test_every_character_of_an_identifier(tmp_path):
    path = tmp_path / "source.py"
    codes = [c for c in range(0x80, 0x110000) if not 0xD800 <= c < 0xE000]
    path.write_text("".join(f"{chr(c)}\na{chr(c)}\n" for c in codes), newline="")
    names = {int(line.split(" ", 2)[1]): line.split(" ", 5)[5] for line in our_tokens([path])[str(path)] if line[:5] == "NAME "}
    # Python counts U+0085 and such as no line breaks in source, and so do we: the lines are in step.
    for i, code in enumerate(codes):
        assert (names.get(2 * i + 1) == chr(code)) == chr(code).isidentifier(), hex(code)
        assert (names.get(2 * i + 2) == "a" + chr(code)) == ("a" + chr(code)).isidentifier(), hex(code)


# ---- trees

NO_POSITION = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.arguments)
LEFT_OUT = {"ctx", "type_comment", "type_params", "kind"}


def tree_of(node):
    """CPython's tree in the form that dumpPythonAST prints."""
    if node is None:
        return None
    if isinstance(node, list):
        return [tree_of(item) for item in node]
    if isinstance(node, (str, int)):
        return node
    out: dict = {"_type": type(node).__name__}
    if not isinstance(node, NO_POSITION):
        out |= {"lineno": node.lineno, "col_offset": node.col_offset}
        if not isinstance(node, ast.keyword):
            out |= {"end_lineno": node.end_lineno, "end_col_offset": node.end_col_offset}
    if isinstance(node, ast.Constant):
        value = node.value
        text = value.hex() if isinstance(value, float) else value if isinstance(value, str) else str(value)
        return out | {"kind": type(value).__name__, "value": text}
    for name, value in ast.iter_fields(node):
        if name not in LEFT_OUT:
            out[name] = tree_of(value)
    return out


def normal(tree):
    """Floats are printed in hexadecimal by both, but not in the same normal form."""
    if isinstance(tree, list):
        return [normal(item) for item in tree]
    if isinstance(tree, dict):
        if tree.get("_type") == "Constant" and tree["kind"] == "float":
            return tree | {"value": float.fromhex(tree["value"]).hex()}
        return {key: normal(value) for key, value in tree.items()}
    return tree


def is_ours(function: ast.AST) -> bool:
    def name(decorator):
        decorator = decorator.func if isinstance(decorator, ast.Call) else decorator
        return decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")

    return isinstance(function, ast.FunctionDef) and any(
        name(d) in ("kernel", "fn", "device") for d in function.decorator_list
    )


def parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def python_functions(text: str) -> list[ast.FunctionDef]:
    """In source order, as a kernel found inside a plain function comes after that function's start."""
    found = [node for node in ast.walk(parse(text)) if is_ours(node)]
    return sorted(found, key=lambda function: (function.lineno, function.col_offset))


def compare_trees(text: str, result: dict):
    assert result["errors"] == 0, result["diagnostics"]
    expected = python_functions(text)
    assert [f["tree"]["name"] for f in result["functions"]] == [f.name for f in expected]
    for function, got in zip(expected, result["functions"], strict=True):
        wanted = tree_of(function)
        # What other decorators are handed may be any Python, which we do not parse.
        for ours, theirs in zip(got["tree"]["decorator_list"], wanted["decorator_list"], strict=True):
            assert ours["_type"] == theirs["_type"]
        del got["tree"]["decorator_list"], wanted["decorator_list"]
        assert normal(got["tree"]) == wanted


def test_trees_of_the_corpus():
    path = CORPUS / "kernel_subset.txt"
    text = path.read_text()
    assert len(python_functions(text)) == 15
    compare_trees(text, json.loads(run_oracle("trees", path)))


@pytest.mark.parametrize("convert", [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t], ids=["crlf", "bom"])
def test_trees_of_the_corpus_in_other_clothes(convert):
    text = (CORPUS / "kernel_subset.txt").read_text()
    result = json.loads(run_oracle("trees", "-", text=convert(text)))
    compare_trees(text, result)


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "tutorials").glob("*.py")), ids=lambda p: p.stem)
def test_trees_of_the_tutorials(path):
    compare_trees(path.read_text(), json.loads(run_oracle("trees", path)))


@settings(max_examples=150, deadline=None)
@given(kernel_programs())
def test_trees_of_random_kernels(text):
    compare_trees(text, json.loads(run_oracle("trees", "-", text=text)))


# ---- which functions lie in the subset

OUTSIDE = (
    ast.Lambda, ast.JoinedStr, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Yield,
    ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Starred, ast.Try, ast.TryStar, ast.With, ast.Raise, ast.Assert, ast.Global,
    ast.Nonlocal, ast.Delete, ast.Import, ast.ImportFrom, ast.AsyncFunctionDef, ast.ClassDef, ast.AsyncFor, ast.AsyncWith,
    ast.Match,
)  # fmt: skip


def in_subset(function: ast.FunctionDef, source: str) -> bool:
    for node in ast.walk(function):
        if (
            isinstance(node, OUTSIDE)
            or (isinstance(node, ast.FunctionDef) and node is not function)
            or (isinstance(node, (ast.For, ast.While)) and node.orelse)
            or (isinstance(node, ast.arguments) and (node.vararg or node.kwarg))
            or (isinstance(node, ast.keyword) and node.arg is None)
            or (isinstance(node, ast.Constant) and isinstance(node.value, (bytes, complex)))
        ):
            return False
    return not re.search(r"(?<!\\)(?:\\\\)*\\N\{", source)


def as_kernels(path: pathlib.Path) -> str:
    """Every function of a file that stands in no other, as a device function of a new file, at its old indentation."""
    with tokenize.open(path) as file:
        lines = file.read().split("\n")
    try:
        tree = parse("\n".join(lines))
    except SyntaxError:
        return ""
    parts, end = [], 0
    for node in sorted((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)), key=lambda n: n.lineno):
        text = lines[node.lineno - 1 : node.end_lineno]
        indent = text[0][: len(text[0]) - len(text[0].lstrip())]
        if node.lineno <= end or node.end_lineno == node.lineno or not text[0].lstrip().startswith("def "):
            continue
        end = node.end_lineno
        parts += ["if 1:"] if indent else []
        parts += [f"{indent}@ph.fn", *text]
    return "\n".join(parts) + "\n"


def test_functions_of_the_standard_library_as_kernels(tmp_path):
    """A function is accepted exactly if `ast` finds nothing outside the subset in it; the trees then agree, positions too."""
    sources = {}
    for path in library_files():
        text = as_kernels(path)
        if text.strip():
            file = tmp_path / f"f{len(sources)}.py"
            file.write_text(text, newline="")
            sources[file] = (path, text)
    accepted = refused = 0
    results = run_oracle("trees", *sources).splitlines()
    for (path, text), line in zip(sources.values(), results, strict=True):
        lines = text.split("\n")
        functions = json.loads(line)["functions"]
        expected = python_functions(text)
        assert [f["tree"]["name"] for f in functions] == [f.name for f in expected], path
        for function, got in zip(expected, functions, strict=True):
            inside = in_subset(function, "\n".join(lines[function.lineno - 1 : function.end_lineno]))
            assert inside != got["failed"], f"{path}: {function.name}"
            if inside:
                accepted += 1
                assert normal(got["tree"]) == tree_of(function), f"{path}: {function.name}"
            else:
                refused += 1
    assert accepted > 4000 and refused > 4000, (accepted, refused)
