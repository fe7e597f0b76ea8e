// tile-persist: the blocks of a persistent kernel as a loop. See Passes.td.
#include "phobos/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace phobos::tile {

#define GEN_PASS_DEF_PERSIST
#include "phobos/Dialect/Tile/Transforms/Passes.h.inc"

namespace {

struct Persist final : impl::PersistBase<Persist> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(kPersistentAttr)) {
      return;
    }
    Block &entry = kernel.getBody().front();
    Operation *end = entry.getTerminator();
    OpBuilder b = OpBuilder::atBlockBegin(&entry);
    Location loc = kernel.getLoc();
    Value width = GridDimOp::create(b, loc, Axis::x), height = GridDimOp::create(b, loc, Axis::y);
    Value plane = arith::MulIOp::create(b, loc, width, height);
    Value blocks = arith::MulIOp::create(b, loc, plane, GridDimOp::create(b, loc, Axis::z));
    Value first = ResidentIdOp::create(b, loc, b.getIndexType());
    Value step = kernel->hasAttr(kQueueAttr) ? Value(QueueOp::create(b, loc, b.getIndexType()))
                                             : Value(ResidentCountOp::create(b, loc, b.getIndexType()));
    auto loop = scf::ForOp::create(b, loc, first, blocks, step);

    Block *body = loop.getBody();
    b.setInsertionPointToStart(body);
    Value block = loop.getInductionVar();
    Value ids[] = {
        arith::RemUIOp::create(b, loc, block, width),
        arith::RemUIOp::create(b, loc, arith::DivUIOp::create(b, loc, block, width), height),
        arith::DivUIOp::create(b, loc, block, plane),
    };
    body->getOperations().splice(std::prev(body->end()), entry.getOperations(), std::next(loop->getIterator()),
                                 end->getIterator());
    kernel.walk([&](BlockIdOp op) {
      op.getResult().replaceAllUsesWith(ids[unsigned(op.getAxis())]);
      op.erase();
    });
  }
};

} // namespace
} // namespace phobos::tile
