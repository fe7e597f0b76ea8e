// What warp ops compute; the words of a warp in, the words of a warp out.
#pragma once

#include "Cta.h"

namespace phobos::host {

/// Runs `count` ops for the lanes `mask`; words of other lanes are left alone.
void runProgram(Cta &cta, Warp &warp, const WarpOp *ops, uint32_t count, uint32_t mask);

/// LdMatrix and StMatrix.
void loadMatrices(Cta &cta, Warp &warp, const WarpOp &op);
void storeMatrices(Cta &cta, Warp &warp, const WarpOp &op);

} // namespace phobos::host
