// A thread's registers of one tile by number, so that shapes and layouts can change by renumbering.
#pragma once

#include "phobos/Conversion/Lowering.h"

namespace phobos::lowering {

/// Reads single registers and groups of them; a group that is a word already costs nothing.
class RegisterReader {
public:
  RegisterReader(Lowering &lowering, Value tile);
  /// Of words of `type`'s packing.
  RegisterReader(Lowering &lowering, RankedTensorType type, ArrayRef<Value> words);
  /// Of single elements.
  RegisterReader(Lowering &lowering, ArrayRef<Value> elements);

  Value element(uint32_t reg);
  /// These registers as one vector (a scalar if there is one).
  Value group(ArrayRef<uint32_t> registers);

private:
  Lowering &l;
  unsigned pack_;
  SmallVector<Value> words_;
  SmallVector<Value> elements_; // those extracted so far
};

/// Words of `type` whose register r is register registers[r] of `reader`.
SmallVector<Value> gatherWords(Lowering &lowering, RegisterReader &reader, RankedTensorType type,
                               ArrayRef<uint32_t> registers);

/// Bits in a register of a lowered scalar, at least 8: an i1 travels as a byte.
unsigned registerBits(Type scalar);
/// i1 to i8 and back; others as they are.
Value widenBool(Lowering &lowering, Value x);
Value narrowBool(Lowering &lowering, Value x, Type scalar);

/// Elements packed into 32-bit integers (fewer bits: zero above), 64-bit ones as two; and back to `count` elements of
/// type `scalar`.
SmallVector<Value> toI32Words(Lowering &lowering, Value group);
Value fromI32Words(Lowering &lowering, ArrayRef<Value> words, Type groupType);

/// `value` of the lane `lane ^ mask`; any scalar or group.
Value shuffleXor(Lowering &lowering, Value value, uint32_t mask);
/// `value` of lane `lane`, an i32.
Value shuffleIndex(Lowering &lowering, Value value, Value lane);

/// Shared memory access of a group of `bytes` bytes, aligned to its size: 32-bit words where the elements are narrower.
void storeShared(Lowering &lowering, Value pointer, Value group);
Value loadShared(Lowering &lowering, Value pointer, Type groupType);
/// vector<n x scalar>, or the scalar.
Type groupType(Type scalar, unsigned n);

} // namespace phobos::lowering
