// The ops of a warp program, 32 lanes at a time, in versions for x86-64-v3 and v4.
#include "Mma.h"
#include "Races.h"
#include "Warp.h"

#include <bit>
#include <cmath>

namespace phobos::host {
namespace {

constexpr uint32_t kLanes = kWarpLanes;
constexpr uint32_t kCanonicalNaN = 0x7fffffff; // what PTX gives where it promises a NaN

#define PHOBOS_INLINE [[gnu::always_inline]] inline

PHOBOS_INLINE float maxNum(float a, float b) {
  if (a != a) {
    return b != b ? std::bit_cast<float>(kCanonicalNaN) : b;
  }
  // Equal values have equal bits, but for the zeros.
  return b != b || a > b ? a
         : b > a         ? b
                         : std::bit_cast<float>(std::bit_cast<uint32_t>(a) & std::bit_cast<uint32_t>(b));
}
PHOBOS_INLINE float minNum(float a, float b) {
  if (a != a) {
    return b != b ? std::bit_cast<float>(kCanonicalNaN) : b;
  }
  return b != b || a < b ? a
         : b < a         ? b
                         : std::bit_cast<float>(std::bit_cast<uint32_t>(a) | std::bit_cast<uint32_t>(b));
}
PHOBOS_INLINE float maximum(float a, float b) {
  return a != a || b != b ? std::bit_cast<float>(kCanonicalNaN) : maxNum(a, b);
}
PHOBOS_INLINE float minimum(float a, float b) {
  return a != a || b != b ? std::bit_cast<float>(kCanonicalNaN) : minNum(a, b);
}

/// One op at work.
struct Machine {
  LaneWords *words;
  const WarpOp &op;
  uint32_t mask;
  LaneWords immediates[3];

  PHOBOS_INLINE Machine(Warp &warp, const WarpOp &op, uint32_t mask) : words(warp.words), op(op), mask(mask) {}

  template <typename T> PHOBOS_INLINE const T *operand(int i) {
    if (op.in[i] & kImmediate) [[unlikely]] {
      for (uint32_t &word : immediates[i]) {
        word = static_cast<uint32_t>(immediateValue(op.in[i]));
      }
      return reinterpret_cast<const T *>(immediates[i]);
    }
    return reinterpret_cast<const T *>(words[op.in[i]]);
  }
  PHOBOS_INLINE void result(int i, const uint32_t *values) {
    uint32_t *out = words[op.out[i]];
    if (mask == ~0u) [[likely]] {
      __builtin_memcpy(out, values, sizeof(LaneWords));
      return;
    }
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      out[lane] = mask >> lane & 1 ? values[lane] : out[lane];
    }
  }
  PHOBOS_INLINE void uniform(int i, uint32_t value) {
    LaneWords values;
    for (uint32_t &word : values) {
      word = value;
    }
    result(i, values);
  }

  /// out[0] = f(lane-th words of in[0], in[1]).
  template <typename T, typename F> PHOBOS_INLINE void lanes(F f) {
    const T *a = operand<T>(0), *b = operand<T>(1);
    T values[kLanes];
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      values[lane] = f(a[lane], b[lane]);
    }
    result(0, reinterpret_cast<const uint32_t *>(values));
  }

  /// out[0] = f over the lanes of the mask.
  template <typename T, typename F> PHOBOS_INLINE void reduce(T neutral, F f) {
    const T *a = operand<T>(0);
    T sum = neutral;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (mask >> lane & 1) {
        sum = f(sum, a[lane]);
      }
    }
    uniform(0, std::bit_cast<uint32_t>(sum));
  }
  template <typename F> PHOBOS_INLINE void reduceFloat(F ignoringNaN, F withNaN) {
    const float *a = operand<float>(0);
    float best = std::bit_cast<float>(kCanonicalNaN);
    bool first = true;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (mask >> lane & 1) {
        float value = op.flags & kReduxAbs ? std::fabs(a[lane]) : a[lane];
        best = first ? value : op.flags & kReduxNaN ? withNaN(best, value) : ignoringNaN(best, value);
        first = false;
      }
    }
    uniform(0, best != best ? kCanonicalNaN : std::bit_cast<uint32_t>(best));
  }

  PHOBOS_INLINE uint32_t ballot() {
    const uint32_t *a = operand<uint32_t>(0);
    uint32_t set = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      set |= (a[lane] & 1) << lane;
    }
    return set & mask;
  }

  void match(bool all) {
    const uint32_t *low = operand<uint32_t>(0), *high = op.num > 1 ? operand<uint32_t>(1) : low;
    LaneWords values = {};
    bool same = true;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      for (uint32_t other = 0; other < kLanes; ++other) {
        bool equal = low[lane] == low[other] && high[lane] == high[other];
        values[lane] |= static_cast<uint32_t>(equal) << other;
      }
      values[lane] &= mask;
      same &= !(mask >> lane & 1) || values[lane] == mask;
    }
    if (!all) {
      return result(0, values);
    }
    uniform(0, same ? mask : 0);
    uniform(1, same);
  }

  void shuffle() {
    const uint32_t *value = operand<uint32_t>(0), *by = operand<uint32_t>(1), *clampAndSegment = operand<uint32_t>(2);
    LaneWords values, inRange;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      uint32_t b = by[lane] & 31, clamp = clampAndSegment[lane] & 31, segment = clampAndSegment[lane] >> 8 & 31;
      uint32_t low = lane & segment, most = low | (clamp & ~segment);
      int32_t from;
      bool good;
      switch (op.kind) {
      case WarpKind::ShflUp:
        from = static_cast<int32_t>(lane) - static_cast<int32_t>(b);
        good = from >= static_cast<int32_t>(most);
        break;
      case WarpKind::ShflDown:
        from = static_cast<int32_t>(lane + b);
        good = from <= static_cast<int32_t>(most);
        break;
      case WarpKind::ShflBfly:
        from = static_cast<int32_t>(lane ^ b);
        good = from <= static_cast<int32_t>(most);
        break;
      default:
        from = static_cast<int32_t>(low | (b & ~segment));
        good = from <= static_cast<int32_t>(most);
      }
      values[lane] = value[good ? from : static_cast<int32_t>(lane)];
      inRange[lane] = good;
    }
    result(0, values);
    if (op.num > 1) {
      result(1, inRange);
    }
  }

  template <uint32_t kDistance> PHOBOS_INLINE void butterfly() {
    const uint32_t *value = operand<uint32_t>(0);
    LaneWords values;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      values[lane] = value[lane ^ kDistance];
    }
    result(0, values);
  }
  /// The common case of a reduction; false if it is another.
  PHOBOS_INLINE bool wholeButterfly() {
    if (op.num > 1 || op.in[2] != immediateOperand(31)) {
      return false;
    }
    switch (op.in[1]) {
    case immediateOperand(1):
      butterfly<1>();
      return true;
    case immediateOperand(2):
      butterfly<2>();
      return true;
    case immediateOperand(4):
      butterfly<4>();
      return true;
    case immediateOperand(8):
      butterfly<8>();
      return true;
    case immediateOperand(16):
      butterfly<16>();
      return true;
    default:
      return false;
    }
  }

  PHOBOS_INLINE void compareInts() {
    const uint32_t *a = operand<uint32_t>(0), *b = operand<uint32_t>(1);
    LaneWords values;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      bool equal = a[lane] == b[lane], below = a[lane] < b[lane];
      bool less = static_cast<int32_t>(a[lane]) < static_cast<int32_t>(b[lane]);
      bool holds = false;
      switch (static_cast<IntPredicate>(op.flags)) {
      case IntPredicate::eq:
        holds = equal;
        break;
      case IntPredicate::ne:
        holds = !equal;
        break;
      case IntPredicate::slt:
        holds = less;
        break;
      case IntPredicate::sle:
        holds = less | equal;
        break;
      case IntPredicate::sgt:
        holds = !(less | equal);
        break;
      case IntPredicate::sge:
        holds = !less;
        break;
      case IntPredicate::ult:
        holds = below;
        break;
      case IntPredicate::ule:
        holds = below | equal;
        break;
      case IntPredicate::ugt:
        holds = !(below | equal);
        break;
      case IntPredicate::uge:
        holds = !below;
        break;
      }
      values[lane] = holds;
    }
    result(0, values);
  }
  PHOBOS_INLINE void select() {
    const uint32_t *condition = operand<uint32_t>(0), *yes = operand<uint32_t>(1), *no = operand<uint32_t>(2);
    LaneWords values;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      values[lane] = condition[lane] & 1 ? yes[lane] : no[lane];
    }
    result(0, values);
  }
  PHOBOS_INLINE void fma() {
    const float *a = operand<float>(0), *b = operand<float>(1), *c = operand<float>(2);
    float values[kLanes];
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      values[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
    }
    result(0, reinterpret_cast<const uint32_t *>(values));
  }
};

struct MmaRow {
  MmaFunction function = nullptr;
  uint8_t wordsA = 0, wordsB = 0;
};

constexpr MmaElement elementOf(Element element) {
  return element == Element::f16    ? MmaElement::F16
         : element == Element::bf16 ? MmaElement::BF16
         : element == Element::tf32 ? MmaElement::TF32
                                    : MmaElement::S8;
}
constexpr unsigned bitsOf(Element element) { return element == Element::tf32 ? 32 : element == Element::s8 ? 8 : 16; }

MmaRow mmaRow(unsigned k, Element element, Element accumulator, uint8_t flags) {
  MmaElement a = elementOf(element), b = a;
  MmaSum sum = accumulator == Element::f32 ? MmaSum::F32 : accumulator == Element::f16 ? MmaSum::F16 : MmaSum::S32;
  if (element == Element::s8) {
    a = flags & kUnsignedA ? MmaElement::U8 : a;
    b = flags & kUnsignedB ? MmaElement::U8 : b;
    sum = flags & kSaturate ? MmaSum::S32Saturated : sum;
  }
  bool wide = k * bitsOf(element) == 256;
  return {mmaFunction(a, b, sum, wide), static_cast<uint8_t>(wide ? 4 : 2), static_cast<uint8_t>(wide ? 2 : 1)};
}

void multiply(Warp &warp, const WarpOp &op) {
  constexpr unsigned kFlagSets = 8;
  enum Order {
#define PHOBOS_WARP_MMA(name, k, element, accumulator, sentence) name,
#include "phobos/host/HostCalls.def"
    Count
  };
  struct Table {
    MmaRow rows[Count][kFlagSets];
    Table() {
      for (unsigned flags = 0; flags < kFlagSets; ++flags) {
#define PHOBOS_WARP_MMA(name, k, element, accumulator, sentence)                                                       \
  rows[name][flags] = mmaRow(k, Element::element, Element::accumulator, static_cast<uint8_t>(flags));
#include "phobos/host/HostCalls.def"
      }
    }
  };
  static const Table table;
  unsigned which = Count;
  switch (op.kind) {
#define PHOBOS_WARP_MMA(name, k, element, accumulator, sentence)                                                       \
  case WarpKind::name:                                                                                                 \
    which = name;                                                                                                      \
    break;
#include "phobos/host/HostCalls.def"
  default:
    __builtin_unreachable();
  }
  const MmaRow &row = table.rows[which][op.flags % kFlagSets];
  row.function(warp.words, {op.in, op.in + row.wordsA, op.in + row.wordsA + row.wordsB, op.out});
}

PHOBOS_INLINE void execute(Cta &cta, Warp &warp, const WarpOp &op, uint32_t mask) {
  Machine m(warp, op, mask);
  switch (op.kind) {
  case WarpKind::Nop:
    break;
  case WarpKind::SyncWarp:
    if (cta.checker) {
      cta.checker->syncWarp(warp);
    }
    break;
  case WarpKind::ShflBfly:
    if (!m.wholeButterfly()) {
      m.shuffle();
    }
    break;
  case WarpKind::ShflIdx:
  case WarpKind::ShflUp:
  case WarpKind::ShflDown:
    m.shuffle();
    break;
  case WarpKind::VoteAny:
    m.uniform(0, m.ballot() != 0);
    break;
  case WarpKind::VoteAll:
    m.uniform(0, m.ballot() == mask);
    break;
  case WarpKind::VoteUni: {
    uint32_t set = m.ballot();
    m.uniform(0, set == 0 || set == mask);
    break;
  }
  case WarpKind::VoteBallot:
    m.uniform(0, m.ballot());
    break;
  case WarpKind::MatchAny:
    m.match(false);
    break;
  case WarpKind::MatchAll:
    m.match(true);
    break;
  case WarpKind::Elect: {
    LaneWords values = {};
    values[__builtin_ctz(mask)] = 1;
    m.result(0, values);
    break;
  }
  case WarpKind::ReduxAdd:
    m.reduce<uint32_t>(0, [](uint32_t a, uint32_t b) { return a + b; });
    break;
  case WarpKind::ReduxAnd:
    m.reduce<uint32_t>(~0u, [](uint32_t a, uint32_t b) { return a & b; });
    break;
  case WarpKind::ReduxOr:
    m.reduce<uint32_t>(0, [](uint32_t a, uint32_t b) { return a | b; });
    break;
  case WarpKind::ReduxXor:
    m.reduce<uint32_t>(0, [](uint32_t a, uint32_t b) { return a ^ b; });
    break;
  case WarpKind::ReduxSMin:
    m.reduce<int32_t>(INT32_MAX, [](int32_t a, int32_t b) { return a < b ? a : b; });
    break;
  case WarpKind::ReduxSMax:
    m.reduce<int32_t>(INT32_MIN, [](int32_t a, int32_t b) { return a > b ? a : b; });
    break;
  case WarpKind::ReduxUMin:
    m.reduce<uint32_t>(~0u, [](uint32_t a, uint32_t b) { return a < b ? a : b; });
    break;
  case WarpKind::ReduxUMax:
    m.reduce<uint32_t>(0, [](uint32_t a, uint32_t b) { return a > b ? a : b; });
    break;
  case WarpKind::ReduxFMin:
    m.reduceFloat(minNum, minimum);
    break;
  case WarpKind::ReduxFMax:
    m.reduceFloat(maxNum, maximum);
    break;
  case WarpKind::LdMatrix:
    loadMatrices(cta, warp, op);
    break;
  case WarpKind::StMatrix:
    storeMatrices(cta, warp, op);
    break;
#define PHOBOS_WARP_MMA(name, k, element, accumulator, sentence) case WarpKind::name:
#include "phobos/host/HostCalls.def"
    multiply(warp, op);
    break;
  case WarpKind::FAdd:
    m.lanes<float>([](float a, float b) { return a + b; });
    break;
  case WarpKind::FSub:
    m.lanes<float>([](float a, float b) { return a - b; });
    break;
  case WarpKind::FMul:
    m.lanes<float>([](float a, float b) { return a * b; });
    break;
  case WarpKind::FFma:
    m.fma();
    break;
  case WarpKind::FNeg: {
    const uint32_t *a = m.operand<uint32_t>(0);
    LaneWords values;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      values[lane] = a[lane] ^ 0x80000000;
    }
    m.result(0, values);
    break;
  }
  case WarpKind::FMaxNum:
    m.lanes<float>(maxNum);
    break;
  case WarpKind::FMinNum:
    m.lanes<float>(minNum);
    break;
  case WarpKind::FMaximum:
    m.lanes<float>(maximum);
    break;
  case WarpKind::FMinimum:
    m.lanes<float>(minimum);
    break;
  case WarpKind::IAdd:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a + b; });
    break;
  case WarpKind::ISub:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a - b; });
    break;
  case WarpKind::IMul:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a * b; });
    break;
  case WarpKind::And:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a & b; });
    break;
  case WarpKind::Or:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a | b; });
    break;
  case WarpKind::Xor:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a ^ b; });
    break;
  case WarpKind::Shl:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a << (b & 31); });
    break;
  case WarpKind::LShr:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a >> (b & 31); });
    break;
  case WarpKind::AShr:
    m.lanes<int32_t>([](int32_t a, int32_t b) { return a >> (b & 31); });
    break;
  case WarpKind::SMax:
    m.lanes<int32_t>([](int32_t a, int32_t b) { return a > b ? a : b; });
    break;
  case WarpKind::SMin:
    m.lanes<int32_t>([](int32_t a, int32_t b) { return a < b ? a : b; });
    break;
  case WarpKind::UMax:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a > b ? a : b; });
    break;
  case WarpKind::UMin:
    m.lanes<uint32_t>([](uint32_t a, uint32_t b) { return a < b ? a : b; });
    break;
  case WarpKind::ICmp:
    m.compareInts();
    break;
  case WarpKind::FCmp: {
    uint32_t flags = op.flags;
    const float *a = m.operand<float>(0), *b = m.operand<float>(1);
    LaneWords values;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      uint32_t outcome = a[lane] == b[lane] ? 1 : a[lane] > b[lane] ? 2 : a[lane] < b[lane] ? 4 : 8;
      values[lane] = (flags & outcome) != 0;
    }
    m.result(0, values);
    break;
  }
  case WarpKind::Select:
    m.select();
    break;
  }
}

} // namespace

__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) void
runProgram(Cta &cta, Warp &warp, const WarpOp *ops, uint32_t count, uint32_t mask) {
  for (uint32_t i = 0; i < count; ++i) {
    execute(cta, warp, ops[i], mask);
  }
}

} // namespace phobos::host
