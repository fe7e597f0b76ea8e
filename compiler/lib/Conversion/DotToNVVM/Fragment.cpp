// dot.fragment: part of a slot into registers, by ldmatrix where the layout allows, else by vector loads.
//
// Whatever reads the part (registers, or rows of ldmatrix) is extended over the whole slot, the place of the part being
// some more register bits, so that all parts of a slot share one thread's base address and differ by immediates.
#include "phobos/Conversion/SharedAccess.h"
#include "phobos/Dialect/Dot/IR/StageLayout.h"
#include "phobos/Layout/Algebra.h"
#include "phobos/Layout/Ldmatrix.h"
#include "phobos/Layout/Swizzle.h"

using namespace mlir;
using phobos::layout::Coords;
using phobos::layout::In;
using phobos::layout::LinearLayout;

namespace phobos::lowering {
namespace {

/// A part of a slot: extents (powers of two) and where it begins.
struct Part {
  Coords extents;
  ArrayRef<int64_t> origin;
  ArrayRef<int32_t> slot;

  /// `reader`'s registers, and above them one bit for each bit of an origin.
  LinearLayout extend(const LinearLayout &reader) const {
    auto registers = reader.bases(In::Register);
    for (unsigned dim = 0; dim < slot.size(); ++dim) {
      for (int32_t extent = extents[dim]; extent < slot[dim]; extent *= 2) {
        Coords basis(slot.size(), 0);
        basis[dim] = extent;
        registers.push_back(basis);
      }
    }
    return LinearLayout(slot, registers, reader.bases(In::Lane), reader.bases(In::Warp));
  }
  /// The extended register of `reader`'s register 0 at this part's origin.
  unsigned firstRegister(const LinearLayout &reader) const {
    unsigned place = 0, bit = reader.numBits(In::Register);
    for (unsigned dim = 0; dim < slot.size(); ++dim) {
      for (int32_t extent = extents[dim]; extent < slot[dim]; extent *= 2) {
        place |= (origin[dim] & extent ? 1u : 0u) << bit++;
      }
    }
    return place;
  }
};

/// The same bases over the larger extents of the slot.
LinearLayout embed(const LinearLayout &part, ArrayRef<int32_t> slot) {
  return LinearLayout(slot, part.bases(In::Register), part.bases(In::Lane), part.bases(In::Warp));
}

SmallVector<Value> loadMatrices(Lowering &l, const layout::LdmatrixPlan &plan, SharedAccess &access, unsigned first,
                                RankedTensorType type) {
  SmallVector<Value> words(l.numWords(type));
  auto layout = plan.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  auto shape = NVVM::LdStMatrixShapeAttr::get(l.b.getContext(), 8, 8);
  Type loadedType = l.i32();
  if (plan.matrices > 1) {
    loadedType = LLVM::LLVMStructType::getLiteral(l.b.getContext(), SmallVector<Type>(plan.matrices, l.i32()));
  }
  for (unsigned repetition = 0; repetition < plan.repetitions(); ++repetition) {
    Value loaded = NVVM::LdMatrixOp::create(l.b, l.loc, loadedType, access.pointer(first | repetition), plan.matrices,
                                            layout, shape, NVVM::LdStMatrixEltType::B16);
    for (unsigned matrix = 0; matrix < plan.matrices; ++matrix) {
      Value word = plan.matrices == 1 ? loaded : Value(LLVM::ExtractValueOp::create(l.b, l.loc, loaded, matrix));
      words[plan.reg(repetition, matrix, 0) / plan.perWord] = l.bitcast(l.wordType(type), word);
    }
  }
  for (auto [i, word] : llvm::enumerate(words)) {
    if (!word) {
      word = words[plan.copyOf[i * plan.perWord] / plan.perWord];
    }
  }
  return words;
}

SmallVector<Value> loadVectors(Lowering &l, const LinearLayout &pattern, const layout::SharedLayout &shared,
                               SharedAccess &access, unsigned first, RankedTensorType type) {
  unsigned bytes = shared.elemBytes(), registers = pattern.numRegisters();
  unsigned n = std::min(std::max(1u, layout::vectorBytes(pattern, shared) / bytes), registers);
  n = n * bytes < 4 ? 1 : n;
  uint32_t replicas = pattern.freeVariableMasks().reg;
  Type scalar = l.scalarType(type.getElementType());
  SmallVector<Value> elements;
  for (unsigned reg = 0; reg < registers; reg += n) {
    if (reg & replicas) {
      for (unsigned i = 0; i < n; ++i) {
        elements.push_back(elements[(reg + i) & ~replicas]);
      }
      continue;
    }
    Type loadedType = n == 1 ? scalar : Type(VectorType::get(n, scalar));
    Value loaded = LLVM::LoadOp::create(l.b, l.loc, loadedType, access.pointer(first | reg), n * bytes);
    for (unsigned i = 0; i < n; ++i) {
      elements.push_back(n == 1 ? loaded : Value(LLVM::ExtractElementOp::create(l.b, l.loc, loaded, l.i32c(i))));
    }
  }
  return l.packElements(type, elements);
}

LogicalResult lowerFragment(Lowering &l, dot::FragmentOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  layout::SharedLayout shared = dot::sharedLayoutOf(op.getStage().getType());
  LinearLayout fragment = l.layoutOf(type);
  if (op.getTransposed()) {
    fragment = layout::transpose(fragment, {1, 0});
  }
  Part part{Coords(fragment.shape()), op.getOrigin(), shared.shape()};
  LinearLayout operand = embed(fragment, shared.shape());
  Value slot = slotOffset(l, op.getStage(), op.getSlot());

  auto plan = layout::planLdmatrix(operand, shared, shared.elemBits());
  if (plan && plan->perWord == l.pack(type)) {
    SharedAccess access(l, slot, part.extend(plan->rowLayout), shared);
    l.setWords(op.getResult(), loadMatrices(l, *plan, access, part.firstRegister(plan->rowLayout), type));
    return success();
  }
  SharedAccess access(l, slot, part.extend(operand), shared);
  l.setWords(op.getResult(), loadVectors(l, operand, shared, access, part.firstRegister(operand), type));
  if (op.getAhead()) { // LLVM would sink the loads to their use
    l.pinMemory();
  }
  return success();
}

} // namespace

void registerFragment(Lowering::HandlerTable &table) { Lowering::add<dot::FragmentOp, lowerFragment>(table); }

} // namespace phobos::lowering
