// Addresses in a slot of a stage under a register layout.
#include "phobos/Conversion/SharedAccess.h"

using namespace mlir;

namespace phobos::lowering {

SharedAccess::SharedAccess(Lowering &lowering, Value slot, const layout::LinearLayout &pattern,
                           const layout::SharedLayout &shared)
    : l(lowering), slot_(slot), pattern_(pattern), shared_(shared), split_(layout::splitAddress(pattern, shared)) {
  if (split_) {
    base_ = l.evaluate(split_->base);
  }
}

Value SharedAccess::pointer(unsigned reg) {
  if (split_) {
    uint32_t bits = split_->xorPart[reg];
    Value &pointer = pointers_[bits];
    if (!pointer) {
      Value offset = bits ? l.bitXor(base_, l.i32c(bits)) : base_;
      pointer = l.sharedAddress(l.add(slot_, offset));
    }
    return l.byteOffset(pointer, int64_t(split_->addPart[reg]));
  }
  // Padded rows under a layout in which two bits move one coordinate bit: coordinates, then products.
  Value offset = slot_;
  for (unsigned dim = 0; dim < pattern_.rank(); ++dim) {
    auto terms = layout::coordinateTerms(pattern_, dim);
    Value coordinate = l.bitXor(l.evaluate(terms.thread), l.i32c(terms.registers[reg]));
    layout::Coords one(pattern_.rank(), 0);
    one[dim] = 1;
    if (pattern_.shape()[dim] > 1) {
      offset = l.add(offset, l.mul(coordinate, int64_t(shared_.offset(one))));
    }
  }
  return l.sharedAddress(offset);
}

Value slotOffset(Lowering &l, TypedValue<dot::StageType> stage, Value slot) {
  Value offset = l.mul(l.toI32(l.scalar(slot)), int64_t(stage.getType().slotBytes()));
  return l.add(offset, l.scalar(stage));
}

} // namespace phobos::lowering
