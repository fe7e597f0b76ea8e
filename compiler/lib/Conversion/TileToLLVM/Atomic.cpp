// tile.atomic: each element once, by the first of the threads that hold it, which tells the others through shared
// memory what was there.
//
// A block releases, or acquires, as one: its threads meet before a release pattern, a fence and a relaxed operation,
// and after an acquire pattern, which is the reverse. Both are cumulative (PTX ISA, "Memory Consistency Model"), so
// that what any of its threads wrote, or reads, is ordered with it.
#include "phobos/Conversion/Scratch.h"
#include "phobos/Conversion/SliceAccess.h"
#include "phobos/Conversion/TilePlaces.h"
#include "phobos/Target/Chip.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

LLVM::AtomicBinOp operation(tile::AtomicKind kind, Type element) {
  switch (kind) {
  case tile::AtomicKind::Add:
    return isa<FloatType>(element) ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case tile::AtomicKind::MinSigned:
    return LLVM::AtomicBinOp::min;
  case tile::AtomicKind::MaxSigned:
    return LLVM::AtomicBinOp::max;
  case tile::AtomicKind::MinUnsigned:
    return LLVM::AtomicBinOp::umin;
  case tile::AtomicKind::MaxUnsigned:
    return LLVM::AtomicBinOp::umax;
  case tile::AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case tile::AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case tile::AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case tile::AtomicKind::Exchange:
    return LLVM::AtomicBinOp::xchg;
  case tile::AtomicKind::CompareExchange:
    break;
  }
  llvm_unreachable("no atomicrmw compares");
}

StringRef syncScope(tile::AtomicScope scope) {
  return scope == tile::AtomicScope::System ? "" : stringifyAtomicScope(scope);
}

bool releases(tile::AtomicOp op) {
  return op.getOrder() == tile::AtomicOrder::Release || op.getOrder() == tile::AtomicOrder::AcquireRelease;
}

bool acquires(tile::AtomicOp op) {
  return op.getOrder() == tile::AtomicOrder::Acquire || op.getOrder() == tile::AtomicOrder::AcquireRelease;
}

/// What was in memory. Relaxed: LLVM gives NVPTX's read-modify-writes no other order, and fences give them theirs.
Value change(Lowering &l, tile::AtomicOp op, Value address, Value compare, Value value) {
  constexpr auto kRelaxed = LLVM::AtomicOrdering::monotonic;
  StringRef scope = syncScope(op.getScope());
  if (!compare) {
    return LLVM::AtomicRMWOp::create(l.b, l.loc, operation(op.getKind(), value.getType()), address, value, kRelaxed,
                                     scope);
  }
  Value both = LLVM::AtomicCmpXchgOp::create(l.b, l.loc, address, compare, value, kRelaxed, kRelaxed, scope);
  return LLVM::ExtractValueOp::create(l.b, l.loc, both, 0);
}

/// Of the threads that change something.
void fence(Lowering &l, tile::AtomicOp op, Value writes, LLVM::AtomicOrdering order) {
  l.guarded(writes, [&] { LLVM::FenceOp::create(l.b, l.loc, order, syncScope(op.getScope())); });
}

/// Hands each element from who wrote it to all that hold it, by its place in the tile.
void tell(Lowering &l, tile::AtomicOp op, const layout::LinearLayout &layout, Value writes,
          SmallVectorImpl<Value> &elements) {
  auto offset = op->getAttrOfType<IntegerAttr>(kSharedOffsetAttr);
  unsigned bytes = tile::elementBits(cast<RankedTensorType>(op.getValue().getType()).getElementType()) / 8;
  TilePlaces tile(l, layout);
  auto place = [&](unsigned reg) {
    return l.sharedAddress(l.add(l.mul(tile.number(reg), int64_t(bytes)), offset ? offset.getInt() : 0));
  };
  uint32_t replicas = layout.freeVariableMasks().reg;
  SmallVector<Value> places;
  for (unsigned reg = 0; reg < elements.size(); ++reg) {
    places.push_back(reg & replicas ? Value() : place(reg));
  }
  l.guarded(writes, [&] {
    for (auto [element, address] : llvm::zip(elements, places)) {
      if (address) {
        LLVM::StoreOp::create(l.b, l.loc, element, address, bytes);
      }
    }
  });
  l.ctaBarrier();
  for (auto [reg, address] : llvm::enumerate(places)) {
    elements[reg] = address ? Value(LLVM::LoadOp::create(l.b, l.loc, elements[reg].getType(), address, bytes))
                            : elements[reg & ~replicas];
  }
}

/// Neighbours under one mask share its branch.
void changeOnly(Lowering &l, tile::AtomicOp op, SliceAccess &access, Value writes, ArrayRef<Value> compares,
                ArrayRef<Value> values) {
  uint32_t replicas = l.layoutOf(op.getValue()).freeVariableMasks().reg;
  unsigned reg = 0, end = values.size();
  while (reg < end) {
    Value inside = access.predicate(reg);
    SmallVector<unsigned> group;
    for (; reg < end && access.predicate(reg) == inside; ++reg) {
      if (!(reg & replicas)) {
        group.push_back(reg);
      }
    }
    SmallVector<Value> addresses = llvm::map_to_vector(group, [&](unsigned r) { return access.pointer(r); });
    l.guarded(l.logicalAnd(writes, inside), [&] {
      for (auto [r, address] : llvm::zip(group, addresses)) {
        change(l, op, address, compares[r], values[r]);
      }
    });
  }
}

/// What was there, by register; zero outside.
SmallVector<Value> changeAndKeep(Lowering &l, tile::AtomicOp op, SliceAccess &access, Value writes,
                                 ArrayRef<Value> compares, ArrayRef<Value> values) {
  uint32_t replicas = l.layoutOf(op.getValue()).freeVariableMasks().reg;
  Type scalar = values[0].getType();
  SmallVector<Value> old;
  for (unsigned reg = 0; reg < values.size(); ++reg) {
    if (reg & replicas) {
      old.push_back(old[reg & ~replicas]);
      continue;
    }
    Value inside = access.predicate(reg), address = access.pointer(reg);
    Value was = l.guardedValue(l.logicalAnd(writes, inside),
                               [&] { return change(l, op, address, compares[reg], values[reg]); });
    if (inside) {
      Value zero = isa<FloatType>(scalar) ? l.constantF(scalar, 0) : l.constant(scalar, 0);
      was = l.select(inside, was, zero);
    }
    old.push_back(was);
  }
  return old;
}

LogicalResult lowerAtomic(Lowering &l, tile::AtomicOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  if (type.getElementType().isBF16() && !l.chip.has(target::kBf16Math)) {
    return op.emitError("atomic addition of bf16 needs sm_90 or later; ") << l.chip.name << " has none";
  }
  if (op.getScope() == tile::AtomicScope::System && !op.getCompare()) { // LLVM would make it the device's
    return op.emitError("the scope \"system\" of an atomic operation other than cas is not supported yet");
  }
  const layout::LinearLayout &layout = l.layoutOf(type);
  auto whole = [&](unsigned dim) { return op.isWhole(dim); };
  SliceAccess access(l, {op.getView(), op.getOffsets(), type.getShape(), whole, placesOf(l, op)}, layout);
  SmallVector<Value> values = l.elements(op.getValue());
  SmallVector<Value> compares = op.getCompare() ? l.elements(op.getCompare()) : SmallVector<Value>(values.size());
  Value writes = l.isWriter(layout);
  if (releases(op)) {
    l.ctaBarrier();
    fence(l, op, writes, LLVM::AtomicOrdering::release);
  }
  SmallVector<Value> old;
  if (op.getResult().use_empty()) {
    changeOnly(l, op, access, writes, compares, values);
  } else {
    old = changeAndKeep(l, op, access, writes, compares, values);
  }
  if (acquires(op)) {
    fence(l, op, writes, LLVM::AtomicOrdering::acquire);
  }
  if (scratchBytes(op) > 0) {
    tell(l, op, layout, writes, old);
  } else if (acquires(op)) {
    l.ctaBarrier();
  }
  if (!old.empty()) {
    l.setElements(op.getResult(), old);
  }
  return success();
}

} // namespace

void registerAtomic(Lowering::HandlerTable &table) { Lowering::add<tile::AtomicOp, lowerAtomic>(table); }

} // namespace phobos::lowering
