"""Writes phobos/_builtins.py from Sema/Builtins.def, the one table of the language's names: a function for each built-in that
is called, with its signature and its sentence, so that editors show them. Run by the build.

    write_builtins.py Builtins.def OUTPUT
"""

from __future__ import annotations

import pathlib
import re
import sys

ROW = re.compile(r'^PHOBOS_BUILTIN\("((?:[^"\\]|\\.)*)", (\w+), (\w+), (\w+), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)', re.M)
# Made by hand: they are no functions, or do something.
ELSEWHERE = {"Decorator", "Annotation", "Context"}
HEADER = '''"""The built-ins of the kernel language. Written by the build from Sema/Builtins.def; edit that."""

from ._names import only_in_kernels as _only_in_kernels

'''


def function(name: str, signature: str, sentence: str, supported: bool) -> str:
    signature = re.sub(r"=(f32)\b", r'="\1"', signature)  # a dtype by its name: nothing is evaluated anyway
    doc = sentence[0].upper() + sentence[1:] + ("" if sentence[-1] in ".?!" else ".") + ("" if supported else " Not supported yet.")
    return f'\ndef {name}({signature}):\n    {doc!r}\n    _only_in_kernels("{name}")\n'


def module(table: str) -> str:
    rows = ROW.findall(table)
    assert len(rows) == table.count("\nPHOBOS_BUILTIN("), "a row of the table is not as expected"
    unescape = lambda text: re.sub(r"\\(.)", r"\1", text)  # noqa: E731
    return HEADER + "".join(
        function(name, unescape(signature), unescape(sentence), support == "Yes")
        for name, category, support, _, signature, sentence in rows
        if category not in ELSEWHERE and "." not in name and name not in ("std", "libdevice")
    )


if __name__ == "__main__":
    text = module(pathlib.Path(sys.argv[1]).read_text())
    compile(text, sys.argv[2], "exec")
    pathlib.Path(sys.argv[2]).write_text(text)
