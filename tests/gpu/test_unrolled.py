"""Unrolled loops that a turn leaves, or ends early, under a condition that is known at run time only: against the same statements run by Python."""

from __future__ import annotations

import textwrap

import pytest

BODIES = {
    "break": """
        for i in UNROLL(4):
            if x[i] > 0:
                y[0] = i + 1
                break
            y[1] += 1
    """,
    "continue": """
        for i in UNROLL(4):
            if x[i] > 0:
                continue
            y[0] += i + 1
        y[1] = 5
    """,
    "both": """
        last = 0
        for i in UNROLL(4):
            if x[i] > 2:
                break
            last = last * 2 + 1
            if x[i] > 0:
                continue
            if x[i] < -2:
                last += 100
                break
            last += 10
        y[0] = last
    """,
    "either": """
        for i in UNROLL(4):
            y[1] += 1
            if x[i] > 0:
                break
            else:
                continue
        y[0] = 3
    """,
    "nested": """
        for i in UNROLL(3):
            for j in UNROLL(2):
                if x[i + j] > 0:
                    y[0] += 10 * i + j
                    break
                y[1] += 1
            if x[i] < -1:
                break
    """,
    "in a loop": """
        for k in range(3):
            for i in UNROLL(2):
                if x[k + i] > 0:
                    y[0] += 1
                    break
            if y[0] > 1:
                break
            y[1] += k
    """,
    "a loop in it": """
        for i in UNROLL(2):
            for k in range(2):
                if x[i + k] > 0:
                    break
                y[0] += 1
            if x[i] > 1:
                break
            y[1] += 1
    """,
    "return": """
        for i in UNROLL(4):
            if x[i] > 0:
                y[0] = i + 1
                return
        y[1] = 7
    """,
    "known": """
        for i in UNROLL(4):
            if x[i] > 1:
                continue
            if i == 2:
                break
            y[0] += i + 1
        y[1] = 1
    """,
}
DATA = [[-1, -1, -1, -1], [-1, 2, -3, 1], [3, -1, -1, -1], [-1, -3, 1, 1], [-1, -1, -1, 5], [1, 1, 1, 1], [-5, 1, -5, 1]]
KERNEL = """
@ph.kernel
def kernel(x: ph.tensor[ph.i32][4], y: ph.tensor[ph.i32][2]):
{body}
"""
FUNCTION = """
@ph.fn
def first(x):
    for i in ph.unroll(4):
        if x[i] > 0:
            return i, x[i]
    return -1, 0


@ph.kernel
def kernel(x: ph.tensor[ph.i32][4], y: ph.tensor[ph.i32][2]):
    at, value = first(x)
    y[0] = at
    y[1] = value
"""


def by_python(body: str, x: list[int]) -> list[int]:
    y = [0, 0]
    scope: dict = {}
    exec("def run(x, y):\n" + textwrap.indent(textwrap.dedent(body).replace("UNROLL", "range"), "    "), scope)
    scope["run"](x, y)
    return y


@pytest.mark.parametrize("name", BODIES)
def test_as_python_does(name, load_kernels, torch):
    body = textwrap.indent(textwrap.dedent(BODIES[name]).replace("UNROLL", "ph.unroll"), "    ")
    kernel = load_kernels(KERNEL.format(body=body)).kernel
    for data in DATA:
        x, y = torch.tensor(data, device="cuda", dtype=torch.int32), torch.zeros(2, device="cuda", dtype=torch.int32)
        kernel[1](x, y)
        torch.cuda.synchronize()
        assert y.tolist() == by_python(BODIES[name], data), data


def test_a_function_returns_from_one(load_kernels, torch):
    kernel = load_kernels(FUNCTION).kernel
    for data in DATA:
        x, y = torch.tensor(data, device="cuda", dtype=torch.int32), torch.zeros(2, device="cuda", dtype=torch.int32)
        kernel[1](x, y)
        torch.cuda.synchronize()
        assert y.tolist() == next(([i, v] for i, v in enumerate(data) if v > 0), [-1, 0])
