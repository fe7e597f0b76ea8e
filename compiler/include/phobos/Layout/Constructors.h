// The layouts that instructions and memory accesses ask for, as bases. All take the padded tile shape (powers of two).
//
// Conventions. `WarpGrid{m, n}` spreads a block's warps over the tile: warp bits are first the m bits (warp % m is the
// row of the grid), then the n bits; each warp owns one contiguous piece of the tile, extent / m by extent / n. Where
// the tile has fewer pieces than the grid, the grid's highest bits of that direction are zero bases (replicas). An
// operand has zero bases for the direction it does not have. Leading (batch) dimensions before the last two are held in
// the highest register bits. Lanes are always 5 bits; a basis that would step outside the tile is zero (lanes or
// registers replicate), so the number of registers of one instruction's fragment never changes with the tile.
#pragma once

#include "phobos/Layout/LinearLayout.h"

namespace phobos::layout {

struct WarpGrid {
  unsigned m = 1, n = 1;
  unsigned size() const { return m * n; }
};

// Coalesced access: each thread holds sizePerThread[d] neighbours (register bits, fastest dimension first), lanes then
// warps go on along order[0], then order[1] …, warps along `lastForWarps` only where nothing else is left; what is left
// of the tile repeats in registers, fastest dimension first.
LinearLayout blocked(llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<int32_t> sizePerThread,
                     llvm::ArrayRef<unsigned> order, unsigned numWarps,
                     std::optional<unsigned> lastForWarps = std::nullopt);
// blocked() with the widest vector along order[0] that 16 bytes, `maxVector` elements, the extent and keeping every
// thread busy allow.
LinearLayout blockedForAccess(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                              unsigned numWarps, unsigned maxVector = 128,
                              std::optional<unsigned> lastForWarps = std::nullopt);

// --- tensor cores: mma.sync
// One mma.sync m16n8k<k> shape. `k` is 4 or 8 words of 32 bits: f16/bf16 k8 (sm_75) and k16, tf32 k4 and k8, 8-bit k16
// and k32. kWidth: neighbouring k that one lane holds, at least one word's worth (the hardware's own order, the default
// 0); more permutes k alike in A and B, which changes no sum but widens the lane's vector.
struct MmaShape {
  unsigned elemBits = 16, k = 16, kWidth = 0;
  unsigned perWord() const { return 32 / elemBits; }
  unsigned registersA() const { return 2 * k / 4; } // elements a lane holds of one 16 x k operand
  unsigned registersB() const { return k / 4; }     // of one k x 8 operand
  static constexpr unsigned kRegistersC = 4;
};

// f32, f16 or s32 sums. Registers: [0,1], [8,0]; then along n: [0,8], [0,16] … to the end of the warp's piece; then
// along m: [16,0] …. So register number = ((mi * NI) + ni) * 4 + e. Lanes: [0,2], [0,4], [1,0], [2,0], [4,0].
LinearLayout mmaAccumulator(llvm::ArrayRef<int32_t> shape, WarpGrid warps);
// A is [M, K], B is [K, N]. Registers: those of one instruction in its own order, then along m (n for B), then k steps
// outermost: register number = ((ks * MI) + mi) * registersA() + e, so one k step is one contiguous range. K must be at
// least one instruction's.
LinearLayout mmaOperandA(llvm::ArrayRef<int32_t> shape, MmaShape mma, WarpGrid warps);
LinearLayout mmaOperandB(llvm::ArrayRef<int32_t> shape, MmaShape mma, WarpGrid warps);

// --- Hopper
// m64nN: warps of a warpgroup own 16 rows each (warp bits [16,0], [32,0]), then warpgroups as `groups` spreads them.
// Registers as mmaAccumulator with m steps of 64. M must be at least 64 a warpgroup row.
LinearLayout wgmmaAccumulator(llvm::ArrayRef<int32_t> shape, WarpGrid groups);
// A from registers, [M, K]: fragments as mmaOperandA with m steps of 64, k steps outermost; mma.k is 8 words.
LinearLayout wgmmaOperandA(llvm::ArrayRef<int32_t> shape, MmaShape mma, WarpGrid groups);

// --- FFMA register tiles
// A thread's tile is TM x TN, TM = M / (4 * warps.m), TN = N / (8 * warps.n), in quads of 4 (fewer if TM or TN is): a
// warp is 4 x 8 lanes in z-order (lane bits 0 and 4 choose the row, 1 to 3 the column), rows 4*lm + 16*i + 0..3,
// columns 4*ln + 32*j + 0..3. Registers: columns (1, 2, 32, 64 …), then rows (1, 2, 16, 32 …): register number = i * TN
// + j over the thread's own tile.
LinearLayout fmaAccumulator(llvm::ArrayRef<int32_t> shape, WarpGrid warps);
// A [M, K] and B [K, N] of the same thread tile: registers along m (n for B), then k outermost; lanes of the other
// direction replicate.
LinearLayout fmaOperandA(llvm::ArrayRef<int32_t> shape, WarpGrid warps);
LinearLayout fmaOperandB(llvm::ArrayRef<int32_t> shape, WarpGrid warps);

} // namespace phobos::layout
