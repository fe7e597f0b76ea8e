"""One of the cases of tests/printing.py on the GPU; what it prints is the kernel's.

    python tests/gpu/print_sample.py CASE FOLDER

FOLDER takes the kernel's file, kernels.py.
"""

from __future__ import annotations

import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import printing  # noqa: E402
from conftest import import_file  # noqa: E402

if __name__ == "__main__":
    import phobos

    case = printing.CASES[sys.argv[1]]
    path = pathlib.Path(sys.argv[2]) / "kernels.py"
    path.write_text(case.source)
    with phobos.target("cuda"):
        printing.launch(case, import_file(path).k, printing.to_gpu(torch))
    torch.cuda.synchronize()
