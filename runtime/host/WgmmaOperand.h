// Operands of wgmma in shared memory: where a descriptor says their elements lie, and elements as numbers to multiply.
// Everything here is inlined into the versions of wgmma for x86-64-v3 and v4.
#pragma once

#include "Elements.h"

#include <cstring>
#include <type_traits>

#define PHOBOS_INLINE [[gnu::always_inline]] inline

namespace phobos::host {

inline constexpr uint32_t kDescriptorAddressBits = 18;
inline constexpr uint32_t kChunkBytes = 16; // what a swizzle moves

/// An operand in shared memory, as a descriptor says (PTX ISA, "Matrix descriptor format").
struct Operand {
  const uint8_t *base;
  uint32_t leading, stride;
  uint32_t width, mask; // of a row of the swizzle pattern, in bytes; of the chunks in it
  uint32_t bytes;       // of an element
  bool transposed, swizzled;

  /// The 16 bytes that begin with element (x, k), x along M or N: along k, or along x if it is transposed.
  PHOBOS_INLINE const uint8_t *chunk(uint32_t x, uint32_t k) const {
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
};

inline Operand operandOf(const uint8_t *arena, uint64_t descriptor, bool transposed, uint32_t bytes) {
  auto field = [&](unsigned bit) { return static_cast<uint32_t>(descriptor >> bit & 0x3fff) * kChunkBytes; };
  auto mode = static_cast<uint32_t>(descriptor >> 62); // 0 for no swizzle; 1, 2, 3 for 128, 64, 32 bytes
  Operand operand{};
  operand.base = arena + (field(0) & ((1u << kDescriptorAddressBits) - 1));
  operand.leading = field(16);
  operand.stride = field(32);
  operand.width = mode == 0 ? kChunkBytes : 256u >> mode;
  operand.mask = mode == 0 ? 0 : operand.width / kChunkBytes - 1;
  operand.bytes = bytes;
  operand.transposed = transposed;
  operand.swizzled = mode != 0;
  return operand;
}

PHOBOS_INLINE float decodeF8(uint8_t code, unsigned exponentBits) {
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
template <typename Scalar> PHOBOS_INLINE Scalar decode(Element element, const uint8_t *from) {
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
template <typename Scalar> PHOBOS_INLINE void decodeChunk(Element element, const uint8_t *from, Scalar *out) {
  if constexpr (std::is_same_v<Scalar, float>) {
    if (element == Element::f16) {
      using H8 = _Float16 __attribute__((vector_size(16)));
      H8 halves;
      std::memcpy(&halves, from, sizeof halves);
      auto floats = __builtin_convertvector(halves, float __attribute__((vector_size(32))));
      std::memcpy(out, &floats, sizeof floats);
      return;
    }
  }
  uint32_t size = elementBytes(element);
  for (uint32_t i = 0; i < kChunkBytes / size; ++i) {
    out[i] = decode<Scalar>(element, from + i * size);
  }
}

} // namespace phobos::host
