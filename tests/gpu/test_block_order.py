"""Orders of a grid's blocks: plain, in groups, by resident CTAs, and both at once. Each visits every block, and none twice."""

from __future__ import annotations

import itertools

import pytest

COUNT = """
@ph.kernel
@ph.launch(32){more}
def count(seen: ph.tensor[ph.i32][X, Y, Z]):
    x: ph.let = ph.ctx.block.x
    y: ph.let = ph.ctx.block.y
    z: ph.let = ph.ctx.block.z
    seen[x, y, z] += 1
"""
# The group's size is a tuned constant here, so that a test gives it with the launch.
GROUPED = '\n@ph.autotune(GROUP=[1])\n@ph.swizzle("GROUP")'
ORDERS = {"plain": "", "grouped": GROUPED, "persistent": "\n@ph.persistent", "persistent, grouped": "\n@ph.persistent" + GROUPED}
LARGEST = 6


def groups(order: str, rows: int) -> list[dict]:
    """Keywords of launches: every size of group up to one that is larger than the grid."""
    return [{"GROUP": group} for group in range(1, rows + 2)] if "grouped" in order else [{}]


@pytest.mark.parametrize("order", ORDERS)
def test_every_small_grid_is_visited_once(order, torch, load_kernels):
    count = load_kernels(COUNT.format(more=ORDERS[order])).count
    for x, y, z in itertools.product(range(1, LARGEST + 1), range(1, LARGEST + 1), (1, 3)):
        for constants in groups(order, x):
            seen = torch.zeros((x, y, z), device="cuda", dtype=torch.int32)
            count[x, y, z](seen, **constants)
            assert bool((seen == 1).all()), ((x, y, z), constants, seen)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", [(300, 7, 2), (7, 300, 1), (1, 1000, 1), (1000, 1, 1), (61, 67, 1)], ids=str)
def test_a_grid_of_many_blocks(shape, order, torch, load_kernels):
    count = load_kernels(COUNT.format(more=ORDERS[order])).count
    for constants in [{"GROUP": group} for group in (1, 8, 16, 100)] if "grouped" in order else [{}]:
        seen = torch.zeros(shape, device="cuda", dtype=torch.int32)
        count[shape](seen, **constants)
        assert bool((seen == 1).all()), constants
