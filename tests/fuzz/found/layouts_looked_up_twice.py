"""The compiler crashed: a layout that the lowering had handed out moved when another was looked up."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.tensorcore
def kernel(A5: ph.tensor[ph.i8][M5, M6], A6: ph.tensor[ph.i8][16, 61], A7: ph.tensor[ph.i64][M7, 24, 1], A10: ph.tensor[ph.i8][M10, 128], A13: ph.tensor[ph.i32][M13, M14], O14: ph.tensor[ph.u16][M15, M16], O15: ph.tensor[ph.i32][96, 25], A16: ph.tensor[ph.u32][M17, M18], O17: ph.tensor[ph.u32][127, M19]):
    b: ph.let = ph.ctx.block.x
    x4 = ph.tril(ph.broadcast(ph.iota(20), 20, 20))
    acc6: ph.var[ph.tile[ph.i32][24, 8]] = 1
    for k5 in range(0, M6, 20):
        a7 = A5[b:+24, k5:+20]
        b8 = A6[3:+8, k5:+20]
        acc6 += ph.dot_t(a7, b8)
    acc6 *= ph.i32(ph.transpose(A7[2, b:+8, b:+24]))
    acc6 = ph.dot(ph.u8(A10[b:+24, 0:+64]), ph.u8(A13[b:+64, b:+8]), acc6)
    O14[b:+20, 4:+20] += x4
    O15[b:+24, b:+8] = acc6
    O17[b:+32, 4:+20] = ph.triu(A16[b:+32, b:+20])


CASE = {
    "arguments": [
        {'name': 'A5', 'dtype': 'i8', 'shape': (30, 61), 'seed': 1},
        {'name': 'A6', 'dtype': 'i8', 'shape': (16, 61), 'seed': 2},
        {'name': 'A7', 'dtype': 'i64', 'shape': (4, 24, 1), 'seed': 3},
        {'name': 'A10', 'dtype': 'i8', 'shape': (24, 128), 'seed': 4},
        {'name': 'A13', 'dtype': 'i32', 'shape': (60, 9), 'seed': 5},
        {'name': 'O14', 'dtype': 'u16', 'shape': (25, 30), 'seed': 6},
        {'name': 'O15', 'dtype': 'i32', 'shape': (96, 25), 'seed': 7},
        {'name': 'A16', 'dtype': 'u32', 'shape': (31, 20), 'seed': 8},
        {'name': 'O17', 'dtype': 'u32', 'shape': (127, 24), 'seed': 9},
    ],
}
