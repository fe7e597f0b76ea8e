"""The tutorials: found by name, run on a GPU or, where there is none, on the simulator; or compiled for every chip.

`tools/tutorial` is this file's command line. The tests use it too, so that what they check is what a reader runs.
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "tutorials"
CHIPS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a")


def find(names: list[str]) -> list[pathlib.Path]:
    """Tutorials by name (`t03_matmul`), by number (`t03`), or by path; all of them for no name."""
    known = sorted(FOLDER.glob("t[0-9]*.py"))
    if not names:
        return known
    found = []
    for name in names:
        stem = pathlib.Path(name).name.removesuffix(".py")
        matches = [p for p in known if p.stem == stem or p.stem.startswith(stem + "_")]
        if not matches:
            raise LookupError(f"no tutorial named '{name}'; there are {', '.join(p.stem for p in known)}")
        found += matches
    return found


def kernels(path: pathlib.Path) -> list[str]:
    """Names of the kernels in a file, in order: functions under @ph.kernel or @ph.kernel(...)."""

    def is_kernel(decorator: ast.expr) -> bool:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        return isinstance(target, ast.Attribute) and target.attr == "kernel"

    nodes = ast.walk(ast.parse(path.read_text()))
    return [n.name for n in nodes if isinstance(n, ast.FunctionDef) and any(map(is_kernel, n.decorator_list))]


def phobosc(path: pathlib.Path, kernel: str, chip: str, emit: str, *more: str) -> str:
    """Runs the compiler on one kernel and returns what it prints; CalledProcessError with its message if it refuses."""
    program = shutil.which("phobosc", path=os.pathsep.join([str(ROOT / "build" / "bin"), os.environ["PATH"]]))
    if program is None:
        raise LookupError("phobosc is not built: run tools/build")
    command = [program, str(path), "--kernel", kernel, "--arch", chip, "--emit", emit, *more]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def has_gpu() -> bool:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def load(path: pathlib.Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def run_checks(paths: list[pathlib.Path]) -> bool:
    """Each tutorial's own check, and its verdict line: on the GPU, or on the simulator where kernels are launched there."""
    import phobos
    import torch

    if phobos.current_target() == "host":
        import cpu_torch

        with cpu_torch.stand_in() as stand_in:
            return _run_checks(paths, stand_in, ", on the simulator")
    if not torch.cuda.is_available():
        raise LookupError(
            f"there is a GPU, but torch {torch.__version__} of {sys.executable} cannot use it\n"
            "  hint: use a Python with a CUDA build of torch, --host for the simulator, or --compile to compile only"
        )
    return _run_checks(paths, torch, "")


def _run_checks(paths: list[pathlib.Path], torch, where: str) -> bool:
    every = True
    for path in paths:
        try:
            ok, verdict = load(path).check(torch)
        except Exception:
            traceback.print_exc()
            ok, verdict = False, "raised an exception (above)"
        print(f"{path.stem}: {'ok' if ok else 'WRONG'}{where}  {verdict}", flush=True)
        every = every and bool(ok)
    return every


def compile_everywhere(paths: list[pathlib.Path], chips: tuple[str, ...]) -> bool:
    """Every kernel for every chip, down to machine code, and what it needs there."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Compiled and assembled; nothing was executed")
    table.add_column("tutorial")
    table.add_column("kernel")
    table.add_column("chip")
    for heading in ("threads", "registers", "shared bytes", "spilled bytes"):
        table.add_column(heading, justify="right")
    failures = []
    for path in paths:
        for kernel in kernels(path):
            for chip in chips:
                try:
                    contract = json.loads(phobosc(path, kernel, chip, "contract"))
                except subprocess.CalledProcessError as error:
                    said = error.stderr.rstrip() or f"phobosc ended with status {error.returncode} and said nothing"
                    failures.append(f"{path.stem}, kernel {kernel}, {chip}:\n{said}")
                    table.add_row(path.stem, kernel, chip, "[red]failed[/red]", "", "", "")
                    continue
                needs = contract["resources"]
                shared = needs["staticSharedBytes"] + needs["dynamicSharedBytes"]
                spilled = needs["spillStoreBytes"] + needs["spillLoadBytes"]
                row = (contract["threads"], needs["registers"], shared, spilled)
                table.add_row(path.stem, kernel, chip, *map(str, row))
        table.add_section()
    Console(width=None if sys.stdout.isatty() else 100).print(table)
    for failure in failures:
        print(failure, file=sys.stderr)
    return not failures


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tools/tutorial",
        description="Runs tutorials and prints each one's verdict: on the GPU, or on the simulator where there is none.",
        epilog="Exit status: 0 all right, 1 something wrong, 2 no such tutorial.",
    )
    parser.add_argument("name", nargs="*", help="t03, t03_matmul, or a path; none: every tutorial")
    parser.add_argument("--host", action="store_true", help="on the simulator, also where there is a GPU")
    parser.add_argument("--compile", action="store_true", help="only compile, for every chip, and say what the code needs")
    parser.add_argument("--arch", action="append", help=f"compile only, for this chip; default: {', '.join(CHIPS)}")
    options = parser.parse_args()
    if options.host:
        os.environ["PHOBOS_TARGET"] = "host"
    elif not has_gpu():
        os.environ.setdefault("PHOBOS_TARGET", "host")  # chosen: not worth a line on stderr
    try:
        paths = find(options.name)
        if options.compile or options.arch:
            return 0 if compile_everywhere(paths, tuple(options.arch or CHIPS)) else 1
        return 0 if run_checks(paths) else 1
    except LookupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
