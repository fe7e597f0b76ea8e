"""200 random matrix products on the GPU against torch in float64.

Operands lie inside poisoned buffers (NaN, or the largest int8), so that an element read past an edge spoils the sum, and
C inside a buffer of marks, so that one stored past an edge shows. The bound on the error is the arithmetic's own: K
rounded sums in f32, the operand's precision where tensor cores take less than was given, and one rounding on the store.
"""

from __future__ import annotations

import pytest
from conftest import import_file
from gpu import matmul_cases

MARK = 113  # what lies around C, and must still lie there afterwards


def embed(torch, values, pitch: int, poison):
    """`values` as a view into a buffer of `poison`: rows pitch apart, a row's worth of poison before and after."""
    rows, columns = values.shape
    buffer = torch.full(((rows + 2) * pitch,), poison, device="cuda", dtype=values.dtype)
    view = buffer[pitch : pitch + rows * pitch].view(rows, pitch)[:, :columns]
    view.copy_(values)
    return buffer, view


def operand(torch, case, rows: int, columns: int, turned: bool, generator):
    """A random operand, rows by columns; under `turned` its memory is column-major."""
    shape = (columns, rows) if turned else (rows, columns)
    if case.dtype == "i8":
        values = torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8, generator=generator)
        poison = 127
    else:
        dtype = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}[case.dtype]
        values = (torch.rand(shape, device="cuda", generator=generator) - 0.5).to(dtype)
        poison = float("nan")
    _, inside = embed(torch, values, shape[1] + case.padding, poison)
    return inside.t() if turned else inside


def error_bound(torch, case, absolute, want):
    """Largest error allowed, by element. `absolute` is |A| |B|, `want` the exact product."""
    if case.dtype == "i8":
        return torch.zeros_like(want)
    k = case.shape[2]
    split = 2**-20 if case.dtype == "f32" else 0.0
    operands = {"": 0.0, "default": split, "tf32x3": split, "bf16x3": 2**-15, "tf32": 2**-9}[case.tensorcore]
    relative = operands + (k + 1) * 2**-23
    store = {"f16": 2**-11, "bf16": 2**-8, "f32": 2**-24}[case.out]
    return relative * absolute + store * (want.abs() + relative * absolute) + 1e-7


@pytest.mark.parametrize("case", matmul_cases.cases(), ids=str)
def test_product(case, torch, tmp_path):
    path = tmp_path / f"case_{case.number:03}.py"
    path.write_text(case.source())
    matmul = import_file(path).matmul

    m, n, k = case.shape
    generator = torch.Generator(device="cuda").manual_seed(case.number)
    a = operand(torch, case, m, k, case.order in ("view_a", "view_ab", "transpose_a"), generator)
    b = operand(torch, case, k, n, case.order in ("view_b", "view_ab", "dot_t"), generator)
    out_dtype = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "i32": torch.int32}[case.out]
    # -77 where a store goes missing, MARK where one goes astray.
    around, c = embed(torch, torch.full((m, n), -77, device="cuda", dtype=out_dtype), n + case.padding, MARK)

    # The kernel is given the transposed view, or the array as it lies and turns it itself.
    given_a = a.t() if case.order == "transpose_a" else a
    given_b = b.t() if case.order == "dot_t" else b
    tile_m, tile_n, _ = case.tile
    matmul[lambda meta: (-(-meta["M"] // tile_m), -(-meta["N"] // tile_n))](given_a, given_b, c)
    torch.cuda.synchronize()

    want = a.double() @ b.double()
    error = (c.double() - want).abs()
    bound = error_bound(torch, case, a.double().abs() @ b.double().abs(), want)
    wrong = ~(error <= bound)  # NaN is wrong
    if wrong.any():
        i, j = (int(x) for x in wrong.nonzero()[0])
        pytest.fail(
            f"{case}: {int(wrong.sum())} of {m * n} elements wrong; first at [{i}, {j}]: got {c[i, j].item()}, "
            f"want {want[i, j].item():.6g} within {bound[i, j].item():.3g}\n{case.source()}"
        )
    c.fill_(MARK)
    assert bool((around == MARK).all()), f"{case}: stored outside C"
