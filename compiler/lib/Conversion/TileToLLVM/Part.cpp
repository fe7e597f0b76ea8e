// tile.part: registers chosen, or the source through shared memory, where each thread reads what it needs.
#include "phobos/Conversion/Registers.h"
#include "phobos/Conversion/Scratch.h"
#include "phobos/Conversion/TilePlaces.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::lowering {

namespace {

/// A part that goes through shared memory.
class SharedPart {
public:
  SharedPart(Lowering &lowering, tile::PartOp op)
      : l(lowering), op(op), source(l.layoutOf(op.getSource())), result(l.layoutOf(op.getResult())),
        from(cast<RankedTensorType>(op.getSource().getType())),
        bytes(registerBits(lowering.scalarType(from.getElementType())) / 8) {
    auto offset = op->getAttrOfType<IntegerAttr>(kSharedOffsetAttr);
    base = offset ? offset.getInt() : 0;
  }

  void store(ArrayRef<Value> elements) {
    TilePlaces places(l, source);
    uint32_t replicas = source.freeVariableMasks().reg;
    SmallVector<Value> addresses;
    for (unsigned reg = 0; reg < elements.size(); ++reg) {
      addresses.push_back(reg & replicas ? Value() : address(places.number(reg)));
    }
    l.guarded(l.isWriter(source), [&] {
      for (auto [element, address] : llvm::zip(elements, addresses)) {
        if (address) {
          LLVM::StoreOp::create(l.b, l.loc, widenBool(l, element), address, bytes);
        }
      }
    });
  }

  SmallVector<Value> load(ArrayRef<Value> others) {
    TilePlaces places(l, result);
    uint32_t replicas = result.freeVariableMasks().reg;
    SmallVector<Value> elements;
    for (unsigned reg = 0; reg < others.size(); ++reg) {
      elements.push_back(reg & replicas ? elements[reg & ~replicas] : element(places, reg, others[reg]));
    }
    return elements;
  }

private:
  Value address(Value number) { return l.sharedAddress(l.add(l.mul(number, int64_t(bytes)), int64_t(base))); }

  /// Is every place of the result along `dim`, its padding too, one of the source's?
  bool isWithin(unsigned dim) {
    APInt offset;
    return matchPattern(op.getOffsets()[dim], m_ConstantInt(&offset)) && !offset.isNegative() &&
           offset.getSExtValue() + result.shape()[dim] <= from.getDimSize(dim);
  }

  Value element(TilePlaces &places, unsigned reg, Value other) {
    SmallVector<Value> at;
    Value inside;
    for (unsigned dim = 0; dim < result.rank(); ++dim) {
      Value place = l.add(l.scalar(op.getOffsets()[dim]), l.toIndex(places.coordinate(reg, dim)));
      if (!isWithin(dim)) { // a negative place is a large unsigned number
        Value extent = l.constant(place.getType(), from.getDimSize(dim));
        inside = l.logicalAnd(inside, l.icmp(LLVM::ICmpPredicate::ult, place, extent));
      }
      at.push_back(l.toI32(place));
    }
    Value number = TilePlaces::number(l, source.shape(), at);
    number = inside ? l.select(inside, number, l.i32c(0)) : number;
    Type scalar = other.getType(), stored = scalar.isInteger(1) ? Type(l.b.getI8Type()) : scalar;
    Value loaded = narrowBool(l, LLVM::LoadOp::create(l.b, l.loc, stored, address(number), bytes), scalar);
    return inside ? l.select(inside, loaded, other) : loaded;
  }

  Lowering &l;
  tile::PartOp op;
  const layout::LinearLayout &source, &result;
  RankedTensorType from;
  unsigned bytes;
  int64_t base;
};

LogicalResult lowerPart(Lowering &l, tile::PartOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<Value> elements = l.elements(op.getSource()), others;
  if (op.getOther()) {
    others = l.elements(op.getOther());
  } else {
    Type scalar = l.scalarType(type.getElementType());
    Value zero = isa<FloatType>(scalar) ? l.constantF(scalar, 0) : l.constant(scalar, 0);
    others.assign(l.layoutOf(type).numRegisters(), zero);
  }
  if (auto registers = partRegisters(op)) {
    for (auto [reg, from] : llvm::enumerate(*registers)) {
      others[reg] = from ? elements[*from] : others[reg];
    }
    l.setElements(op.getResult(), others);
    return success();
  }
  SharedPart part(l, op);
  part.store(elements);
  l.ctaBarrier();
  l.setElements(op.getResult(), part.load(others));
  return success();
}

} // namespace

void registerPart(Lowering::HandlerTable &table) { Lowering::add<tile::PartOp, lowerPart>(table); }

} // namespace phobos::lowering
