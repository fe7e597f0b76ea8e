// tile-advance-loads: loads are issued before the arithmetic that stands in front of them. See Passes.td.
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"
#include "phobos/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace phobos::tile {

#define GEN_PASS_DEF_ADVANCELOADS
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

// What is loaded ahead in one run of arithmetic, a thread: more would push values out of registers that are in use.
constexpr unsigned kMaxBytesAhead = 256;

/// Arithmetic of one thread on its own: nothing that meets other threads, and no product, before which loads wait for
/// room.
bool isThreadsOwn(Operation *op) {
  bool known = isa_and_present<arith::ArithDialect, math::MathDialect, TileDialect>(op->getDialect());
  return known && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa<RelayoutOp, PartOp, ToScalarOp, QueueOp>(op);
}

bool makesTile(Operation *op) { return llvm::any_of(op->getResultTypes(), isTile); }

unsigned bytesOfThread(LoadOp load) {
  auto type = cast<RankedTensorType>(load.getResult().getType());
  return layoutOf(type).numRegisters() * llvm::divideCeil(elementBits(type.getElementType()), 8);
}

/// Moves the load, and the scalars that it needs, up over arithmetic on tiles. Returns whether it moved.
bool advance(LoadOp load) {
  SmallVector<Operation *> moved = {load};
  Operation *behind = nullptr; // what they come to stand before
  size_t needed = 1;           // of `moved`, with `behind`
  auto isNeeded = [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) { return llvm::is_contained(moved, user); });
  };
  for (Operation *op = load->getPrevNode(); op && isThreadsOwn(op); op = op->getPrevNode()) {
    if (!isNeeded(op)) {
      if (makesTile(op)) {
        behind = op;
        needed = moved.size();
      }
    } else if (makesTile(op)) {
      break;
    } else {
      moved.push_back(op);
    }
  }
  if (!behind) {
    return false;
  }
  for (Operation *op : llvm::reverse(ArrayRef(moved).take_front(needed))) {
    op->moveBefore(behind);
  }
  return true;
}

struct AdvanceLoads final : impl::AdvanceLoadsBase<AdvanceLoads> {
  void runOnOperation() override {
    getOperation().walk([](Block *block) {
      unsigned bytes = 0;
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        if (auto load = dyn_cast<LoadOp>(op)) {
          unsigned more = bytesOfThread(load);
          bytes += bytes + more <= kMaxBytesAhead && advance(load) ? more : 0;
        } else if (!isThreadsOwn(&op)) {
          bytes = 0;
        }
      }
    });
  }
};

} // namespace
} // namespace phobos::tile
