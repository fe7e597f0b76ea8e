"""Tutorial 01's vector addition beside torch.add and Triton: bytes read and written a second, f32."""

from __future__ import annotations

import importlib.util

import torch
from common import ROOT, arguments, compare, show, write


def tutorial():
    path = ROOT / "examples" / "tutorials" / "t01_vector_add.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    options = arguments(__doc__, powers=[20, 24, 27])
    module = tutorial()
    rows = []
    for power in options.powers:
        n = 1 << power
        x, y = (torch.rand(n, device="cuda") for _ in range(2))
        z, o = torch.empty_like(x), torch.empty_like(x)
        grid = -(-n // module.BLOCK)
        module.add[grid](x, y, z)
        if not torch.equal(z, x + y):
            raise SystemExit(f"2^{power}: wrong sum")
        contestants = {"phobos": lambda: module.add[grid](x, y, z), "torch.add": lambda: torch.add(x, y, out=o)}
        try:
            from peers import triton_add

            contestants["Triton"] = lambda: triton_add(x, y, o)
        except ImportError:
            pass
        result = compare(contestants, options.rounds)
        moved = 3 * 4 * n
        show(f"add 2^{power}", result, lambda ms: moved / ms / 1e9, "TB/s")
        rows.append({"elements": n, "tbps": {k: moved / ms / 1e9 for k, ms in result["ms"].items()}, **result})
    write(options.out, "vector_add", __doc__, rows, rounds=options.rounds)


if __name__ == "__main__":
    main()
