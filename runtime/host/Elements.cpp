// Sizes, NaNs, and reductions on elements of memory.
#include "Elements.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace phobos::host {
namespace {

template <typename T> T combine(BulkReduction kind, T old, T value) {
  switch (kind) {
  case BulkReduction::add:
    return static_cast<T>(old + value);
  case BulkReduction::min:
    return std::min(old, value);
  case BulkReduction::max:
    return std::max(old, value);
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (kind) {
    case BulkReduction::inc:
      return old >= value ? 0 : static_cast<T>(old + 1);
    case BulkReduction::dec:
      return old == 0 || old > value ? value : static_cast<T>(old - 1);
    case BulkReduction::bitAnd:
      return old & value;
    case BulkReduction::bitOr:
      return old | value;
    default:
      return old ^ value;
    }
  }
  return value; // no other reduction exists for floats
}

/// A value of 16 bits in the aligned word around it.
template <typename Combine> void updateHalf(void *target, Combine combine) {
  auto address = reinterpret_cast<uintptr_t>(target);
  auto *word = reinterpret_cast<uint32_t *>(address & ~uintptr_t(3));
  unsigned shift = (address & 2) * 8;
  uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED), wanted;
  do {
    uint16_t half = static_cast<uint16_t>(old >> shift);
    wanted = (old & ~(0xffffu << shift)) | static_cast<uint32_t>(combine(half)) << shift;
  } while (!__atomic_compare_exchange_n(word, &old, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

template <typename T> void update(BulkReduction kind, void *target, const void *value) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  T operand;
  std::memcpy(&operand, value, sizeof operand);
  auto *place = static_cast<Bits *>(target);
  Bits old = __atomic_load_n(place, __ATOMIC_RELAXED), wanted;
  do {
    wanted = std::bit_cast<Bits>(combine<T>(kind, std::bit_cast<T>(old), operand));
  } while (!__atomic_compare_exchange_n(place, &old, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

float widenBF16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
uint16_t narrowBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (value != value) {
    return 0x7fff;
  }
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

} // namespace

uint32_t elementBytes(Element element) {
  switch (element) {
  case Element::f64:
  case Element::s64:
  case Element::u64:
    return 8;
  case Element::f32:
  case Element::tf32:
  case Element::s32:
  case Element::u32:
    return 4;
  case Element::f16:
  case Element::bf16:
  case Element::s16:
  case Element::u16:
  case Element::b16:
    return 2;
  case Element::e4m3:
  case Element::e5m2:
  case Element::s8:
  case Element::u8:
  case Element::b1:
    return 1;
  }
  return 1;
}

uint64_t nanBits(Element element) {
  switch (element) {
  case Element::f16:
  case Element::bf16:
    return 0x7fff;
  case Element::f32:
  case Element::tf32:
    return 0x7fffffff;
  case Element::f64:
    return 0x7fffffffffffffff;
  default:
    return 0;
  }
}

void combineAtomically(Element element, BulkReduction kind, void *target, const void *value) {
  switch (element) {
  case Element::f32:
  case Element::tf32:
    return update<float>(kind, target, value);
  case Element::f64:
    return update<double>(kind, target, value);
  case Element::s32:
    return update<int32_t>(kind, target, value);
  case Element::u32:
    return update<uint32_t>(kind, target, value);
  case Element::s64:
    return update<int64_t>(kind, target, value);
  case Element::u64:
    return update<uint64_t>(kind, target, value);
  case Element::f16:
    return updateHalf(target, [&](uint16_t old) {
      _Float16 operand;
      std::memcpy(&operand, value, sizeof operand);
      return std::bit_cast<uint16_t>(static_cast<_Float16>(
          combine<float>(kind, static_cast<float>(std::bit_cast<_Float16>(old)), static_cast<float>(operand))));
    });
  case Element::bf16:
    return updateHalf(target, [&](uint16_t old) {
      uint16_t operand;
      std::memcpy(&operand, value, sizeof operand);
      return narrowBF16(combine<float>(kind, widenBF16(old), widenBF16(operand)));
    });
  default:
    return; // TMA reduces no others
  }
}

} // namespace phobos::host
