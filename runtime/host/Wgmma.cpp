// wgmma.mma_async: the 128 threads of a warpgroup meet and the last multiplies. Results are handed over at once; for
// the race checker the operands in shared memory are being read until the group is waited for.
#include "Elements.h"
#include "Races.h"
#include "Warp.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace phobos::host {
namespace {

constexpr uint32_t kRows = 64, kMaxColumns = 256, kMaxDepth = 32, kGroupLanes = 128, kGroupWarps = 4;
constexpr uint32_t kDescriptorAddressBits = 18;
constexpr uint32_t kChunkBytes = 16;

using F8 = float __attribute__((vector_size(32)));
using U32x8 = uint32_t __attribute__((vector_size(32)));

/// An operand in shared memory, as a descriptor says (PTX ISA, "Matrix descriptor format").
class Operand {
public:
  Operand(const uint8_t *arena, uint64_t descriptor, bool transposed, uint32_t bytes)
      : base(arena + (field(descriptor, 0) & ((1u << kDescriptorAddressBits) - 1))), leading(field(descriptor, 16)),
        stride(field(descriptor, 32)), transposed(transposed), bytes(bytes) {
    uint32_t mode = static_cast<uint32_t>(descriptor >> 62);
    width = mode == 0 ? kChunkBytes : 256u >> mode; // a row of the swizzle pattern: 128, 64 or 32 bytes
    mask = mode == 0 ? 0 : (width / kChunkBytes) - 1;
    swizzled = mode != 0;
  }

  /// The 16 bytes that begin with element (x, k), x along M or N: along k, or along x if it is transposed.
  const uint8_t *chunk(uint32_t x, uint32_t k) const {
    uint32_t offset;
    if (!transposed) {
      uint32_t at = k * bytes;
      offset = x / 8 * stride + x % 8 * width + (swizzled ? at : at / kChunkBytes * leading);
    } else {
      uint32_t perRow = width / bytes;
      uint32_t alongX = swizzled ? leading : stride, alongK = swizzled ? stride : leading;
      offset = x / perRow * alongX + k / 8 * alongK + k % 8 * width + x % perRow * bytes;
    }
    auto place = reinterpret_cast<uintptr_t>(base) + offset;
    place ^= (place >> 7 & mask) << 4;
    return reinterpret_cast<const uint8_t *>(place);
  }
  bool isTransposed() const { return transposed; }

private:
  static uint32_t field(uint64_t descriptor, unsigned bit) {
    return static_cast<uint32_t>(descriptor >> bit & 0x3fff) * kChunkBytes;
  }

  const uint8_t *base;
  uint32_t leading, stride, width, mask;
  bool transposed, swizzled;
  uint32_t bytes;
};

float decodeF8(uint8_t code, unsigned exponentBits) {
  unsigned mantissaBits = 7 - exponentBits;
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = code >> mantissaBits & ((1 << exponentBits) - 1), mantissa = code & ((1 << mantissaBits) - 1);
  float sign = code & 0x80 ? -1.0f : 1.0f;
  bool top = exponent == (1 << exponentBits) - 1;
  if (exponentBits == 5 && top) {
    return mantissa ? __builtin_nanf("") : sign * __builtin_inff();
  }
  if (exponentBits == 4 && top && mantissa == 7) {
    return __builtin_nanf("");
  }
  float value = static_cast<float>(exponent ? mantissa + (1 << mantissaBits) : mantissa);
  return sign * __builtin_ldexpf(value, (exponent ? exponent : 1) - bias - static_cast<int>(mantissaBits));
}

/// One element as a number to multiply: a float, or an integer's low 32 bits.
template <typename Scalar> Scalar decode(Element element, const uint8_t *from) {
  if constexpr (std::is_same_v<Scalar, float>) {
    switch (element) {
    case Element::f16: {
      _Float16 half;
      std::memcpy(&half, from, sizeof half);
      return static_cast<float>(half);
    }
    case Element::bf16: {
      uint16_t bits;
      std::memcpy(&bits, from, sizeof bits);
      return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
    }
    case Element::tf32: {
      uint32_t bits;
      std::memcpy(&bits, from, sizeof bits);
      return __builtin_bit_cast(float, bits & 0xffffe000);
    }
    case Element::e4m3:
      return decodeF8(*from, 4);
    default:
      return decodeF8(*from, 5);
    }
  } else {
    return element == Element::u8 ? *from : static_cast<uint32_t>(static_cast<int8_t>(*from));
  }
}

/// The elements of one chunk, converted.
template <typename Scalar> void decodeChunk(Element element, const uint8_t *from, Scalar *out) {
  if constexpr (std::is_same_v<Scalar, float>) {
    if (element == Element::f16) {
      using H8 = _Float16 __attribute__((vector_size(16)));
      H8 halves;
      std::memcpy(&halves, from, sizeof halves);
      F8 floats = __builtin_convertvector(halves, F8);
      std::memcpy(out, &floats, sizeof floats);
      return;
    }
  }
  uint32_t size = elementBytes(element);
  for (uint32_t i = 0; i < kChunkBytes / size; ++i) {
    out[i] = decode<Scalar>(element, from + i * size);
  }
}

template <typename Scalar> struct Scratch {
  alignas(64) Scalar d[kRows][kMaxColumns], a[kRows][kMaxDepth], b[kMaxDepth][kMaxColumns];
};

/// Element (x, k) for all x, k of an operand: `put(x, k, value)`.
template <typename Scalar, typename Put>
void gather(const Operand &operand, Element element, uint32_t extent, uint32_t depth, Put put) {
  uint32_t perChunk = kChunkBytes / elementBytes(element);
  Scalar values[kChunkBytes];
  if (!operand.isTransposed()) {
    for (uint32_t x = 0; x < extent; ++x) {
      for (uint32_t k = 0; k < depth; k += perChunk) {
        decodeChunk(element, operand.chunk(x, k), values);
        for (uint32_t i = 0; i < perChunk; ++i) {
          put(x, k + i, values[i]);
        }
      }
    }
    return;
  }
  for (uint32_t k = 0; k < depth; ++k) {
    for (uint32_t x = 0; x < extent; x += perChunk) {
      decodeChunk(element, operand.chunk(x, k), values);
      for (uint32_t i = 0; i < perChunk; ++i) {
        put(x + i, k, values[i]);
      }
    }
  }
}

template <typename Scalar>
[[gnu::always_inline]] inline void multiplyAdd(Scratch<Scalar> &s, uint32_t columns, uint32_t depth) {
  using V = std::conditional_t<std::is_same_v<Scalar, float>, F8, U32x8>;
  constexpr uint32_t kBlock = 4; // rows of sums in registers at a time
  for (uint32_t row = 0; row < kRows; row += kBlock) {
    for (uint32_t column = 0; column < columns; column += 8) {
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

#define PHOBOS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
PHOBOS_CLONES void multiplyFloats(Scratch<float> &s, uint32_t columns, uint32_t depth) {
  multiplyAdd(s, columns, depth);
}
PHOBOS_CLONES void multiplyInts(Scratch<uint32_t> &s, uint32_t columns, uint32_t depth) {
  multiplyAdd(s, columns, depth);
}

/// The accumulator's words to rows and columns, or back.
template <typename Scalar, typename Visit>
void forSums(Warp *warps, const WgmmaOp &op, Scratch<Scalar> &s, Visit visit) {
  for (uint32_t q = 0; q < kGroupWarps; ++q) {
    for (uint32_t i = 0; i < op.n / 2; ++i) {
      for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
        Scalar &sum = s.d[16 * q + 8 * (i >> 1 & 1) + lane / 4][8 * (i >> 2) + lane % 4 * 2 + (i & 1)];
        visit(warps[q], i, lane, sum);
      }
    }
  }
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
    if (!operand.isTransposed()) {
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
void run(Cta &cta, uint32_t firstWarp, const WgmmaOp &op, Scratch<Scalar> &s, bool sumsThere, bool sumsStay) {
  constexpr bool kFloat = std::is_same_v<Scalar, float>;
  Warp *warps = cta.warps + firstWarp;
  uint32_t size = elementBytes(op.a);
  bool zero = op.flags & kWgmmaZeroD || (op.flags & kWgmmaScaleSlot && warps[0].words[op.slotScale][0] == 0);
  bool halves = op.d == Element::f16, saturate = op.flags & kWgmmaSaturate;
  if (zero || saturate) {
    for (auto &row : s.d) {
      std::memset(row, 0, op.n * sizeof(Scalar));
    }
  } else if (!sumsThere) {
    forSums(warps, op, s, [&](Warp &warp, uint32_t i, uint32_t lane, Scalar &sum) {
      if (!halves) {
        std::memcpy(&sum, &warp.words[op.slotD + i][lane], sizeof sum);
      } else if constexpr (kFloat) {
        sum = decode<float>(Element::f16, reinterpret_cast<uint8_t *>(&warp.words[op.slotD + i / 2][lane]) + i % 2 * 2);
      }
    });
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
    Operand a(cta.arena, descriptorIn(warps[0], op.slotA), op.flags & kWgmmaTransposeA, size);
    gather<Scalar>(a, op.a, kRows, op.k, [&](uint32_t x, uint32_t k, Scalar value) { s.a[x][k] = signA * value; });
    if (cta.checker) {
      noteReads(*cta.checker, cta, firstWarp, op, a, kRows, true);
    }
  }
  Operand b(cta.arena, descriptorIn(warps[0], op.slotB), op.flags & kWgmmaTransposeB, size);
  gather<Scalar>(b, op.b, op.n, op.k, [&](uint32_t x, uint32_t k, Scalar value) { s.b[k][x] = signB * value; });
  if (cta.checker) {
    noteReads(*cta.checker, cta, firstWarp, op, b, op.n, false);
  }
  if constexpr (kFloat) {
    multiplyFloats(s, op.n, op.k);
  } else {
    multiplyInts(s, op.n, op.k);
  }
  if (sumsStay) {
    return;
  }
  forSums(warps, op, s, [&](Warp &warp, uint32_t i, uint32_t lane, Scalar &sum) {
    if (saturate) {
      uint32_t &word = warp.words[op.slotD + i][lane];
      int64_t whole = (zero ? int64_t(0) : int64_t(static_cast<int32_t>(word))) + static_cast<int32_t>(sum);
      word = static_cast<uint32_t>(std::clamp<int64_t>(whole, INT32_MIN, INT32_MAX));
    } else if (!halves) {
      std::memcpy(&warp.words[op.slotD + i][lane], &sum, sizeof sum);
    } else if constexpr (kFloat) {
      _Float16 half = static_cast<_Float16>(sum);
      std::memcpy(reinterpret_cast<uint8_t *>(&warp.words[op.slotD + i / 2][lane]) + i % 2 * 2, &half, sizeof half);
    }
  });
}

template <typename Scalar> Scratch<Scalar> &scratchOf(Worker &worker) {
  static_assert(sizeof(Scratch<float>) == sizeof(Scratch<uint32_t>));
  if (!worker.wgmmaScratch) {
    worker.wgmmaScratch = std::make_unique<std::byte[]>(sizeof(Scratch<float>) + alignof(Scratch<float>));
  }
  auto at = reinterpret_cast<uintptr_t>(worker.wgmmaScratch.get());
  return *reinterpret_cast<Scratch<Scalar> *>((at + 63) & ~uintptr_t(63));
}

} // namespace

namespace calls {

void wgmma(ThreadContext *thread, const WgmmaOp *ops, uint32_t count, uint32_t site) {
  Lane &lane = laneOf(thread);
  Cta &cta = *lane.cta;
  uint32_t group = lane.index / kGroupLanes;
  if (++cta.wgmmaArrived[group] < kGroupLanes) {
    return block(lane, {Waiting::For::Wgmma, site, nullptr});
  }
  cta.wgmmaArrived[group] = 0;
  ++cta.worker->counters.programs;
  cta.worker->counters.warpOps += count;
  for (uint32_t i = 0; i < count; ++i) {
    bool there = i > 0 && sameSums(ops[i - 1], ops[i]), stay = i + 1 < count && sameSums(ops[i], ops[i + 1]);
    if (ops[i].d == Element::s32) {
      run(cta, group * kGroupWarps, ops[i], scratchOf<uint32_t>(*cta.worker), there, stay);
    } else {
      run(cta, group * kGroupWarps, ops[i], scratchOf<float>(*cta.worker), there, stay);
    }
  }
  for (uint32_t q = 0; q < kGroupWarps; ++q) {
    wake(cta, group * kGroupWarps + q, cta.warps[group * kGroupWarps + q].alive);
  }
}

void wgmmaCommit(ThreadContext *thread, uint32_t) { ++laneOf(thread).wgmmaGroups; }

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
