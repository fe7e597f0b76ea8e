"""The GPU and the simulator of its chip give the same results: the other tests' kernels, launched on both with the same arrays.

Bit for bit where the arithmetic is correctly rounded, sums included, since both run the same code in the same order. Not so where
tensor cores add, or functions approximate: there within the bounds stated here.
"""

from __future__ import annotations

import gpu.test_functions as functions
import gpu.test_random as random_numbers
import pytest
from gpu import matmul_cases
from gpu.test_functions import FORMATS, test_integers, test_narrowing, test_remainder  # noqa: F401 - run here too, on both
from gpu.test_matmul_random import test_product as check_product
from gpu.test_random import drawn, test_bits, test_normal, test_uniform  # noqa: F401
from gpu.test_tiles import *  # noqa: F403 - its tests become this file's
from simulated import Both

mapped = functions.mapped
# exp differs by the hardware's ex2.approx (docs/approximations.md); the rest of softmax divides by the sum of such terms.
# Rounded to f16 that may fall on the other side of a tie.
# log and cos of random numbers keep the bounds of functions on both, for the same arguments.
RELATIVE = {"test_softmax": 2**-10, "test_normal": 2**-20}


@pytest.fixture(autouse=True)
def both(monkeypatch, request, torch):
    monkeypatch.setattr(functions, "CHUNK", 1 << 13)
    monkeypatch.setattr(random_numbers, "SIZE", 1 << 13)
    both = Both(monkeypatch, torch)
    yield both
    assert both.launches, "nothing was compared"
    tolerance = RELATIVE.get(request.node.originalname)
    for one in both.launches if both.compares else ():
        one.assert_equal() if tolerance is None else one.assert_near(tolerance)


@pytest.mark.parametrize("name", functions.BOUNDS)
def test_function(name, both, torch, load_kernels):
    """Both keep the documented bound, so they differ by no more than twice as much."""
    both.compares = False
    kernel = load_kernels(functions.MAP.format(expression=f"ph.{name}(x)", given="f32", out="f32")).apply
    x = torch.cat([functions.floats(torch, chunk)[torch.randint(0, 2**13, (1024,), device="cuda")] for chunk in range(256)])
    kernel[len(x) // 1024](x, torch.empty_like(x))
    (launch,) = both.launches
    want = getattr(torch, name)(launch.given[0].double())
    error = functions.ulps(torch, want, launch.host[1])
    if name == "exp":
        error = torch.where(error.isfinite(), error - 1.2 * launch.given[0].abs().nan_to_num(posinf=0).double(), error)
    assert error.max() <= functions.BOUNDS[name]


@pytest.mark.parametrize("case", matmul_cases.cases(), ids=str)
def test_product(case, both, torch, tmp_path):
    both.compares = not case.tensorcore or case.dtype == "i8"
    check_product(case, torch, tmp_path)
    if both.compares:
        return
    for launch in both.launches:
        a, b, _ = (x.double().abs() for x in launch.given)
        a = a.t() if case.order == "transpose_a" else a
        b = b.t() if case.order == "dot_t" else b
        on_gpu, on_host = launch.gpu[2].double(), launch.host[2].double()
        # Tensor cores align the products of an instruction to the largest and drop what is below its 24th bit.
        sums = case.shape[2] * 2**-23 * (a @ b)
        rounding = {"f16": 2**-10, "bf16": 2**-7, "f32": 2**-23}[case.out] * on_gpu.abs()
        assert bool(((on_gpu - on_host).abs() <= sums + rounding + 2**-24).all())
