// mma.sync, m16n8: one function for each combination of elements, sum and depth, in versions for x86-64-v3 and v4.
//
// Fragments (PTX ISA, "Matrix fragments for mma.m16n8k…"), with g = lane / 4, t = lane % 4 and E = 128 / bits elements
// of k a word row:  A word 2 * kb + h: row g + 8 h, k = E kb + t E/4 …;  B word kb: column g, the same k; C word 2 h +
// e: row g + 8 h, column 2 t + e; sums in f16 pack both e into one word.
#include "Mma.h"

#include <type_traits>

namespace phobos::host {
namespace {

using F8 = float __attribute__((vector_size(32)));
using I8 = int32_t __attribute__((vector_size(32)));
using H8 = _Float16 __attribute__((vector_size(16)));
using U16x8 = uint16_t __attribute__((vector_size(16)));
using U32x8 = uint32_t __attribute__((vector_size(32)));
using S8x8 = int8_t __attribute__((vector_size(8)));
using U8x8 = uint8_t __attribute__((vector_size(8)));

#define PHOBOS_INLINE [[gnu::always_inline]] static inline

template <typename T> PHOBOS_INLINE T get(const void *from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <typename T> PHOBOS_INLINE void put(void *to, const T &value) { __builtin_memcpy(to, &value, sizeof value); }

// How eight neighbouring elements of an operand become a vector to multiply with.
struct F16 {
  static constexpr int kBits = 16;
  using Vector = F8;
  PHOBOS_INLINE F8 load(const char *from) { return __builtin_convertvector(get<H8>(from), F8); }
};
struct BF16 { // by hand: the conversion instructions flush denormals, a tensor core does not
  static constexpr int kBits = 16;
  using Vector = F8;
  PHOBOS_INLINE F8 load(const char *from) {
    return reinterpret_cast<F8>(__builtin_convertvector(get<U16x8>(from), U32x8) << 16);
  }
};
struct TF32 { // the low 13 bits are not looked at
  static constexpr int kBits = 32;
  using Vector = F8;
  PHOBOS_INLINE F8 load(const char *from) { return reinterpret_cast<F8>(get<U32x8>(from) & 0xffffe000u); }
};
struct S8 { // sums wrap, so they are unsigned here
  static constexpr int kBits = 8;
  using Vector = U32x8;
  PHOBOS_INLINE U32x8 load(const char *from) {
    return reinterpret_cast<U32x8>(__builtin_convertvector(get<S8x8>(from), I8));
  }
};
struct U8 {
  static constexpr int kBits = 8;
  using Vector = U32x8;
  PHOBOS_INLINE U32x8 load(const char *from) { return __builtin_convertvector(get<U8x8>(from), U32x8); }
};

template <typename V> PHOBOS_INLINE V low(V a, V b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13); }
template <typename V> PHOBOS_INLINE V high(V a, V b) {
  return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}

/// Rows to columns, 8 by 8.
template <typename V> PHOBOS_INLINE void transpose(V (&m)[8]) {
  V pairs[8], quads[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = low(m[i], m[i + 1]);
    pairs[i + 1] = high(m[i], m[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      quads[i + 2 * j] = __builtin_shufflevector(pairs[i + j], pairs[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      quads[i + 2 * j + 1] = __builtin_shufflevector(pairs[i + j], pairs[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    m[i] = __builtin_shufflevector(quads[i], quads[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[i + 4] = __builtin_shufflevector(quads[i], quads[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// A row of 32 words as it lies, [8][E], converted.
template <typename Element, typename Scalar> PHOBOS_INLINE void convert(const LaneWords &words, Scalar *out) {
  constexpr int kElements = 32 * 32 / Element::kBits;
  auto *bytes = reinterpret_cast<const char *>(words);
  for (int i = 0; i < kElements; i += 8) {
    put(out + i, Element::load(bytes + i * Element::kBits / 8));
  }
}

/// Two rows of words with the even and the odd columns of an 8 x 8 block of sums, as rows of eight.
template <typename V, typename Scalar>
PHOBOS_INLINE void loadSums(const LaneWords &even, const LaneWords &odd, V *rows) {
  using V4 = Scalar __attribute__((vector_size(16)));
  for (int i = 0; i < 8; ++i) {
    V4 e = get<V4>(even + 4 * i), o = get<V4>(odd + 4 * i);
    rows[i] = __builtin_shufflevector(e, o, 0, 4, 1, 5, 2, 6, 3, 7);
  }
}
template <typename V> PHOBOS_INLINE void storeSums(const V *rows, LaneWords &even, LaneWords &odd) {
  for (int i = 0; i < 8; ++i) {
    put(even + 4 * i, __builtin_shufflevector(rows[i], rows[i], 0, 2, 4, 6));
    put(odd + 4 * i, __builtin_shufflevector(rows[i], rows[i], 1, 3, 5, 7));
  }
}

/// What .satfinite makes of an exact sum.
PHOBOS_INLINE uint32_t clamp(int64_t value) {
  return static_cast<uint32_t>(value > INT32_MAX   ? INT32_MAX
                               : value < INT32_MIN ? INT32_MIN
                                                   : static_cast<int32_t>(value));
}

template <typename A, typename B, MmaSum kSum, bool kWide>
PHOBOS_INLINE void multiply(LaneWords *words, const MmaPlaces &places) {
  using V = typename A::Vector;
  constexpr bool kFloat = kSum == MmaSum::F32 || kSum == MmaSum::F16;
  using Scalar = std::conditional_t<kFloat, float, uint32_t>;
  constexpr int kBlocks = kWide ? 2 : 1, kElements = 128 / A::kBits, kDepth = kBlocks * kElements;
  alignas(64) Scalar a[2][kBlocks][8][kElements]; // row half, block of k, row, k
  V b[kDepth < 8 ? 8 : kDepth];                   // by k, over the columns
  for (int block = 0; block < kBlocks; ++block) {
    for (int half = 0; half < 2; ++half) {
      convert<A>(words[places.a[2 * block + half]], &a[half][block][0][0]);
    }
    alignas(64) Scalar turned[8][kElements];
    convert<B>(words[places.b[block]], &turned[0][0]);
    for (int part = 0; part < kElements; part += 8) {
      V m[8] = {};
      for (int n = 0; n < 8; ++n) {
        __builtin_memcpy(&m[n], &turned[n][part], sizeof(Scalar) * (kElements < 8 ? kElements : 8));
      }
      transpose(m);
      for (int k = 0; k < (kElements < 8 ? kElements : 8); ++k) {
        b[block * kElements + part + k] = m[k];
      }
    }
  }
  for (int half = 0; half < 2; ++half) {
    V sums[8], first[8];
    if constexpr (kSum == MmaSum::F16) {
      for (int i = 0; i < 8; ++i) {
        sums[i] = __builtin_convertvector(get<H8>(words[places.c[half]] + 4 * i), F8);
      }
    } else {
      loadSums<V, Scalar>(words[places.c[2 * half]], words[places.c[2 * half + 1]], sums);
    }
    if constexpr (kSum == MmaSum::S32Saturated) {
      for (int i = 0; i < 8; ++i) {
        first[i] = sums[i];
        sums[i] = V{};
      }
    }
    for (int k = 0; k < kDepth; ++k) {
      for (int i = 0; i < 8; ++i) {
        sums[i] += a[half][k / kElements][i][k % kElements] * b[k];
      }
    }
    if constexpr (kSum == MmaSum::F16) {
      for (int i = 0; i < 8; ++i) {
        put(words[places.d[half]] + 4 * i, __builtin_convertvector(sums[i], H8));
      }
    } else {
      if constexpr (kSum ==
                    MmaSum::S32Saturated) { // at most 32 products of 16 bits: they cannot overflow by themselves
        for (int i = 0; i < 8; ++i) {
          for (int n = 0; n < 8; ++n) {
            sums[i][n] = clamp(int64_t(int32_t(first[i][n])) + int32_t(sums[i][n]));
          }
        }
      }
      storeSums(sums, words[places.d[2 * half]], words[places.d[2 * half + 1]]);
    }
  }
}

#define PHOBOS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define PHOBOS_MMA(name, a, b, sum, wide)                                                                              \
  PHOBOS_CLONES void name(LaneWords *words, const MmaPlaces &places) {                                                 \
    multiply<a, b, MmaSum::sum, wide>(words, places);                                                                  \
  }

PHOBOS_MMA(f16k8, F16, F16, F32, false)
PHOBOS_MMA(f16k16, F16, F16, F32, true)
PHOBOS_MMA(f16k8ToF16, F16, F16, F16, false)
PHOBOS_MMA(f16k16ToF16, F16, F16, F16, true)
PHOBOS_MMA(bf16k8, BF16, BF16, F32, false)
PHOBOS_MMA(bf16k16, BF16, BF16, F32, true)
PHOBOS_MMA(tf32k4, TF32, TF32, F32, false)
PHOBOS_MMA(tf32k8, TF32, TF32, F32, true)
#define PHOBOS_MMA_INTEGER(name, a, b)                                                                                 \
  PHOBOS_MMA(name##k16, a, b, S32, false)                                                                              \
  PHOBOS_MMA(name##k32, a, b, S32, true)                                                                               \
  PHOBOS_MMA(name##k16Saturated, a, b, S32Saturated, false)                                                            \
  PHOBOS_MMA(name##k32Saturated, a, b, S32Saturated, true)
PHOBOS_MMA_INTEGER(s8s8, S8, S8)
PHOBOS_MMA_INTEGER(s8u8, S8, U8)
PHOBOS_MMA_INTEGER(u8s8, U8, S8)
PHOBOS_MMA_INTEGER(u8u8, U8, U8)

struct Row {
  MmaElement a, b;
  MmaSum sum;
  MmaFunction narrow, wide;
};
#define PHOBOS_ROWS_INTEGER(name, a, b)                                                                                \
  {MmaElement::a, MmaElement::b, MmaSum::S32, name##k16, name##k32}, {                                                 \
    MmaElement::a, MmaElement::b, MmaSum::S32Saturated, name##k16Saturated, name##k32Saturated                         \
  }
const Row kRows[] = {
    {MmaElement::F16, MmaElement::F16, MmaSum::F32, f16k8, f16k16},
    {MmaElement::F16, MmaElement::F16, MmaSum::F16, f16k8ToF16, f16k16ToF16},
    {MmaElement::BF16, MmaElement::BF16, MmaSum::F32, bf16k8, bf16k16},
    {MmaElement::TF32, MmaElement::TF32, MmaSum::F32, tf32k4, tf32k8},
    PHOBOS_ROWS_INTEGER(s8s8, S8, S8),
    PHOBOS_ROWS_INTEGER(s8u8, S8, U8),
    PHOBOS_ROWS_INTEGER(u8s8, U8, S8),
    PHOBOS_ROWS_INTEGER(u8u8, U8, U8),
};

} // namespace

MmaFunction mmaFunction(MmaElement a, MmaElement b, MmaSum sum, bool wide) {
  for (const Row &row : kRows) {
    if (row.a == a && row.b == b && row.sum == sum) {
      return wide ? row.wide : row.narrow;
    }
  }
  return nullptr;
}

} // namespace phobos::host
