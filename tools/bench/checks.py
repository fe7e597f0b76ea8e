"""What is right on this GPU: every test under tests/gpu, by file, with the tutorials' verdicts and the sanitizer's.

Among them: the tutorials' own checks as compiled for this GPU and as PTX of sm_80 and sm_75, 200 random products against float64,
functions over every f32, and compute-sanitizer's memcheck and racecheck over a sample.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor, as_completed

from common import ROOT, write

TOGETHER = 8  # processes: compiling and simulating take longer than the GPU does
LONG = ("test_tutorials", "test_agreement")  # begun first
OUTCOMES = {"failure": "failed", "error": "failed", "skipped": "skipped"}


def run(file: str, junit: pathlib.Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", file, f"--junitxml={junit}", "-o", "junit_logging=system-out"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout if done.returncode else f"{file}: {done.stdout.splitlines()[-1]}", flush=True)
    return done.returncode


def outcome(case: ElementTree.Element) -> str:
    return next((OUTCOMES[child.tag] for child in case if child.tag in OUTCOMES), "passed")


def rows_of(reports: list[pathlib.Path]) -> tuple[list[dict], list[str]]:
    """Counts by file of tests, and the verdict lines that the tutorials printed."""
    rows: dict[str, dict] = {}
    verdicts = []
    for case in (case for report in reports if report.exists() for case in ElementTree.parse(report).iter("testcase")):
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
    files = sorted((ROOT / "tests" / "gpu").glob("test_*.py"), key=lambda file: file.stem not in LONG)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(TOGETHER) as pool:
        reports = [pathlib.Path(folder) / f"{file.stem}.xml" for file in files]
        running = [pool.submit(run, f"tests/gpu/{file.name}", report) for file, report in zip(files, reports, strict=True)]
        for _ in as_completed(running):  # what there is, should a run be ended
            rows, verdicts = rows_of(reports)
            write(options.out, "checks", __doc__, rows, verdicts=verdicts)
    for verdict in verdicts:
        print(verdict)
    return max(each.result() for each in running)


if __name__ == "__main__":
    sys.exit(main())
