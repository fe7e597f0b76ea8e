"""What is right on this GPU: every test under tests/gpu, by file, with the tutorials' verdicts and the sanitizer's.

Among them: the tutorials' own checks as compiled for this GPU and as PTX of sm_80 and sm_75, 200 random products against float64,
functions over every f32, and compute-sanitizer's memcheck and racecheck over a sample.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from common import ROOT, write

OUTCOMES = {"failure": "failed", "error": "failed", "skipped": "skipped"}


def run(junit: pathlib.Path) -> int:
    together = ["-n", "8"] if importlib.util.find_spec("xdist") else []
    command = [sys.executable, "-m", "pytest", "tests/gpu", *together, f"--junitxml={junit}", "-o", "junit_logging=system-out"]
    return subprocess.run(command, cwd=ROOT, env=dict(os.environ)).returncode


def outcome(case: ElementTree.Element) -> str:
    return next((OUTCOMES[child.tag] for child in case if child.tag in OUTCOMES), "passed")


def rows_of(junit: pathlib.Path) -> tuple[list[dict], list[str]]:
    """Counts by file of tests, and the verdict lines that the tutorials printed."""
    rows: dict[str, dict] = {}
    verdicts = []
    for case in ElementTree.parse(junit).iter("testcase"):
        file = case.get("classname", "").rsplit(".", 1)[-1]
        row = rows.setdefault(file, {"file": file, "passed": 0, "failed": 0, "skipped": 0, "not_passed": []})
        row[outcome(case)] += 1
        if outcome(case) != "passed":
            row["not_passed"].append(f"{case.get('name')}: {outcome(case)}")
        if file == "test_tutorials":
            verdicts += [line for line in (case.findtext("system-out") or "").splitlines() if line.startswith("[")]
    return list(rows.values()), verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "results", help="folder for the JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        junit = pathlib.Path(folder) / "junit.xml"
        status = run(junit)
        rows, verdicts = rows_of(junit)
    for verdict in verdicts:
        print(verdict)
    write(options.out, "checks", __doc__, rows, verdicts=verdicts)
    return status


if __name__ == "__main__":
    sys.exit(main())
