from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * 2.0


# $ phobosc phase_unknown.py --emit asm
# error: unknown phase 'asm'; did you mean 'ast'? Phases: ast, tile, layout, dot, pipelined, nvvm, llvm, ptx, cubin, sass, contract, host
# hint: phobosc --help lists options, phases and chips
# exit status 2
