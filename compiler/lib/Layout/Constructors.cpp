// The layouts of instructions and accesses, each as the few bases that the ISA's fragment tables come down to.
#include "phobos/Layout/Constructors.h"
#include <algorithm>
#include <cassert>

namespace phobos::layout {

namespace {

// Collects bases. One that would leave the tile is zero: what is there repeats what is inside.
struct Builder {
  LinearLayout tile; // of the shape only: for flatten()
  Flats reg, lane, warp;

  explicit Builder(llvm::ArrayRef<int32_t> shape) : tile(LinearLayout::fromFlat(shape, {}, {}, {})) {}

  uint32_t along(unsigned dim, int64_t step) const {
    return step < tile.shape()[dim] ? uint32_t(step) << tile.dimShift(dim) : 0;
  }
  // Registers along `dim` in steps from `first` up to `end`, doubling.
  void registers(unsigned dim, int64_t first, int64_t end) {
    for (int64_t step = first; step < end; step *= 2) {
      reg.push_back(along(dim, step));
    }
  }
  // The grid's m bits, then its n bits; a direction whose dimension is absent (or has no more pieces) replicates.
  void warps(WarpGrid grid, std::optional<unsigned> dimM, int64_t pieceM, std::optional<unsigned> dimN,
             int64_t pieceN) {
    for (unsigned bit = 0; bit < log2Exact(grid.m); ++bit) {
      warp.push_back(dimM ? along(*dimM, pieceM << bit) : 0);
    }
    for (unsigned bit = 0; bit < log2Exact(grid.n); ++bit) {
      warp.push_back(dimN ? along(*dimN, pieceN << bit) : 0);
    }
  }
  LinearLayout finish(unsigned used = 2) {
    for (unsigned d = tile.rank() - used; d-- > 0;) { // leading dimensions
      registers(d, 1, tile.shape()[d]);
    }
    return LinearLayout::fromFlat(tile.shape(), reg, lane, warp);
  }
};

} // namespace

// Extent of one warp's piece: the tile's extent over as many of the grid's parts as have `least` each.
static int64_t pieceOf(int32_t extent, unsigned parts, int32_t least) {
  return extent / std::min<int64_t>(parts, std::max(1, extent / least));
}

LinearLayout blocked(llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<int32_t> sizePerThread,
                     llvm::ArrayRef<unsigned> order, unsigned numWarps, std::optional<unsigned> lastForWarps) {
  assert(sizePerThread.size() == shape.size() && order.size() == shape.size());
  Builder b(shape);
  llvm::SmallVector<int64_t, 4> next(shape.size(), 1); // the lowest coordinate bit of each dimension not yet given away
  for (unsigned d : order) {
    int64_t end = std::min(sizePerThread[d], shape[d]);
    b.registers(d, 1, end);
    next[d] = std::max<int64_t>(1, end);
  }
  auto spread = [&](Flats &to, unsigned bits, llvm::ArrayRef<unsigned> along) {
    for (unsigned d : along) {
      for (; bits > 0 && next[d] < shape[d]; next[d] *= 2, --bits) {
        to.push_back(b.along(d, next[d]));
      }
    }
    to.append(bits, 0);
  };
  spread(b.lane, 5, order);
  llvm::SmallVector<unsigned, 4> forWarps;
  for (bool last : {false, true}) {
    llvm::copy_if(order, std::back_inserter(forWarps), [&](unsigned d) { return (d == lastForWarps) == last; });
  }
  spread(b.warp, log2Exact(numWarps), forWarps);
  for (unsigned d : order) {
    b.registers(d, next[d], shape[d]);
  }
  return LinearLayout::fromFlat(shape, b.reg, b.lane, b.warp);
}

LinearLayout blockedForAccess(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                              unsigned numWarps, unsigned maxVector, std::optional<unsigned> lastForWarps) {
  Coords sizePerThread(shape.size(), 1);
  if (!shape.empty()) {
    int64_t total = 1;
    for (int32_t extent : shape) {
      total *= extent;
    }
    int64_t vector = std::min<int64_t>({std::max(1u, 128 / elemBits), maxVector, shape[order[0]]});
    vector = std::min(vector, std::max<int64_t>(1, total / (int64_t(kWarpSize) * numWarps)));
    sizePerThread[order[0]] = int32_t(vector);
  }
  return blocked(shape, sizePerThread, order, numWarps, lastForWarps);
}

// --- tensor cores
// Rows of `stepM` an instruction: 16 for mma.sync, 64 for wgmma, whose four warps take 16 rows each.
static LinearLayout accumulator(llvm::ArrayRef<int32_t> shape, WarpGrid grid, int32_t stepM) {
  assert(shape.size() >= 2);
  Builder b(shape);
  unsigned m = shape.size() - 2, n = m + 1;
  int64_t pieceM = pieceOf(shape[m], grid.m, stepM), pieceN = pieceOf(shape[n], grid.n, 8);
  b.reg = {b.along(n, 1), b.along(m, 8)};
  b.registers(n, 8, pieceN);
  b.registers(m, stepM, pieceM);
  b.lane = {b.along(n, 2), b.along(n, 4), b.along(m, 1), b.along(m, 2), b.along(m, 4)};
  if (stepM == 64) {
    b.warp = {b.along(m, 16), b.along(m, 32)};
  }
  b.warps(grid, m, pieceM, n, pieceN);
  return b.finish();
}

// The k steps of an operand: registers within a word, the second half of an instruction's k, and what later
// instructions take. A lane holds kWidth neighbours, four lanes follow each other, then it goes on.
namespace {
struct KSteps {
  llvm::SmallVector<int64_t, 8> word, half, later;
  int64_t lane0, lane1;
};
} // namespace

static KSteps kSteps(int32_t extentK, MmaShape mma) {
  int64_t width = mma.kWidth ? mma.kWidth : mma.perWord();
  assert(width >= mma.perWord() && isPowerOf2(width) && "kWidth fills whole words");
  assert((mma.k == 4 * mma.perWord() || mma.k == 8 * mma.perWord()) && "no such mma shape");
  assert(extentK >= std::max<int64_t>(mma.k, 4 * width) && "K is shorter than one instruction: pad it");
  KSteps out;
  out.lane0 = width;
  out.lane1 = 2 * width;
  int64_t inInstruction = mma.perWord();
  for (int64_t step = 1; step < extentK; step *= 2) {
    if (step == width || step == 2 * width) {
      continue; // the lanes'
    }
    bool inWord = inInstruction > 1, inHalf = !inWord && out.half.empty() && mma.k == 8 * mma.perWord();
    (inWord ? out.word : inHalf ? out.half : out.later).push_back(step);
    inInstruction = std::max<int64_t>(1, inInstruction / 2);
  }
  return out;
}

static LinearLayout operandA(llvm::ArrayRef<int32_t> shape, MmaShape mma, WarpGrid grid, int32_t stepM) {
  assert(shape.size() >= 2);
  Builder b(shape);
  unsigned m = shape.size() - 2, k = m + 1;
  int64_t pieceM = pieceOf(shape[m], grid.m, stepM);
  KSteps steps = kSteps(shape[k], mma);
  for (int64_t step : steps.word) {
    b.reg.push_back(b.along(k, step));
  }
  b.reg.push_back(b.along(m, 8));
  for (int64_t step : steps.half) {
    b.reg.push_back(b.along(k, step));
  }
  b.registers(m, stepM, pieceM);
  for (int64_t step : steps.later) {
    b.reg.push_back(b.along(k, step));
  }
  b.lane = {b.along(k, steps.lane0), b.along(k, steps.lane1), b.along(m, 1), b.along(m, 2), b.along(m, 4)};
  if (stepM == 64) {
    b.warp = {b.along(m, 16), b.along(m, 32)};
  }
  b.warps(grid, m, pieceM, std::nullopt, 0);
  return b.finish();
}

LinearLayout mmaAccumulator(llvm::ArrayRef<int32_t> shape, WarpGrid warps) { return accumulator(shape, warps, 16); }

LinearLayout wgmmaAccumulator(llvm::ArrayRef<int32_t> shape, WarpGrid groups) {
  assert(shape[shape.size() - 2] >= 64 && "a warpgroup's tile has 64 rows: pad M");
  return accumulator(shape, groups, 64);
}

LinearLayout mmaOperandA(llvm::ArrayRef<int32_t> shape, MmaShape mma, WarpGrid warps) {
  return operandA(shape, mma, warps, 16);
}

LinearLayout wgmmaOperandA(llvm::ArrayRef<int32_t> shape, MmaShape mma, WarpGrid groups) {
  assert(shape[shape.size() - 2] >= 64 && "a warpgroup's tile has 64 rows: pad M");
  return operandA(shape, mma, groups, 64);
}

LinearLayout mmaOperandB(llvm::ArrayRef<int32_t> shape, MmaShape mma, WarpGrid warps) {
  assert(shape.size() >= 2);
  Builder b(shape);
  unsigned k = shape.size() - 2, n = k + 1;
  int64_t pieceN = pieceOf(shape[n], warps.n, 8);
  KSteps steps = kSteps(shape[k], mma);
  for (int64_t step : steps.word) {
    b.reg.push_back(b.along(k, step));
  }
  for (int64_t step : steps.half) {
    b.reg.push_back(b.along(k, step));
  }
  b.registers(n, 8, pieceN);
  for (int64_t step : steps.later) {
    b.reg.push_back(b.along(k, step));
  }
  b.lane = {b.along(k, steps.lane0), b.along(k, steps.lane1), b.along(n, 1), b.along(n, 2), b.along(n, 4)};
  b.warps(warps, std::nullopt, 0, n, pieceN);
  return b.finish();
}

// --- FFMA register tiles
namespace {

// One direction of a thread tile: `piece` of the warp over `lanes` lanes, in quads.
struct FmaDirection {
  int64_t piece, quad;
  unsigned lanes;
  FmaDirection(int32_t extent, unsigned parts, unsigned lanes)
      : piece(pieceOf(extent, parts, int32_t(lanes))), lanes(lanes) {
    quad = std::min<int64_t>(4, std::max<int64_t>(1, piece / lanes));
  }
  void registers(Builder &b, unsigned dim) const {
    b.registers(dim, 1, quad);
    b.registers(dim, quad * lanes, piece);
  }
};

} // namespace

static constexpr unsigned kFmaLanesM = 4, kFmaLanesN = 8;

// Lane bits in z-order: bit 0 and 4 along the rows, 1 to 3 along the columns.
static void fmaLanes(Builder &b, std::optional<unsigned> dimM, int64_t quadM, std::optional<unsigned> dimN,
                     int64_t quadN) {
  auto row = [&](int64_t step) { return dimM ? b.along(*dimM, step) : 0; };
  auto column = [&](int64_t step) { return dimN ? b.along(*dimN, step) : 0; };
  b.lane = {row(quadM), column(quadN), column(2 * quadN), column(4 * quadN), row(2 * quadM)};
}

LinearLayout fmaAccumulator(llvm::ArrayRef<int32_t> shape, WarpGrid warps) {
  assert(shape.size() >= 2);
  Builder b(shape);
  unsigned m = shape.size() - 2, n = m + 1;
  FmaDirection rows(shape[m], warps.m, kFmaLanesM), columns(shape[n], warps.n, kFmaLanesN);
  columns.registers(b, n);
  rows.registers(b, m);
  fmaLanes(b, m, rows.quad, n, columns.quad);
  b.warps(warps, m, rows.piece, n, columns.piece);
  return b.finish();
}

LinearLayout fmaOperandA(llvm::ArrayRef<int32_t> shape, WarpGrid warps) {
  assert(shape.size() >= 2);
  Builder b(shape);
  unsigned m = shape.size() - 2, k = m + 1;
  FmaDirection rows(shape[m], warps.m, kFmaLanesM);
  rows.registers(b, m);
  b.registers(k, 1, shape[k]);
  fmaLanes(b, m, rows.quad, std::nullopt, 0);
  b.warps(warps, m, rows.piece, std::nullopt, 0);
  return b.finish();
}

LinearLayout fmaOperandB(llvm::ArrayRef<int32_t> shape, WarpGrid warps) {
  assert(shape.size() >= 2);
  Builder b(shape);
  unsigned k = shape.size() - 2, n = k + 1;
  FmaDirection columns(shape[n], warps.n, kFmaLanesN);
  columns.registers(b, n);
  b.registers(k, 1, shape[k]);
  fmaLanes(b, std::nullopt, 0, n, columns.quad);
  b.warps(warps, std::nullopt, 0, n, columns.piece);
  return b.finish();
}

} // namespace phobos::layout
