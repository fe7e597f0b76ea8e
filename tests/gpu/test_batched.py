"""Random batched products on the GPU against torch in float64: batch axes anywhere, dropped by an index.

Operands lie in tensors that are one batch longer on either side, filled with NaN (or the largest int8), so that an element of another batch
spoils the sum; around C lie marks.
"""

from __future__ import annotations

import pytest
from conftest import import_file
from gpu import batched_cases

MARK = 113


def embed(torch, operand: batched_cases.Operand, extents, dtype, fill):
    """A tensor with `operand`'s axes as they lie in memory, inside one of `fill` that has a row more at each end of the slowest axis."""
    shape = [extents[axis] for axis in operand.memory]
    buffer = torch.full([shape[0] + 2, *shape[1:]], fill, device="cuda", dtype=dtype)
    inside = buffer[1:-1]
    return buffer, inside.permute([operand.memory.index(axis) for axis in operand.axes])


def as_matrices(case, operand: batched_cases.Operand, tensor, rows: str, columns: str):
    """The batch's axes first."""
    return tensor.permute([operand.axes.index(axis) for axis in case.batch + rows + columns])


@pytest.mark.parametrize("case", batched_cases.cases(), ids=str)
def test_product(case, torch, tmp_path):
    path = tmp_path / f"case_{case.number:03}.py"
    path.write_text(case.source())
    matmul = import_file(path).matmul
    dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "i8": torch.int8, "i32": torch.int32}
    generator = torch.Generator(device="cuda").manual_seed(case.number)

    def operand(axes):
        fill = 127 if case.dtype == "i8" else float("nan")
        _, inside = embed(torch, axes, case.extents, dtypes[case.dtype], fill)
        if case.dtype == "i8":
            inside.copy_(torch.randint(-128, 128, inside.shape, device="cuda", dtype=torch.int8, generator=generator))
        else:
            inside.copy_((torch.rand(inside.shape, device="cuda", generator=generator) - 0.5).to(inside.dtype))
        return inside

    a, b = operand(case.a), operand(case.b)
    around, c = embed(torch, case.c, case.extents, dtypes[case.out], MARK)
    c.fill_(-77)
    matmul[case.blocks()](a, b, c)
    torch.cuda.synchronize()
    if case.uses_bulk_copies:
        ptx = matmul.compile(a, b, c, arch="sm_90a").ptx
        assert "cp.async.bulk.tensor" in ptx and "wgmma" in ptx, case.source()

    left, right = as_matrices(case, case.a, a, "m", "k").double(), as_matrices(case, case.b, b, "k", "n").double()
    want, absolute = left @ right, left.abs() @ right.abs()
    got = as_matrices(case, case.c, c, "m", "n").double()
    sums = (case.extents["k"] + 1) * 2**-23 * absolute
    store = {"f16": 2**-11, "bf16": 2**-8, "f32": 2**-24, "i32": 0.0}[case.out]
    bound = 0 * sums if case.dtype == "i8" else sums + store * (want.abs() + sums) + 1e-7
    wrong = ~((got - want).abs() <= bound)  # NaN is wrong
    assert not wrong.any(), f"{case}: {int(wrong.sum())} elements wrong\n{case.source()}"
    c.fill_(MARK)
    assert bool((around == MARK).all()), f"{case}: stored outside C"
