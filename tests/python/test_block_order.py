"""In which order @ph.swizzle and @ph.persistent visit the blocks of a grid: on the simulator, whose lines of `ph.print` come in the order of
launched blocks, so that a kernel that prints its own numbers says where each launched block was sent."""

from __future__ import annotations

import itertools
import re

import pytest
from gpu.test_block_order import *  # noqa: F403 - its tests become this file's
from gpu.test_block_order import COUNT, LARGEST, ORDERS, groups
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)
RESIDENTS = 4  # CTAs of a persistent kernel that the simulator has room for
LOOK = COUNT + '    ph.print("is", x, y, z)\n'


@pytest.fixture
def visits(torch, load_kernels, capsys):
    """visits(order, grid, **constants): the blocks' own numbers, in the order in which they were launched."""
    kernels = {order: load_kernels(LOOK.format(more=more)).count for order, more in ORDERS.items()}

    def visits(order: str, grid: tuple[int, int, int], **constants) -> list[tuple[int, ...]]:
        capsys.readouterr()
        seen = torch.zeros(grid, dtype=torch.int32)
        kernels[order][grid](seen, **constants)
        found = re.findall(r" is (\d+) (\d+) (\d+)$", capsys.readouterr().out, re.M)
        return [tuple(map(int, numbers)) for numbers in found]

    return visits


def grouped(number: int, rows: int, columns: int, group: int) -> tuple[int, int]:
    """Row and column of the block with this number: groups of `group` rows, in a group column by column, in a column row by row."""
    whole = group * columns
    first = number // whole * group
    size = min(rows - first, group)
    place = number % whole
    return first + place % size, place // size


def expected(grid: tuple[int, int, int], group: int | None) -> list[tuple[int, ...]]:
    """Of a launch without @ph.persistent: x is the fastest, z the slowest; groups are of one z."""
    x, y, z = grid
    numbers = range(x * y)
    plane = [grouped(n, x, y, group) for n in numbers] if group else [(n % x, n // x) for n in numbers]
    return [(*block, layer) for layer in range(z) for block in plane]


# --- the example of the matmul-offsets notebook: 1024 x 768 in tiles of 128 x 64, groups of two rows -----------------------------

ROWS, COLUMNS, GROUP = 1024 // 128, 768 // 64, 2


def test_the_notebook_s_program_60(visits):
    order = visits("grouped", (ROWS, COLUMNS, 1), GROUP=GROUP)
    assert len(order) == 96 and order[60] == (4, 6, 0)
    # Where that comes from: it is in group 2, which begins at row 4 and has 2 rows, 24 blocks a group.
    in_group = [n for n in range(96) if order[n][0] in (4, 5)]
    assert in_group == list(range(2 * 24, 3 * 24)) and 60 in in_group
    assert order[2 * 24] == (4, 0, 0)


def test_every_program_of_the_notebook(visits):
    """The notebook's own formula, whose groups are all whole here."""

    def notebook(pid: int) -> tuple[int, int, int]:
        num_pid_in_group = GROUP * COLUMNS
        group_id = pid // num_pid_in_group
        first_pid_m = group_id * GROUP
        group_size_m = min(ROWS - first_pid_m, GROUP)
        return first_pid_m + pid % group_size_m, pid % num_pid_in_group // group_size_m, 0

    assert visits("grouped", (ROWS, COLUMNS, 1), GROUP=GROUP) == [notebook(pid) for pid in range(96)]


def test_a_smaller_last_group_is_column_by_column_too(visits):
    """Five rows in groups of three: the last two rows are a group of their own, and each of its columns begins with its first row."""
    order = visits("grouped", (5, 3, 1), GROUP=3)
    assert [block[:2] for block in order[9:]] == [(3, 0), (4, 0), (3, 1), (4, 1), (3, 2), (4, 2)]


# --- any grid ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["plain", "grouped"])
def test_the_order_of_every_small_grid(order, visits):
    for grid in itertools.product(range(1, LARGEST + 1), range(1, LARGEST + 1), (1, 2)):
        for constants in groups(order, grid[0]):
            assert visits(order, grid, **constants) == expected(grid, constants.get("GROUP")), (grid, constants)


@pytest.mark.parametrize("order", ["persistent", "persistent, grouped"])
def test_resident_ctas_take_turns(order, visits):
    """The first of R CTAs walks the blocks 0, R, 2 R, … of the order that there would be without @ph.persistent, the second 1, R + 1, …"""
    for grid in itertools.product(range(1, LARGEST + 1), range(1, LARGEST + 1), (1, 2)):
        for constants in groups(order, grid[0]):
            all_of_them = expected(grid, constants.get("GROUP"))
            walked = visits(order, grid, **constants)
            turns = [range(first, len(walked), RESIDENTS) for first in range(min(RESIDENTS, len(walked)))]
            assert walked == [all_of_them[n] for turn in turns for n in turn], (grid, constants)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 3), st.integers(1, 50))
def test_the_order_of_any_grid(visits, x, y, z, group):
    assert visits("grouped", (x, y, z), GROUP=group) == expected((x, y, z), group)
    assert sorted(visits("persistent, grouped", (x, y, z), GROUP=group)) == sorted(itertools.product(range(x), range(y), range(z)))
