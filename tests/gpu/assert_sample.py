"""A kernel whose assertion fails on the GPU, and what this process is told afterwards.

    python tests/gpu/assert_sample.py FOLDER scalar|tile|none [debug]

FOLDER takes the kernels' file, kernels.py. Prints the error of waiting, then that of the next launch, or `ok`.
"""

from __future__ import annotations

import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from conftest import import_file  # noqa: E402

SOURCE = """from __future__ import annotations
import phobos.lang as ph


@ph.kernel
@ph.launch(64)
def checked(A: ph.tensor[ph.f32][N], n: ph.i32):
    a = A[ph.ctx.block.x * 50:+50]
    ph.assert_(n > 0, "n is positive")
    ph.assert_(a < 7)
    A[ph.ctx.block.x * 50:+50] = a + 1


@ph.kernel
def innocent(A: ph.tensor[ph.f32][N]):
    A[0] = 0.0
"""

if __name__ == "__main__":
    import phobos

    folder, what = pathlib.Path(sys.argv[1]), sys.argv[2]
    path = folder / "kernels.py"
    path.write_text(SOURCE)
    kernels = import_file(path)
    a = torch.zeros(200, device="cuda")
    if what == "tile":
        a[50 * 2 + 33] = 9.0
    torch.cuda.synchronize()
    with phobos.target("cuda"), phobos.debug("debug" in sys.argv):
        kernels.innocent[1](a)
        kernels.checked[4](a, -1 if what == "scalar" else 1)
        try:
            torch.cuda.synchronize()
        except Exception as error:
            print("waiting:", str(error).splitlines()[0], flush=True)
        try:
            kernels.innocent[1](a)
            print("ok", float(a[1]))
        except phobos.LaunchError as error:
            print("launching:", error)
