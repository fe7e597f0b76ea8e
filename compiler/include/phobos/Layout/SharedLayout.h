// Where an element of a tile lies in shared memory: byte offsets inside one buffer (one slot of a stage).
//
// Every layout here is a table "coordinate bit -> constant", combined by XOR (linear: unpadded, swizzled or not) or by
// ADD (padded rows). An unpadded, unswizzled one is both. offset(c) is unique for each element, elements of a 16-byte
// chunk stay together unless said otherwise, and sizeBytes() covers all.
#pragma once

#include "phobos/Layout/LinearLayout.h"

namespace phobos::layout {

class SharedLayout {
public:
  SharedLayout() = default;

  // Rows along order[0] (dimensions fastest first), one after the other; rowPitchBytes 0 means no padding.
  static SharedLayout plain(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                            unsigned rowPitchBytes = 0);
  // The XOR swizzle of 16-byte chunks for rows of c chunks: chunk ^= row % 8 if c >= 8 (on the low three bits), else
  // (row / (8 / c)) % c. Eight neighbouring rows at one chunk index, and eight chunks of a row, then lie in eight
  // different bank groups.
  static SharedLayout swizzled(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order);
  // What TMA and wgmma use: the row is cut into panels of `swizzleBytes` (128, 64 or 32; rows of fewer bytes use their
  // own size), each panel all rows of swizzleBytes, one after the other, with the hardware's swizzle of that width
  // inside.
  static SharedLayout panels(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                             unsigned swizzleBytes);
  // Row-major order with any XOR: masks[i] (byte offset bits below bit i) is XORed in where bit i of the plain offset
  // is set.
  static SharedLayout withMasks(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                                llvm::ArrayRef<uint32_t> masks);
  // Any bijection: offset of each flat coordinate bit, combined by XOR.
  static SharedLayout fromLinear(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<uint32_t> bitOffsets);

  llvm::ArrayRef<int32_t> shape() const { return extents; }
  unsigned rank() const { return extents.size(); }
  unsigned elemBits() const { return bits; }
  unsigned elemBytes() const { return bits / 8; }
  // Dimensions fastest first; of a fromLinear() layout, as its offsets suggest.
  llvm::ArrayRef<unsigned> order() const { return dims; }
  unsigned rowBytes() const { return unsigned(extents[dims[0]]) * elemBytes(); } // without padding
  unsigned rowPitchBytes() const { return pitch; }
  // 128, 64, 32: the hardware's swizzle of that width, exactly (panels() and those swizzled() that agree with it); else
  // 0.
  unsigned hardwareSwizzleBytes() const { return hardware; }
  unsigned panelBytes() const { return panel; } // 0: rows are whole
  bool isPadded() const { return padded; }
  bool isSwizzled() const { return anySwizzle; }

  uint32_t offset(llvm::ArrayRef<int32_t> coords) const;
  uint32_t offsetFlat(uint32_t flat) const;
  // Constant of each bit of the flat coordinate (last dimension lowest). Combined by XOR unless isPadded(), then by
  // ADD.
  llvm::ArrayRef<uint32_t> bitOffsets() const { return offsets; }
  // The linear map flat coordinate -> byte offset; only if not padded.
  F2Matrix asLinear() const;
  uint32_t sizeBytes() const { return size; }
  // Bytes, a power of two, that stay together and aligned: neighbours along order[0] inside them are neighbours in
  // memory.
  unsigned contiguousBytes() const;

  bool operator==(const SharedLayout &other) const;
  bool operator!=(const SharedLayout &other) const { return !(*this == other); }
  void print(llvm::raw_ostream &os) const; // shape=[64,32] bits=16 order=[1,0] pitch=64 swizzle=64B, or masks
  std::string str() const;

private:
  SharedLayout(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order);
  void swizzle(llvm::ArrayRef<uint32_t> masks);

  Coords extents;
  llvm::SmallVector<unsigned, 4> dims;
  llvm::SmallVector<uint32_t, 16> offsets;
  uint32_t size = 0;
  unsigned bits = 8, pitch = 0, panel = 0, hardware = 0;
  bool padded = false, anySwizzle = false;
};

} // namespace phobos::layout
