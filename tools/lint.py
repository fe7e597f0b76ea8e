#!/usr/bin/env python3
"""Checks of the repository that no compiler makes; each exists because its absence lets a test or a page say nothing.

    tools/lint.py              every check, over the files git knows (and new ones that it does not ignore)
    tools/lint.py NAME...      only these checks; --list names them

An error fails the run; a warning (a file past the length where it should be split, or laid out otherwise) does not. The checks are functions
from a Tree to findings, listed in CHECKS, so that a test can plant a mistake in a small tree of its own.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MAX_LINES = 600
SOURCE_SUFFIXES = {".cpp", ".h", ".td", ".py", ".def"}
CHECK_SUFFIXES = {"", "-NEXT", "-SAME", "-NOT", "-DAG", "-LABEL", "-EMPTY"}
# Parts of a path or a mark that must not stay in a commit, spelt in two halves so that this file passes its own check.
FORBIDDEN = {
    "/wo" + "rk/": "a path of one machine",
    "/ro" + "ot/": "a path of one machine",
    "/ho" + "me/": "a path of one machine",
    "TO" + "DO": "unfinished work: finish it or file it",
    "FIX" + "ME": "unfinished work: finish it or file it",
}


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    message: str
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {'error' if self.fatal else 'warning'}: {self.message}"


class Tree:
    """The files to look at, and their text, read once."""

    def __init__(self, root: pathlib.Path, files: list[str] | None = None):
        self.root = root
        if files is None:
            listing = subprocess.run(
                ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                cwd=root, capture_output=True, text=True, check=True,
            ).stdout.splitlines()
            files = [name for name in listing if (root / name).is_file()]
        self.files = sorted(set(files))
        self._text: dict[str, str] = {}

    def text(self, name: str) -> str:
        if name not in self._text:
            self._text[name] = (self.root / name).read_text(encoding="utf-8", errors="replace")
        return self._text[name]

    def under(self, folder: str, *suffixes: str) -> list[str]:
        return [f for f in self.files if f.startswith(folder) and (not suffixes or f.endswith(suffixes))]

    def folders(self) -> set[str]:
        found = set()
        for name in self.files:
            parent = pathlib.PurePosixPath(name).parent
            while str(parent) != ".":
                found.add(str(parent))
                parent = parent.parent
        return found


def distance(a: str, b: str) -> int:
    """Edits (insert, delete, replace, swap neighbours) from a to b."""
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(row[j - 1] + 1, rows[-1][j] + 1, rows[-1][j - 1] + (x != y)))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def check_directives(tree: Tree) -> Iterator[Finding]:
    """FileCheck skips a directive it does not know, so a misspelt one checks nothing."""
    for name in tree.under("tests/lit/", ".mlir", ".py", ".test"):
        if name.endswith("lit.cfg.py"):
            continue
        text = tree.text(name)
        commands = re.findall(r"RUN:(.*)", text)
        prefixes = {p for c in commands for g in re.findall(r"--?check-prefix(?:es)?[= ]([\w,-]+)", c) for p in g.split(",")}
        if any("FileCheck" in c and "check-prefix" not in c for c in commands):
            prefixes.add("CHECK")
        if not commands:
            yield Finding(name, 1, "no RUN line: lit counts this file as unresolved")
        valid = {p + s for p in prefixes for s in CHECK_SUFFIXES}
        used = set()
        for number, line in enumerate(text.splitlines(), 1):
            match = re.match(r"\s*(?://|#|;)\s*([A-Za-z][\w-]*?)(\{LITERAL\})?(\s*:|\s|$)", line)
            if not match:
                continue
            word, colon = match[1], match[3].strip() == ":"
            plain = re.sub(r"-COUNT-\d+$", "", word)
            if plain in valid and colon:
                used.add(next(p for p in prefixes if plain == p or plain.startswith(p + "-")))
            elif plain in valid and not colon:
                yield Finding(name, number, f"'{word}' is not followed by a colon: it checks nothing")
            elif colon and word not in ("RUN", "REQUIRES", "UNSUPPORTED", "XFAIL", "DEFINE", "REDEFINE", "END"):
                near = min(sorted(valid), key=lambda v: distance(word.upper(), v), default="")
                limit = 2 if len(near) > 5 else 1
                if near and (distance(word.upper(), near) <= limit or any(word.startswith(p + "-") for p in prefixes)):
                    yield Finding(name, number, f"'{word}' is no FileCheck directive; did you mean '{near}'?")
        for prefix in sorted(prefixes - used):
            yield Finding(name, 1, f"FileCheck runs with the prefix '{prefix}', which no line uses")


def check_lengths(tree: Tree) -> Iterator[Finding]:
    """Past 600 lines a file usually holds a second concept."""
    for name in tree.files:
        if pathlib.PurePosixPath(name).suffix in SOURCE_SUFFIXES:
            lines = tree.text(name).count("\n")
            if lines > MAX_LINES:
                yield Finding(name, lines, f"{lines} lines; past {MAX_LINES}, look for the second concept in it", fatal=False)


def table_definitions(tree: Tree, pattern: str) -> Iterator[tuple[str, int, re.Match]]:
    for name in tree.under("compiler/include/", ".td"):
        text = tree.text(name)
        for match in re.finditer(pattern, text):
            yield name, text.count("\n", 0, match.start()) + 1, match


def check_passes(tree: Tree) -> Iterator[Finding]:
    """Every pass is run by a lit test under its own name."""
    commands = "\n".join(re.findall(r"RUN:.*", "\n".join(tree.text(f) for f in tree.under("tests/lit/"))))
    for name, line, match in table_definitions(tree, r"def\s+\w+\s*:\s*(?:Interface)?Pass<\s*\"([\w-]+)\""):
        if not re.search(rf"[-'\",({{ ]{re.escape(match[1])}(?![\w-])", commands):
            yield Finding(name, line, f"pass '{match[1]}' is run by no test under tests/lit")


def check_operations(tree: Tree) -> Iterator[Finding]:
    """Every op of our dialects is spelt in a lit test."""
    tests = "\n".join(tree.text(f) for f in tree.under("tests/lit/", ".mlir"))
    pattern = r"def\s+(Tile|Dot)_?\w*\s*:\s*(?:Tile|Dot)_?\w*Op\w*<\s*\"([\w.]+)\""
    for name, line, match in table_definitions(tree, pattern):
        operation = f"{match[1].lower()}.{match[2]}"
        if not re.search(rf"(?<![\w.]){re.escape(operation)}(?![\w.])", tests):
            yield Finding(name, line, f"op '{operation}' is in no .mlir test under tests/lit")


def parse_tree(text: str) -> Iterator[tuple[int, str]]:
    """Paths drawn in the ```tree blocks of a page: two spaces of indentation a level, then the name, then a sentence."""
    for block in re.finditer(r"^```tree\n(.*?)^```", text, re.S | re.M):
        first = text.count("\n", 0, block.start(1)) + 1
        stack: list[str] = []
        for offset, line in enumerate(block[1].splitlines()):
            if not line.strip():
                continue
            level = (len(line) - len(line.lstrip())) // 2
            stack[level:] = [line.split()[0]]
            yield first + offset, "".join(stack)


def check_architecture(tree: Tree) -> Iterator[Finding]:
    """The tree in docs/architecture.md and the disk agree, both ways."""
    page = "docs/architecture.md"
    drawn = list(parse_tree(tree.text(page)))
    if not drawn:
        yield Finding(page, 1, "no ```tree block")
    folders = tree.folders()
    named = {path.rstrip("/") for _, path in drawn}
    for line, path in drawn:
        if path.rstrip("/") not in folders and path not in tree.files:
            yield Finding(page, line, f"'{path}' is not on disk")
    # A folder whose children are drawn is drawn completely.
    opened = {str(pathlib.PurePosixPath(p).parent) for p in named}
    for folder in sorted(folders):
        parent = str(pathlib.PurePosixPath(folder).parent)
        if parent in opened and folder not in named and not pathlib.PurePosixPath(folder).name.startswith("."):
            yield Finding(page, 1, f"the folder '{folder}' is not in the tree")


def check_links(tree: Tree) -> Iterator[Finding]:
    """Relative links of the pages lead somewhere."""
    for name in [f for f in tree.files if f.endswith(".md")]:
        for number, line in enumerate(tree.text(name).splitlines(), 1):
            prose = re.sub(r"`[^`]*`", "", line)
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
                if "://" not in target and not (tree.root / name).parent.joinpath(target).exists():
                    yield Finding(name, number, f"the link '{target}' leads nowhere")


def check_format(tree: Tree) -> Iterator[Finding]:
    """C++ is laid out as .clang-format says: clang-format-22 -i FILE."""
    program = shutil.which("clang-format-22")
    files = [name for name in tree.files if name.endswith((".cpp", ".h"))]
    if not program or not files:
        return
    done = subprocess.run([program, "--dry-run", *files], cwd=tree.root, capture_output=True, text=True)
    seen = set()
    for name, line in re.findall(r"^(\S+?):(\d+):\d+: warning: code should be clang-formatted", done.stderr, re.M):
        if name not in seen:
            seen.add(name)
            yield Finding(name, int(line), "not as clang-format-22 would have it", fatal=False)


def check_forbidden(tree: Tree) -> Iterator[Finding]:
    """No path of a developer's machine, no mark of unfinished work."""
    for name in tree.files:
        text = tree.text(name)
        for word, reason in FORBIDDEN.items():
            for match in re.finditer(rf"(?<![\w./-]){re.escape(word)}", text):
                yield Finding(name, text.count("\n", 0, match.start()) + 1, f"'{word}': {reason}")


CHECKS: dict[str, Callable[[Tree], Iterator[Finding]]] = {
    "directives": check_directives,
    "lengths": check_lengths,
    "passes": check_passes,
    "operations": check_operations,
    "architecture": check_architecture,
    "links": check_links,
    "format": check_format,
    "forbidden": check_forbidden,
}


def main(arguments: list[str]) -> int:
    if arguments == ["--list"]:
        for name, check in CHECKS.items():
            print(f"{name:14} {check.__doc__}")
        return 0
    unknown = [a for a in arguments if a not in CHECKS]
    if unknown:
        print(f"error: no check named {unknown[0]}; there are {', '.join(CHECKS)}", file=sys.stderr)
        return 2
    tree = Tree(pathlib.Path(__file__).resolve().parent.parent)
    findings = [f for name in arguments or CHECKS for f in CHECKS[name](tree)]
    for finding in findings:
        print(finding)
    errors = sum(f.fatal for f in findings)
    print(f"{len(tree.files)} files, {errors} errors, {len(findings) - errors} warnings")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
