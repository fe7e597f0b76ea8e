// One wgmma, as an op of the nvvm dialect or as the inline PTX of the form that the dialect lacks (A from registers).
#pragma once

#include "KernelToHost.h"

namespace phobos::tohost {

struct Wgmma {
  Operation *op = nullptr;
  host::WgmmaOp entry = {};    // all but the slots and the site
  SmallVector<Value, 4> a;     // a descriptor, or four words
  Value b;                     // a descriptor
  Value accumulator;           // a struct, or null:
  SmallVector<Value> elements; // its members one by one

  /// The value whose members the accumulator is, if there is one.
  Value accumulatorStruct() const;
  unsigned accumulatorWords() const { return entry.d == host::Element::f16 ? entry.n / 4 : entry.n / 2; }
  unsigned operandWords() const { return (entry.flags & host::kWgmmaRegistersA ? 4 : 2) + 2; }
  Value accumulatorWord(KernelToHost &k, unsigned i) const {
    return accumulator ? Value(LLVM::ExtractValueOp::create(k.b, k.loc, accumulator, int64_t(i))) : elements[i];
  }
};

/// What an op is as a wgmma; nothing if it is none, or one that the simulator does not know.
std::optional<Wgmma> describeWgmma(Operation *op);
/// The same of inline PTX.
std::optional<Wgmma> parseInlineWgmma(Operation *op);

} // namespace phobos::tohost
