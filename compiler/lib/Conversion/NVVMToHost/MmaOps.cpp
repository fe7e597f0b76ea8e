// mma.sync, ldmatrix and stmatrix as entries of warp programs.
#include "WarpProgram.h"

using namespace mlir;
using phobos::host::WarpKind;

namespace phobos::tohost {
namespace {

struct Shape {
  WarpKind kind;
  int k;
  NVVM::MMATypes element, accumulator;
};

/// The m16n8 products that the simulator has; f16 products may sum in f16 or f32.
constexpr Shape kShapes[] = {
#define PHOBOS_WARP_MMA(name, k, element, accumulator, sentence)                                                       \
  {WarpKind::name, k, NVVM::MMATypes::element, NVVM::MMATypes::accumulator},
#include "phobos/host/HostCalls.def"
};

std::optional<WarpEntry> describeMma(NVVM::MmaOp op) {
  NVVM::MMAShapeAttr shape = op.getShape();
  if (shape.getM() != 16 || shape.getN() != 8 || op.getLayoutA() != NVVM::MMALayout::row ||
      op.getLayoutB() != NVVM::MMALayout::col || op.getB1Op() || !op.getMultiplicandAPtxType() ||
      !op.getMultiplicandBPtxType()) {
    return std::nullopt;
  }
  NVVM::MMATypes a = *op.getMultiplicandAPtxType(), b = *op.getMultiplicandBPtxType();
  uint8_t flags = 0;
  auto signedOf = [&](NVVM::MMATypes type, uint8_t flag) {
    flags |= type == NVVM::MMATypes::u8 ? flag : 0;
    return type == NVVM::MMATypes::u8 ? NVVM::MMATypes::s8 : type;
  };
  a = signedOf(a, host::kUnsignedA);
  b = signedOf(b, host::kUnsignedB);
  NVVM::MMATypes accumulator = op.accumPtxType();
  if (a != b || accumulator != op.resultPtxType()) {
    return std::nullopt;
  }
  if (a == NVVM::MMATypes::s8 && op.getIntOverflowBehavior() != NVVM::MMAIntOverflow::wrapped) {
    flags |= host::kSaturate;
  }
  for (const Shape &known : kShapes) {
    if (known.k == shape.getK() && known.element == a && known.accumulator == accumulator) {
      WarpEntry entry;
      entry.op.kind = known.kind;
      entry.op.flags = flags;
      entry.operands.assign(op->operand_begin(), op->operand_end());
      entry.results = op.getOperandC().size();
      entry.inPlace = entry.operands.size() - entry.results;
      return entry;
    }
  }
  return std::nullopt;
}

bool isPlainMatrix(NVVM::LdStMatrixShapeAttr shape, NVVM::LdStMatrixEltType element) {
  return shape.getM() == 8 && shape.getN() == 8 && element == NVVM::LdStMatrixEltType::B16;
}

uint8_t turned(NVVM::MMALayout layout) { return layout == NVVM::MMALayout::col ? host::kTransposed : 0; }

} // namespace

std::optional<WarpEntry> describeMatrixOp(Operation *op) {
  WarpEntry entry;
  if (auto mma = dyn_cast<NVVM::MmaOp>(op)) {
    return describeMma(mma);
  }
  if (auto load = dyn_cast<NVVM::LdMatrixOp>(op)) {
    if (!isPlainMatrix(load.getShape(), load.getEltType())) {
      return std::nullopt;
    }
    entry.op.kind = WarpKind::LdMatrix;
    entry.op.num = entry.results = load.getNum();
    entry.op.flags = turned(load.getLayout());
    entry.operands = {load.getPtr()};
    entry.effect = Effect::Reads;
    return entry;
  }
  if (auto store = dyn_cast<NVVM::StMatrixOp>(op)) {
    if (!isPlainMatrix(store.getShape(), store.getEltType())) {
      return std::nullopt;
    }
    entry.op.kind = WarpKind::StMatrix;
    entry.op.num = store.getSources().size();
    entry.op.flags = turned(store.getLayout());
    entry.operands.assign(store->operand_begin(), store->operand_end());
    entry.effect = Effect::Writes;
    return entry;
  }
  return std::nullopt;
}

} // namespace phobos::tohost
