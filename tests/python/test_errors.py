"""What users read when they get a kernel wrong: every file of `errors` makes one mistake, and ends with what is said about it.

Such a file is what a user would write. The comment at its end is a terminal: the command, what it prints to standard error, its exit status,

    # $ phobosc name.py --arch sm_90a
    # name.py:8:12: error: …
    # exit status 1

or a call of the file's `launch()`, on the host simulator, and what it raises:

    # >>> launch()
    # phobos.LaunchError: name.py:8:12: error: …

A new file needs the first of these lines only: with PHOBOS_UPDATE_ERRORS set in the environment the test writes the rest, to be read
and committed. No other file may say the same thing about the same line.
"""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess

import phobos
import pytest
from conftest import import_file

FOLDER = pathlib.Path(__file__).resolve().parent / "errors"
FILES = sorted(FOLDER.glob("*.py"))
TERMINAL = re.compile(r"^# (\$ phobosc |>>> launch\(\)$).*\Z", re.MULTILINE | re.DOTALL)


def terminal(path: pathlib.Path) -> list[str]:
    """The lines of the comment at the end of a file, without their `# `."""
    found = TERMINAL.search(path.read_text(encoding="utf-8"))
    assert found, f"{path.name} does not end with a command and what it says"
    return [line[2:] for line in found[0].splitlines()]


def compiled(phobosc: str, folder: pathlib.Path, arguments: list[str]) -> list[str]:
    """What phobosc prints to standard error, and its exit status."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PHOBOS_")}
    done = subprocess.run(
        [phobosc, *arguments], cwd=folder, env=inherited, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60
    )
    return [*done.stderr.decode("utf-8").splitlines(), f"exit status {done.returncode}"]


def launched(path: pathlib.Path) -> list[str]:
    """What the file's launch() raises, as a traceback ends."""
    with phobos.target("host"), pytest.raises(Exception) as raised:
        import_file(path).launch()
    kind = raised.type.__qualname__ if raised.type.__module__ == "builtins" else f"{raised.type.__module__}.{raised.type.__qualname__}"
    return f"{kind}: {raised.value}".replace(str(path), path.name).splitlines()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_error(path, phobosc):
    command, *expected = terminal(path)
    if command.startswith("$"):
        _, _, *arguments = shlex.split(command)
        assert arguments[0] == path.name
        said = compiled(phobosc, FOLDER, arguments)
    else:
        said = launched(path)
    if "PHOBOS_UPDATE_ERRORS" in os.environ:
        lines = "\n".join(f"# {line}".rstrip() for line in [command, *said])
        path.write_text(TERMINAL.sub(lambda _: lines + "\n", path.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        assert said == expected
    assert said[-1] not in ("exit status 0", "exit status 3"), "a mistake of the user's, which is said"


def test_there_are_many():
    assert len(FILES) >= 120


def test_no_two_files_say_the_same():
    first: dict[str, str] = {}
    for path in FILES:
        said = "\n".join(terminal(path)[1:]).replace(path.name, "FILE")
        said = re.sub(r"FILE:[\d:]+", "FILE:", said)
        assert first.setdefault(said, path.name) == path.name


# Files that cannot end with such a comment, or that no editor would leave as they are.
KERNEL = b"from __future__ import annotations\nimport phobos.lang as ph\n\n@ph.kernel\ndef scale(x: ph.tensor[ph.f32][N]):\n"


@pytest.mark.parametrize(
    "content, expected",
    [
        (b"", ["error: kernels.py has no kernel", "hint: a kernel is a function under @ph.kernel"]),
        (
            KERNEL + b"    x[0:+64] = 0.0  # caf\xe9\n",
            [
                "kernels.py:6:26: error: invalid UTF-8 byte 0xE9",
                "        x[0:+64] = 0.0  # caf\ufffd",
                "                             ^",
                "hint: save the file as UTF-8",
            ],
        ),
        (
            KERNEL + b"    x[0:+64] = \x000.0\n",
            ["kernels.py:6:16: error: invalid control character U+0000", "        x[0:+64] = \ufffd0.0", "                   ^"],
        ),
        (
            KERNEL + "    x[0:+64] = 0.0\u00a0* 2.0\n".encode(),
            [
                "kernels.py:6:19: error: invalid character `\u00a0` (U+00A0)",
                "        x[0:+64] = 0.0\u00a0* 2.0",
                "                      ^",
            ],
        ),
        (
            KERNEL + b"    if N > 0:\n\tx[0:+64] = 0.0\n",
            [
                "kernels.py:7:1: error: tabs and spaces are mixed so that the indentation depends on the width of a tab",
                "            x[0:+64] = 0.0",
                "    ^~~~~~~~",
                "hint: indent with spaces only",
            ],
        ),
        (
            KERNEL + b"    x[0:+64] = 0.0 + \\ \n        1.0\n",
            [
                "kernels.py:6:22: error: unexpected character after a line continuation: nothing may follow the backslash",
                "        x[0:+64] = 0.0 + \\ ",
                "                         ^",
            ],
        ),
        (
            KERNEL + b'    """Sets x to zero.\n    x[0:+64] = 0.0\n',
            [
                "kernels.py:6:5: error: unterminated triple-quoted string",
                '        """Sets x to zero.',
                "        ^~~",
                'hint: close it with """',
            ],
        ),
        (
            KERNEL.replace(b"\n", b"\r\n") + b"    x[0:+64] = y\r\n",
            ["kernels.py:6:16: error: `y` is not defined", "        x[0:+64] = y", "                   ^"],
        ),
    ],
    ids=["empty", "latin-1", "zero", "no-break space", "tab among spaces", "space behind a backslash", "docstring not closed", "Windows"],
)
def test_bytes(content, expected, phobosc, tmp_path):
    (tmp_path / "kernels.py").write_bytes(content)
    assert compiled(phobosc, tmp_path, ["kernels.py"]) == [*expected, "exit status 1"]


def test_what_is_no_file(phobosc, tmp_path):
    assert compiled(phobosc, tmp_path, ["kernels.py"]) == ["error: cannot read kernels.py: No such file or directory", "exit status 1"]
    assert compiled(phobosc, tmp_path, ["."]) == ["error: cannot read .: Is a directory", "exit status 1"]
