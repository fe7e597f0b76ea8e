// tile.grid_barrier: the blocks of a launch count themselves in a word of global memory.
//
// All but one block add 1 and the first adds what is missing to 2^31, so that the last to arrive flips the highest bit
// and leaves the others 0: whoever saw the bit before its own arrival waits for the other value, and the next barrier,
// of this launch or of the next, needs no reset. Release and acquire by one thread cover the whole block, for the
// barriers of the CTA around them are part of what comes before and after (PTX ISA, causality order).
#include "phobos/Conversion/Lowering.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

constexpr int64_t kArrivalsOffset = 4; // behind the word for blocks drawn: EntryParameter::Kind::Counters
constexpr StringLiteral kDeviceScope = "device";

/// The CTA's number in the grid, and how many there are.
std::pair<Value, Value> numberAndCount(Lowering &l) {
  auto id = [&](auto op) -> Value { return op; };
  Value x = id(NVVM::BlockIdXOp::create(l.b, l.loc, l.i32())), nx = id(NVVM::GridDimXOp::create(l.b, l.loc, l.i32()));
  Value y = id(NVVM::BlockIdYOp::create(l.b, l.loc, l.i32())), ny = id(NVVM::GridDimYOp::create(l.b, l.loc, l.i32()));
  Value z = id(NVVM::BlockIdZOp::create(l.b, l.loc, l.i32())), nz = id(NVVM::GridDimZOp::create(l.b, l.loc, l.i32()));
  return {l.add(x, l.mul(nx, l.add(y, l.mul(ny, z)))), l.mul(nx, l.mul(ny, nz))};
}

/// Until the highest bit of the word differs from that of `before`.
void spin(Lowering &l, Value word, Value before) {
  Block *ahead = l.b.getInsertionBlock();
  Block *after = ahead->splitBlock(l.b.getInsertionPoint());
  Block *turn = l.b.createBlock(after);
  l.b.setInsertionPointToEnd(ahead);
  LLVM::BrOp::create(l.b, l.loc, ValueRange(), turn);
  l.b.setInsertionPointToEnd(turn);
  Value now = LLVM::LoadOp::create(l.b, l.loc, l.i32(), word, /*alignment=*/4, /*isVolatile=*/false,
                                   /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                   LLVM::AtomicOrdering::acquire, kDeviceScope);
  Value same = l.icmp(LLVM::ICmpPredicate::sge, l.bitXor(now, before), l.i32c(0));
  LLVM::CondBrOp::create(l.b, l.loc, same, turn, after);
  l.b.setInsertionPointToStart(after);
}

LogicalResult lowerGridBarrier(Lowering &l, tile::GridBarrierOp) {
  l.ctaBarrier();
  l.guarded(l.isLeader(), [&] {
    auto [number, count] = numberAndCount(l);
    Value missing = l.sub(l.i32c(int64_t(1) << 31), l.sub(count, l.i32c(1)));
    Value first = l.icmp(LLVM::ICmpPredicate::eq, number, l.i32c(0));
    Value word = l.byteOffset(l.counters(), kArrivalsOffset);
    // A fence, for the back end leaves out an order of the atomic itself.
    LLVM::FenceOp::create(l.b, l.loc, LLVM::AtomicOrdering::release, kDeviceScope);
    Value before =
        LLVM::AtomicRMWOp::create(l.b, l.loc, LLVM::AtomicBinOp::add, word, l.select(first, missing, l.i32c(1)),
                                  LLVM::AtomicOrdering::monotonic, kDeviceScope);
    spin(l, word, before);
  });
  l.ctaBarrier();
  l.pinMemory();
  return success();
}

} // namespace

void registerGridBarrier(Lowering::HandlerTable &table) { Lowering::add<tile::GridBarrierOp, lowerGridBarrier>(table); }

} // namespace phobos::lowering
