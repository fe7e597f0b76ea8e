"""The cases of tests/printing.py on the GPU, one after the other; what they print goes where the driver writes it.

    python tests/gpu/print_sample.py FOLDER

FOLDER takes the kernels' files, NAME.py. A line `=== NAME` stands before what each case prints.
"""

from __future__ import annotations

import ctypes
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import printing  # noqa: E402
from conftest import import_file  # noqa: E402

if __name__ == "__main__":
    import phobos

    c = ctypes.CDLL(None)  # the driver prints through C, and its lines must stand in line with ours
    for name, case in printing.CASES.items():
        path = pathlib.Path(sys.argv[1]) / f"{name}.py"
        path.write_text(case.source)
        c.printf(b"=== %s\n", name.encode())
        c.fflush(None)
        with phobos.target("cuda"):
            printing.launch(case, import_file(path).k, printing.to_gpu(torch))
        torch.cuda.synchronize()
        c.fflush(None)
