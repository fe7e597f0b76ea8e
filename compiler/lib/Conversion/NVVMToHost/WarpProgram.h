// Warp programs: the warp ops of a block in one table, so that the lanes meet once for all of them.
//
// The program runs where its first op stood. Ops between its ops that need none of its results move above it; ops that
// do, and those with effects, stay behind it. So a later warp op is taken into the program only if nothing that stays
// behind must come before it: see Effect. Where a warp op needs arithmetic on an earlier one's result (the additions
// between the shuffles of a reduction), the program does that too, for all lanes at once.
#pragma once

#include "KernelToHost.h"

namespace phobos::tohost {

/// What a warp op does to shared memory.
enum class Effect : uint8_t { None, Reads, Writes, Orders };

/// A warp op as an entry of a program: its kind, its operand words and how many words it gives.
struct WarpEntry {
  host::WarpOp op = {};
  SmallVector<Value, 12> operands; // each one word, but see `immediates`
  unsigned results = 0;            // words, one after the other
  int inPlace = -1;                // result i may take the slot of operand inPlace + i
  bool immediates = false;         // operands may be constants in the table
  Value mask;                      // null: all lanes
  Effect effect = Effect::None;
};

/// Nothing: not a warp op, or of a form that the simulator lacks.
std::optional<WarpEntry> describeWarpOp(Operation *op);
std::optional<WarpEntry> describeMatrixOp(Operation *op);
/// Lane-wise arithmetic on words that a program can do.
std::optional<WarpEntry> describeLaneOp(Operation *op);

} // namespace phobos::tohost
