// Loads and stores of slices, and the numbers of a launch.
//
// A masked load reads zeros of the module's own instead, and replaces them by the fill if that is another: no branch
// splits the block. (The view's first element would do no better: the view may be empty, or another block be writing to
// it.) A masked store is branched around.
#include "phobos/Conversion/SliceAccess.h"
#include "phobos/Conversion/TilePlaces.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Layout/Constructors.h"
#include "phobos/Target/CacheHint.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

/// Elements that one access of a slice of these extents under `layout` moves.
template <typename OpT>
unsigned vectorElements(Lowering &l, OpT op, const SliceAccess::Slice &slice, const layout::LinearLayout &layout) {
  const auto &[view, offsets, extents, whole, places] = slice;
  auto type = cast<tile::ViewType>(view.getType());
  auto unit = tile::unitDim(type);
  if (!unit || op.indicesOf(*unit)) {
    return 1;
  }
  unsigned bits = tile::elementBits(type.getElementType());
  unsigned n = std::min(consecutive(layout, *unit), tile::alignedBytes(view, offsets) * 8 / bits);
  n = std::min(n, tile::maskGranule(l.kernel, view, *unit, offsets[*unit], whole(*unit), extents[*unit]));
  n = std::min(n, 128 / bits);
  for (ArrayRef<Value> each : places) { // what one access moves lies in one place along the other dimensions
    for (unsigned reg = 0; reg < each.size(); ++reg) {
      while (each[reg] != each[reg & ~(n - 1)]) {
        n /= 2;
      }
    }
  }
  return n * bits >= 32 ? n : 1;
}

/// Elements of `bits` bits travel as 32- or 64-bit words in a vector access.
Type memoryWord(Lowering &l, Type element, unsigned bits) { return bits < 32 ? l.i32() : l.scalarType(element); }

/// One vector of n elements at `address`, as elements. The hint, if there is one, goes with the load.
void loadVector(Lowering &l, Value address, Type element, unsigned n, Attribute hint, SmallVectorImpl<Value> &out) {
  unsigned bits = tile::elementBits(element);
  Type scalar = l.scalarType(element);
  auto load = [&](Type type) -> Value {
    auto op = LLVM::LoadOp::create(l.b, l.loc, type, address, n * bits / 8);
    if (hint) {
      op->setAttr(target::kCacheHintAttr, hint);
    }
    return op;
  };
  if (n == 1) {
    out.push_back(load(scalar));
    return;
  }
  Type word = memoryWord(l, element, bits);
  unsigned perWord = bits < 32 ? 32 / bits : 1, words = n / perWord;
  Type type = words == 1 ? word : Type(VectorType::get(words, word));
  Value loaded = load(type);
  for (unsigned i = 0; i < words; ++i) {
    Value x = words == 1 ? loaded : Value(LLVM::ExtractElementOp::create(l.b, l.loc, loaded, l.i32c(i)));
    if (perWord == 1) {
      out.push_back(x);
      continue;
    }
    Value packed = l.bitcast(VectorType::get(perWord, scalar), x);
    for (unsigned j = 0; j < perWord; ++j) {
      out.push_back(LLVM::ExtractElementOp::create(l.b, l.loc, packed, l.i32c(j)));
    }
  }
}

void storeVector(Lowering &l, Value address, Type element, ArrayRef<Value> elements) {
  unsigned bits = tile::elementBits(element), n = elements.size();
  if (n == 1) {
    LLVM::StoreOp::create(l.b, l.loc, elements[0], address, bits / 8);
    return;
  }
  unsigned perWord = bits < 32 ? 32 / bits : 1, words = n / perWord;
  Type word = memoryWord(l, element, bits);
  SmallVector<Value> packed;
  for (unsigned i = 0; i < words; ++i) {
    if (perWord == 1) {
      packed.push_back(elements[i]);
      continue;
    }
    Value x = LLVM::UndefOp::create(l.b, l.loc, VectorType::get(perWord, elements[0].getType()));
    for (unsigned j = 0; j < perWord; ++j) {
      x = LLVM::InsertElementOp::create(l.b, l.loc, x, elements[i * perWord + j], l.i32c(j));
    }
    packed.push_back(l.bitcast(word, x));
  }
  Value all = packed[0];
  if (words > 1) {
    all = LLVM::UndefOp::create(l.b, l.loc, VectorType::get(words, word));
    for (unsigned i = 0; i < words; ++i) {
      all = LLVM::InsertElementOp::create(l.b, l.loc, all, packed[i], l.i32c(i));
    }
  }
  LLVM::StoreOp::create(l.b, l.loc, all, address, n * bits / 8);
}

constexpr unsigned kZeroBytes = 16; // the widest access
constexpr StringLiteral kZeroSymbol = "phobos_zeros";

/// Where masked loads read.
Value zeros(Lowering &l) {
  auto module = l.kernel->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(kZeroSymbol)) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto words = RankedTensorType::get({kZeroBytes / 4}, b.getI32Type());
    LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI32Type(), kZeroBytes / 4),
                           /*isConstant=*/true, LLVM::Linkage::Internal, kZeroSymbol,
                           DenseElementsAttr::get(words, b.getI32IntegerAttr(0).getValue()), kZeroBytes, kGlobalSpace);
  }
  return LLVM::AddressOfOp::create(l.b, l.loc, l.pointer(kGlobalSpace), kZeroSymbol);
}

LogicalResult lowerLoad(Lowering &l, tile::LoadOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  const layout::LinearLayout &layout = l.layoutOf(type);
  auto whole = [&](unsigned dim) { return op.isWhole(dim); };
  SliceAccess::Slice slice{op.getView(), op.getOffsets(), type.getShape(), whole, placesOf(l, op)};
  SliceAccess access(l, slice, layout);
  unsigned n = vectorElements(l, op, slice, layout);
  Type element = type.getElementType();
  Value fill = op.getFill() ? l.scalar(op.getFill()) : Value(), nothing;

  uint32_t replicas = layout.freeVariableMasks().reg;
  SmallVector<Value> elements;
  for (unsigned reg = 0; reg < layout.numRegisters(); reg += n) {
    if (reg & replicas) { // the same element as a lower register's
      for (unsigned i = 0; i < n; ++i) {
        elements.push_back(elements[(reg + i) & ~replicas]);
      }
      continue;
    }
    Value address = access.pointer(reg);
    Value inside = access.predicate(reg);
    if (inside) {
      nothing = nothing ? nothing : zeros(l);
      address = l.select(inside, address, nothing);
    }
    size_t first = elements.size();
    loadVector(l, address, element, n, op->getAttr(target::kCacheHintAttr), elements);
    for (size_t i = first; inside && fill && i < elements.size(); ++i) {
      elements[i] = l.select(inside, elements[i], fill);
    }
  }
  l.setElements(op.getResult(), elements);
  return success();
}

LogicalResult lowerStore(Lowering &l, tile::StoreOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  const layout::LinearLayout &layout = l.layoutOf(type);
  auto whole = [&](unsigned dim) { return op.isWhole(dim); };
  SliceAccess::Slice slice{op.getView(), op.getOffsets(), type.getShape(), whole, placesOf(l, op)};
  SliceAccess access(l, slice, layout);
  unsigned n = vectorElements(l, op, slice, layout);
  SmallVector<Value> elements = l.elements(op.getValue());

  uint32_t replicas = layout.freeVariableMasks().reg;
  Value writes = l.isWriter(layout);
  unsigned reg = 0, end = layout.numRegisters();
  while (reg < end) {
    // Neighbouring vectors under one mask share its branch.
    Value inside = access.predicate(reg);
    SmallVector<unsigned> group;
    for (; reg < end && access.predicate(reg) == inside; reg += n) {
      if (!(reg & replicas)) {
        group.push_back(reg);
      }
    }
    if (group.empty()) {
      continue;
    }
    SmallVector<Value> addresses = llvm::map_to_vector(group, [&](unsigned r) { return access.pointer(r); });
    Value guard = l.logicalAnd(writes, inside);
    if (guard) { // behind which LLVM would draw loads that nothing else uses
      l.pinMemory();
    }
    l.guarded(guard, [&] {
      for (auto [r, address] : llvm::zip(group, addresses)) {
        storeVector(l, address, type.getElementType(), ArrayRef(elements).slice(r, n));
      }
    });
  }
  return success();
}

/// By one thread for each line of 128 bytes, where rows of the slice have such: by that of the first element in it.
LogicalResult lowerPrefetch(Lowering &l, tile::PrefetchOp op) {
  constexpr unsigned kVectorBits = 128, kLineBits = 128 * 8;
  auto view = cast<tile::ViewType>(op.getView().getType());
  unsigned bits = tile::elementBits(view.getElementType());
  auto unit = tile::unitDim(view);
  SmallVector<unsigned> order; // fastest in memory first
  for (unsigned dim = view.getRank(); dim-- > 0;) {
    order.insert(dim == unit ? order.begin() : order.end(), dim);
  }
  layout::LinearLayout layout = layout::blockedForAccess(layout::paddedShape(op.getExtents()), bits, order,
                                                         l.kernel.getNumWarps(), unit ? kVectorBits / bits : 1);
  SliceAccess access(l, {op.getView(), op.getOffsets(), op.getExtents(), [](unsigned) { return false; }}, layout);
  TilePlaces places(l, layout);
  uint32_t replicas = layout.freeVariableMasks().reg;
  unsigned n = unit ? consecutive(layout, *unit) : 1;
  for (unsigned reg = 0; reg < layout.numRegisters(); reg += n) {
    if (reg & replicas) {
      continue;
    }
    Value first = l.isWriter(layout);
    if (unit) {
      Value inLine = l.bitAnd(places.coordinate(reg, *unit), kLineBits / bits - 1);
      first = l.logicalAnd(first, l.icmp(LLVM::ICmpPredicate::eq, inLine, l.i32c(0)));
    }
    Value address = access.pointer(reg);
    l.guarded(l.logicalAnd(first, access.predicate(reg)), [&] {
      auto level = NVVM::PrefetchCacheLevelAttr::get(l.b.getContext(), NVVM::PrefetchCacheLevel::L2);
      NVVM::PrefetchOp::create(l.b, l.loc, level, NVVM::CacheEvictionPriorityAttr(), address, Value(), UnitAttr(),
                               UnitAttr(), UnitAttr());
    });
  }
  return success();
}

LogicalResult lowerExtent(Lowering &l, tile::ExtentOp op) {
  l.setScalar(op.getResult(), l.view(op.getView()).extents[op.getDim()]);
  return success();
}

LogicalResult lowerStride(Lowering &l, tile::StrideOp op) {
  l.setScalar(op.getResult(), l.toIndex(l.view(op.getView()).strides[op.getDim()]));
  return success();
}

template <typename X, typename Y, typename Z> Value launchIndex(Lowering &l, tile::Axis axis) {
  Value number;
  switch (axis) {
  case tile::Axis::x:
    number = X::create(l.b, l.loc, l.i32());
    break;
  case tile::Axis::y:
    number = Y::create(l.b, l.loc, l.i32());
    break;
  case tile::Axis::z:
    number = Z::create(l.b, l.loc, l.i32());
    break;
  }
  return l.toIndex(number);
}

LogicalResult lowerBlockId(Lowering &l, tile::BlockIdOp op) {
  l.setScalar(op.getResult(), launchIndex<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(l, op.getAxis()));
  return success();
}

LogicalResult lowerGridDim(Lowering &l, tile::GridDimOp op) {
  Value asked = l.grid(op.getAxis());
  l.setScalar(op.getResult(),
              asked ? asked : launchIndex<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(l, op.getAxis()));
  return success();
}

// Residents are launched along x.
LogicalResult lowerResidentId(Lowering &l, tile::ResidentIdOp op) {
  l.setScalar(op.getResult(), l.toIndex(NVVM::BlockIdXOp::create(l.b, l.loc, l.i32())));
  return success();
}

LogicalResult lowerResidentCount(Lowering &l, tile::ResidentCountOp op) {
  l.setScalar(op.getResult(), l.toIndex(NVVM::GridDimXOp::create(l.b, l.loc, l.i32())));
  return success();
}

LogicalResult lowerAdmitNext(Lowering &l, tile::AdmitNextOp) {
  NVVM::GriddepcontrolOp::create(l.b, l.loc, NVVM::GridDepActionKind::launch_dependents);
  return success();
}

// To LLVM the instruction touches no memory.
LogicalResult lowerAwaitPrevious(Lowering &l, tile::AwaitPreviousOp) {
  NVVM::GriddepcontrolOp::create(l.b, l.loc, NVVM::GridDepActionKind::wait);
  l.pinMemory();
  return success();
}

} // namespace

void registerMemory(Lowering::HandlerTable &table) {
  Lowering::add<tile::LoadOp, lowerLoad>(table);
  Lowering::add<tile::StoreOp, lowerStore>(table);
  Lowering::add<tile::PrefetchOp, lowerPrefetch>(table);
  Lowering::add<tile::ExtentOp, lowerExtent>(table);
  Lowering::add<tile::StrideOp, lowerStride>(table);
  Lowering::add<tile::BlockIdOp, lowerBlockId>(table);
  Lowering::add<tile::GridDimOp, lowerGridDim>(table);
  Lowering::add<tile::ResidentIdOp, lowerResidentId>(table);
  Lowering::add<tile::ResidentCountOp, lowerResidentCount>(table);
  Lowering::add<tile::AdmitNextOp, lowerAdmitNext>(table);
  Lowering::add<tile::AwaitPreviousOp, lowerAwaitPrevious>(table);
}

} // namespace phobos::lowering
