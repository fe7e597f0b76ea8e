// dot.mma: fragments to mma.sync (PTX ISA, "Warp-level matrix instructions: mma").
//
// Registers are in the order that Layout/Constructors.h documents, so an instruction's operands are a contiguous range
// of words. Rows of instructions are walked as a serpentine: the neighbouring instruction shares one operand.
#include "phobos/Conversion/Lowering.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

struct Element {
  NVVM::MMATypes ptx;
  bool wordsAreI32; // else pairs of f16 as they are
};

std::optional<Element> operandElement(Type type) {
  if (type.isF16()) {
    return Element{NVVM::MMATypes::f16, false};
  }
  if (type.isBF16()) {
    return Element{NVVM::MMATypes::bf16, true};
  }
  if (type.isF32()) {
    return Element{NVVM::MMATypes::tf32, true};
  }
  if (type.isInteger(8)) {
    return Element{NVVM::MMATypes::s8, true};
  }
  return std::nullopt;
}

LogicalResult lowerMma(Lowering &l, dot::MmaOp op) {
  auto aType = cast<RankedTensorType>(op.getA().getType());
  auto accType = cast<RankedTensorType>(op.getAcc().getType());
  auto element = operandElement(aType.getElementType());
  if (!element) {
    return op.emitError("internal: no mma.sync for operands of ") << aType.getElementType();
  }
  ArrayRef<int64_t> shape = op.getShape();
  // An instruction's operands in 32-bit words: 16 x k, k x 8, over 32 lanes.
  unsigned bits = tile::elementBits(aType.getElementType());
  unsigned wordsA = 16 * shape[2] * bits / 32 / 32, wordsB = 8 * shape[2] * bits / 32 / 32;
  unsigned steps = layout::nextPowerOf2(aType.getShape()[1]) / shape[2];

  auto operands = [&](Value tile) {
    SmallVector<Value> words(l.words(tile));
    for (Value &word : words) {
      word = element->wordsAreI32 ? l.bitcast(l.i32(), word) : word;
    }
    return words;
  };
  SmallVector<Value> a = operands(op.getA()), b = operands(op.getB());
  SmallVector<Value> acc(l.words(op.getAcc()));
  unsigned rows = a.size() / (steps * wordsA), columns = b.size() / (steps * wordsB);
  assert(acc.size() == rows * columns * 4 && "operand and accumulator layouts agree");

  Type accElement = accType.getElementType();
  Type result = LLVM::LLVMStructType::getLiteral(l.b.getContext(), SmallVector<Type>(4, accElement));
  std::array<NVVM::MMATypes, 2> ptxTypes = {element->ptx, element->ptx};
  std::array<NVVM::MMALayout, 2> layouts = {NVVM::MMALayout::row, NVVM::MMALayout::col};
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (accElement.isInteger()) {
    overflow = NVVM::MMAIntOverflow::wrapped;
  }
  for (unsigned step = 0; step < steps; ++step) {
    for (unsigned row = 0; row < rows; ++row) {
      for (unsigned i = 0; i < columns; ++i) {
        unsigned column = row % 2 ? columns - 1 - i : i;
        auto wordsOfA = ArrayRef(a).slice((step * rows + row) * wordsA, wordsA);
        auto wordsOfB = ArrayRef(b).slice((step * columns + column) * wordsB, wordsB);
        auto sums = MutableArrayRef(acc).slice((row * columns + column) * 4, 4);
        Value product = NVVM::MmaOp::create(l.b, l.loc, result, wordsOfA, wordsOfB, ValueRange(sums), shape,
                                            std::nullopt, overflow, ptxTypes, layouts);
        for (unsigned e = 0; e < 4; ++e) {
          sums[e] = LLVM::ExtractValueOp::create(l.b, l.loc, product, e);
        }
      }
    }
  }
  l.setWords(op.getResult(), acc);
  return success();
}

} // namespace

void registerMma(Lowering::HandlerTable &table) { Lowering::add<dot::MmaOp, lowerMma>(table); }

} // namespace phobos::lowering
