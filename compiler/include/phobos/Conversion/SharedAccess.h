// Addresses in a slot of a stage under a register layout.
#pragma once

#include "phobos/Conversion/Lowering.h"
#include "phobos/Layout/SharedLayout.h"

namespace phobos::lowering {

/// Addresses of registers in a slot: (slot + (base ^ xor)) + immediate, where the exclusive or takes few values, each
/// hoisted out of loops by LLVM, and the rest is an immediate of the access.
class SharedAccess {
public:
  /// `slot` is the slot's byte offset in the CTA's shared memory, i32. `pattern` is over the slot's padded shape.
  SharedAccess(Lowering &lowering, Value slot, const layout::LinearLayout &pattern, const layout::SharedLayout &shared);
  Value pointer(unsigned reg); // !llvm.ptr<3>

private:
  Lowering &l;
  Value slot_, base_;
  const layout::LinearLayout pattern_;
  const layout::SharedLayout shared_;
  std::optional<layout::AddressSplit> split_;
  llvm::DenseMap<uint32_t, Value> pointers_; // by xor value
};

/// Byte offset of slot `slot` of a stage, i32.
Value slotOffset(Lowering &lowering, mlir::TypedValue<dot::StageType> stage, Value slot);

} // namespace phobos::lowering
