// Texts of inline PTX that one conversion writes and another one reads.
#ifndef PHOBOS_CONVERSION_INLINEPTX_H
#define PHOBOS_CONVERSION_INLINEPTX_H

#include "llvm/ADT/StringRef.h"

namespace phobos::lowering {

/// Begins a use of registers that never happens, under `p` (dot.keep). No grid is as deep, which ptxas does not know.
inline constexpr llvm::StringLiteral kKeepPtx =
    "{ .reg .pred p; .reg .b32 t; mov.u32 t, %nctaid.z; setp.eq.u32 p, t, 0xffffffff;";

} // namespace phobos::lowering

#endif
