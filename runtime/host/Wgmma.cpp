// wgmma.mma_async: the 128 threads of a warpgroup meet and the last multiplies. Results are handed over at once; for
// the race checker the operands in shared memory are being read until the group is waited for.
#include "Counting.h"
#include "Races.h"
#include "Warp.h"
#include "WgmmaOperand.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace phobos::host {
namespace {

constexpr uint32_t kRows = 64, kMaxColumns = 256, kMaxDepth = 32, kGroupLanes = 128, kGroupWarps = 4;

template <typename Scalar> struct Scratch {
  alignas(64) Scalar d[kRows][kMaxColumns], a[kRows][kMaxDepth], b[kMaxDepth][kMaxColumns];
};

/// All elements of an operand times `sign`: element (x, k) goes to out[x * strideX + k * strideK].
template <typename Scalar>
PHOBOS_INLINE void gather(const Operand &operand, Element element, uint32_t extent, uint32_t depth, Scalar sign,
                          Scalar *out, uint32_t strideX, uint32_t strideK) {
  uint32_t perChunk = kChunkBytes / operand.bytes;
  uint32_t stepX = operand.transposed ? perChunk : 1, stepK = operand.transposed ? 1 : perChunk;
  uint32_t stride = operand.transposed ? strideX : strideK; // along a chunk
  for (uint32_t x = 0; x < extent; x += stepX) {
    for (uint32_t k = 0; k < depth; k += stepK) {
      alignas(64) Scalar values[kChunkBytes];
      decodeChunk(element, operand.chunk(x, k), values);
      Scalar *to = out + x * strideX + k * strideK;
      if (stride == 1) {
        for (uint32_t i = 0; i < perChunk; ++i) {
          to[i] = sign * values[i];
        }
      } else {
        for (uint32_t i = 0; i < perChunk; ++i) {
          to[i * stride] = sign * values[i];
        }
      }
    }
  }
}

/// The product added to columns [begin, end) of the sums, as many at a time as V has elements.
template <typename V, typename Scalar>
PHOBOS_INLINE void multiplyColumns(Scratch<Scalar> &s, uint32_t begin, uint32_t end, uint32_t depth) {
  constexpr uint32_t kBlock = 4; // rows of sums in registers at a time
  for (uint32_t column = begin; column < end; column += sizeof(V) / sizeof(Scalar)) {
    for (uint32_t row = 0; row < kRows; row += kBlock) {
      V sums[kBlock];
      for (uint32_t r = 0; r < kBlock; ++r) {
        std::memcpy(&sums[r], &s.d[row + r][column], sizeof(V));
      }
      for (uint32_t k = 0; k < depth; ++k) {
        V b;
        std::memcpy(&b, &s.b[k][column], sizeof(V));
        for (uint32_t r = 0; r < kBlock; ++r) {
          sums[r] += s.a[row + r][k] * b;
        }
      }
      for (uint32_t r = 0; r < kBlock; ++r) {
        std::memcpy(&s.d[row + r][column], &sums[r], sizeof(V));
      }
    }
  }
}

template <typename Scalar> PHOBOS_INLINE void multiplyAdd(Scratch<Scalar> &s, uint32_t columns, uint32_t depth) {
  using Wide = Scalar __attribute__((vector_size(64)));
  using Narrow = Scalar __attribute__((vector_size(32)));
  uint32_t even = columns & ~15u;
  multiplyColumns<Wide>(s, 0, even, depth);
  multiplyColumns<Narrow>(s, even, columns, depth);
}

/// The accumulator eight columns of a row at a time: `visit(even, odd, place, row)`. Words of 32 bits: the even columns
/// are at even[place] and the next three, the odd ones likewise; pairs of halves: all eight are at even[place] and the
/// next three.
template <typename Scalar, typename Visit>
PHOBOS_INLINE void forSums(Warp *warps, const WgmmaOp &op, Scratch<Scalar> &s, Visit visit) {
  bool halves = op.d == Element::f16;
  for (uint32_t q = 0; q < kGroupWarps; ++q) {
    for (uint32_t block = 0; block < op.n / 4; ++block) { // 8 columns of 8 rows
      uint32_t slot = op.slotD + (halves ? block : 2 * block);
      uint32_t *even = warps[q].words[slot], *odd = warps[q].words[slot + !halves];
      for (uint32_t r = 0; r < 8; ++r) {
        visit(even, odd, 4 * r, &s.d[16 * q + 8 * (block & 1) + r][8 * (block >> 1)]);
      }
    }
  }
}

template <typename Scalar> PHOBOS_INLINE void loadSums(Warp *warps, const WgmmaOp &op, Scratch<Scalar> &s) {
  using V4 = Scalar __attribute__((vector_size(16)));
  using V8 = Scalar __attribute__((vector_size(32)));
  using H8 = _Float16 __attribute__((vector_size(16)));
  forSums(warps, op, s, [&](const uint32_t *even, const uint32_t *odd, uint32_t place, Scalar *row) {
    V8 values;
    if (op.d == Element::f16) {
      H8 halves;
      std::memcpy(&halves, even + place, sizeof halves);
      values = __builtin_convertvector(halves, V8);
    } else {
      V4 a, b;
      std::memcpy(&a, even + place, sizeof a);
      std::memcpy(&b, odd + place, sizeof b);
      values = __builtin_shufflevector(a, b, 0, 4, 1, 5, 2, 6, 3, 7);
    }
    std::memcpy(row, &values, sizeof values);
  });
}

template <typename Scalar> PHOBOS_INLINE void storeSums(Warp *warps, const WgmmaOp &op, Scratch<Scalar> &s) {
  using V8 = Scalar __attribute__((vector_size(32)));
  using H8 = _Float16 __attribute__((vector_size(16)));
  forSums(warps, op, s, [&](uint32_t *even, uint32_t *odd, uint32_t place, const Scalar *row) {
    V8 values;
    std::memcpy(&values, row, sizeof values);
    if (op.d == Element::f16) {
      H8 halves = __builtin_convertvector(values, H8);
      std::memcpy(even + place, &halves, sizeof halves);
    } else {
      auto a = __builtin_shufflevector(values, values, 0, 2, 4, 6),
           b = __builtin_shufflevector(values, values, 1, 3, 5, 7);
      std::memcpy(even + place, &a, sizeof a);
      std::memcpy(odd + place, &b, sizeof b);
    }
  });
}

/// Products added to the words themselves, clamped to 32 bits.
template <typename Scalar>
PHOBOS_INLINE void saturateSums(Warp *warps, const WgmmaOp &op, Scratch<Scalar> &s, bool fromZero) {
  forSums(warps, op, s, [&](uint32_t *even, uint32_t *odd, uint32_t place, const Scalar *row) {
    for (uint32_t i = 0; i < 8; ++i) {
      uint32_t &word = (i & 1 ? odd : even)[place + i / 2];
      int64_t whole = (fromZero ? int64_t(0) : int64_t(static_cast<int32_t>(word))) + static_cast<int32_t>(row[i]);
      word = static_cast<uint32_t>(std::clamp<int64_t>(whole, INT32_MIN, INT32_MAX));
    }
  });
}

uint64_t descriptorIn(const Warp &warp, uint32_t slot) {
  return warp.words[slot][0] | static_cast<uint64_t>(warp.words[slot + 1][0]) << 32;
}

/// For the checker: shared memory that this instruction reads, by warp.
void noteReads(SharedChecker &checker, Cta &cta, uint32_t firstWarp, const WgmmaOp &op, const Operand &operand,
               uint32_t extent, bool ownRows) {
  uint32_t perChunk = kChunkBytes / elementBytes(op.a);
  for (uint32_t q = 0; q < kGroupWarps; ++q) {
    Lane &lane = cta.lanes[(firstWarp + q) * kWarpLanes];
    uint32_t begin = ownRows ? 16 * q : 0, end = ownRows ? begin + 16 : extent;
    if (!operand.transposed) {
      for (uint32_t x = begin; x < end; ++x) {
        for (uint32_t k = 0; k < op.k; k += perChunk) {
          checker.wgmmaRead(lane, operand.chunk(x, k), kChunkBytes, op.site);
        }
      }
    } else {
      for (uint32_t k = 0; k < op.k; ++k) {
        for (uint32_t x = begin; x < end; x += perChunk) {
          checker.wgmmaRead(lane, operand.chunk(x, k), kChunkBytes, op.site);
        }
      }
    }
  }
}

/// Do two instructions of a chain have one accumulator, so that it can stay in the scratch between them?
bool sameSums(const WgmmaOp &a, const WgmmaOp &b) {
  return a.slotD == b.slotD && a.n == b.n && a.d == b.d && !((a.flags | b.flags) & kWgmmaSaturate);
}

template <typename Scalar>
PHOBOS_INLINE void run(Cta &cta, uint32_t firstWarp, const WgmmaOp &op, Scratch<Scalar> &s, bool sumsThere,
                       bool sumsStay) {
  Warp *warps = cta.warps + firstWarp;
  uint32_t size = elementBytes(op.a);
  bool zero = op.flags & kWgmmaZeroD || (op.flags & kWgmmaScaleSlot && warps[0].words[op.slotScale][0] == 0);
  bool saturate = op.flags & kWgmmaSaturate;
  if (zero || saturate) {
    for (auto &row : s.d) {
      std::memset(row, 0, op.n * sizeof(Scalar));
    }
  } else if (!sumsThere) {
    loadSums(warps, op, s);
  }
  Scalar signA = op.flags & kWgmmaNegateA ? static_cast<Scalar>(-1) : 1;
  Scalar signB = op.flags & kWgmmaNegateB ? static_cast<Scalar>(-1) : 1;
  if (op.flags & kWgmmaRegistersA) {
    uint32_t perWord = 4 / size, perRow = kChunkBytes / size;
    for (uint32_t q = 0; q < kGroupWarps; ++q) {
      for (uint32_t word = 0; word < 4; ++word) {
        for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
          auto *from = reinterpret_cast<const uint8_t *>(&warps[q].words[op.slotA + word][lane]);
          for (uint32_t i = 0; i < perWord; ++i) {
            uint32_t k = word / 2 * perRow + lane % 4 * perWord + i;
            s.a[16 * q + 8 * (word & 1) + lane / 4][k] = signA * decode<Scalar>(op.a, from + i * size);
          }
        }
      }
    }
  } else {
    Operand a = operandOf(cta.arena, descriptorIn(warps[0], op.slotA), op.flags & kWgmmaTransposeA, size);
    gather<Scalar>(a, op.a, kRows, op.k, signA, &s.a[0][0], kMaxDepth, 1);
    if (cta.checker) {
      noteReads(*cta.checker, cta, firstWarp, op, a, kRows, true);
    }
  }
  Operand b = operandOf(cta.arena, descriptorIn(warps[0], op.slotB), op.flags & kWgmmaTransposeB, size);
  gather<Scalar>(b, op.b, op.n, op.k, signB, &s.b[0][0], 1, kMaxColumns);
  if (cta.checker) {
    noteReads(*cta.checker, cta, firstWarp, op, b, op.n, false);
  }
  multiplyAdd(s, op.n, op.k);
  if (saturate) {
    saturateSums(warps, op, s, zero);
  } else if (!sumsStay) {
    storeSums(warps, op, s);
  }
}

void *scratchOf(Worker &worker) {
  static_assert(sizeof(Scratch<float>) == sizeof(Scratch<uint32_t>));
  if (!worker.wgmmaScratch) {
    worker.wgmmaScratch = std::make_unique<std::byte[]>(sizeof(Scratch<float>) + alignof(Scratch<float>));
  }
  auto at = reinterpret_cast<uintptr_t>(worker.wgmmaScratch.get());
  return reinterpret_cast<void *>((at + alignof(Scratch<float>) - 1) & ~(alignof(Scratch<float>) - 1));
}

/// All of it in versions for x86-64-v3 and v4: conversions of halves are instructions there, and calls below.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) void
runAll(Cta &cta, uint32_t firstWarp, const WgmmaOp *ops, uint32_t count, void *scratch) {
  for (uint32_t i = 0; i < count; ++i) {
    bool there = i > 0 && sameSums(ops[i - 1], ops[i]), stay = i + 1 < count && sameSums(ops[i], ops[i + 1]);
    if (ops[i].d == Element::s32) {
      run(cta, firstWarp, ops[i], *static_cast<Scratch<uint32_t> *>(scratch), there, stay);
    } else {
      run(cta, firstWarp, ops[i], *static_cast<Scratch<float> *>(scratch), there, stay);
    }
  }
}

} // namespace

namespace calls {

void wgmma(ThreadContext *thread, const WgmmaOp *ops, uint32_t count, uint32_t site) {
  Lane &lane = laneOf(thread);
  Cta &cta = *lane.cta;
  uint32_t group = lane.index / kGroupLanes;
  if (cta.checker) {
    cta.checker->wgmmaBegin(lane, site);
  }
  if (++cta.wgmmaArrived[group] < kGroupLanes) {
    return block(lane, {Waiting::For::Wgmma, site, nullptr});
  }
  cta.wgmmaArrived[group] = 0;
  ++cta.worker->counters.programs;
  cta.worker->counters.warpOps += count;
  if (Counting *counting = cta.worker->counting.get()) {
    for (uint32_t i = 0; i < count; ++i) {
      counting->instruction(ops[i].site, InstructionClass::Mma, kGroupLanes);
    }
  }
  runAll(cta, group * kGroupWarps, ops, count, scratchOf(*cta.worker));
  for (uint32_t q = 0; q < kGroupWarps; ++q) {
    wake(cta, group * kGroupWarps + q, cta.warps[group * kGroupWarps + q].alive);
  }
}

void wgmmaCommit(ThreadContext *thread, uint32_t site) {
  Lane &lane = laneOf(thread);
  ++lane.wgmmaGroups;
  lane.wgmmaSite = site;
}

void wgmmaWait(ThreadContext *thread, uint32_t pending, uint32_t site) {
  // For the checker this is what it is in hardware, an act of the whole warp: else lane 0's wait would excuse an arrive
  // of lane 1 that comes before lane 1's own.
  Lane &lane = laneOf(thread);
  SharedChecker *checker = lane.cta->checker.get();
  if (!checker) {
    return;
  }
  static const WarpOp kMeet{};
  warpProgram(thread, &kMeet, 1, ~0u);
  if (lane.wgmmaGroups > pending) {
    checker->wgmmaDone(lane, lane.wgmmaGroups - pending);
  }
}

} // namespace calls
} // namespace phobos::host
