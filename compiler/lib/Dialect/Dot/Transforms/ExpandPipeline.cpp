// dot-expand-pipeline: scheduled loops become prologue and pipelined body. See Passes.td.
#include "LoopExpander.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_EXPANDPIPELINE
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

/// Rewrites one loop. Slots are numbered by carried values: the slot read this turn and the slot copied into (of
/// `stages`), and the slot read of buffers filled through registers (of two).
class Expander : LoopExpander {
public:
  explicit Expander(scf::ForOp loop) : LoopExpander(loop) {
    auto latency = [](Operation *op) { return op->getAttrOfType<IntegerAttr>(kLatencyAttr); };
    llvm::erase_if(copies.async, [&](CopyAsyncOp op) { return !latency(op); });
    llvm::erase_if(copies.throughRegisters, [&](const RegisterCopy &copy) { return !latency(copy.loads.front()); });
    for (const RegisterCopy &copy : copies.throughRegisters) {
      early.insert(copy.loads.begin(), copy.loads.end());
      early.insert(copy.work.begin(), copy.work.end());
      early.insert(copy.put);
    }
    stages = copies.async.empty() ? 2 : latency(copies.async.front()).getInt() + 1;
  }

  void run() {
    loop.emitRemark() << "pipelined: " << stages << " stages, " << copies.async.size() << " asynchronous copies and "
                      << copies.throughRegisters.size() << " through registers a turn";
    growBuffers();
    prologue();
    scf::ForOp pipelined = buildLoop();
    replaceBy(pipelined);
  }

private:
  bool hasAsync() const { return !copies.async.empty(); }
  bool hasRegisters() const { return !copies.throughRegisters.empty(); }

  void growBuffers() {
    for (CopyAsyncOp copy : copies.async) {
      growStage(copy.getStage(), stages);
      ours.insert(copy.getStage());
    }
    for (RegisterCopy &copy : copies.throughRegisters) {
      growStage(copy.put.getStage(), 2);
      ours.insert(copy.put.getStage());
      inRegisters.insert(copy.put.getStage());
    }
  }

  /// This turn's copies, into `slot`; nothing is read unless `valid`.
  void startCopies(Value iv, Value slot, Value valid) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), iv);
    for (CopyAsyncOp copy : copies.async) {
      cloneNeeds(copy, mapping);
      auto clone = cast<CopyAsyncOp>(b.clone(*copy, mapping));
      clone.getSlotMutable().set(slot);
      clone.getValidMutable().assign(valid);
      clone->removeAttr(kClusterAttr);
      clone->removeAttr(kLatencyAttr);
    }
    if (hasAsync()) {
      CommitOp::create(b, loc);
    }
  }

  /// Loads what goes through registers for the turn of `iv`. Past the end it is masked, so nothing that depends on the
  /// turn is whole. The mapping is for putTiles.
  IRMapping startLoads(Value iv) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), iv);
    for (const RegisterCopy &copy : copies.throughRegisters) {
      for (tile::LoadOp load : copy.loads) {
        cloneNeeds(load, mapping);
        auto clone = cast<tile::LoadOp>(b.clone(*load, mapping));
        SmallVector<bool> whole(load.getOffsets().size(), false);
        for (auto [dim, offset] : llvm::enumerate(load.getOffsets())) {
          whole[dim] = load.isWhole(dim) && clone.getOffsets()[dim] == offset;
        }
        clone.setWhole(whole);
        clone->removeAttr(kClusterAttr);
        clone->removeAttr(kLatencyAttr);
      }
    }
    return mapping;
  }

  /// Works on what was loaded, and puts it.
  void putTiles(IRMapping &mapping, Value slot) {
    for (RegisterCopy &copy : copies.throughRegisters) {
      for (Operation *op : copy.work) {
        cloneNeeds(op, mapping);
        b.clone(*op, mapping)->removeAttr(kClusterAttr);
      }
      PutOp::create(b, loc, mapping.lookupOrDefault(copy.put.getValue()), copy.put.getStage(), slot);
    }
  }

  /// The next turn's slot has been filled by every thread, and every thread is done with the slot just read.
  void meet() {
    if (hasAsync()) {
      WaitOp::create(b, loc, stages - 2);
    }
    BarrierOp::create(b, loc);
  }

  void prologue() {
    for (unsigned turn = 0; turn + 1 < stages && hasAsync(); ++turn) {
      Value iv = firstTurns(turn);
      startCopies(iv, index(turn), isTurn(iv));
    }
    IRMapping first = startLoads(loop.getLowerBound());
    putTiles(first, index(0));
    meet();
  }

  scf::ForOp buildLoop() {
    SmallVector<Value> inits(loop.getInitArgs());
    size_t carried = inits.size();
    if (hasAsync()) {
      llvm::append_values(inits, index(0), index(stages - 1));
    }
    if (hasRegisters()) {
      inits.push_back(index(0));
    }
    auto pipelined = scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
    pipelined->setAttrs(loop->getAttrs());
    pipelined->setAttr(kPipelinedAttr, b.getI32IntegerAttr(stages));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(pipelined.getBody());
    auto arguments = pipelined.getRegionIterArgs();
    SmallVector<Value> nextSlots;
    Value read, write, readRegisters, otherRegisters;
    if (hasAsync()) {
      read = arguments[carried];
      write = arguments[carried + 1];
      llvm::append_values(nextSlots, next(read, stages), next(write, stages));
    }
    if (hasRegisters()) {
      readRegisters = arguments.back();
      otherRegisters = next(readRegisters, 2);
      nextSlots.push_back(otherRegisters);
    }
    Value iv = pipelined.getInductionVar();
    if (hasAsync()) {
      Value ahead = turnsAfter(iv, stages - 1);
      startCopies(ahead, write, isTurn(ahead));
    }
    IRMapping tiles;
    if (hasRegisters()) {
      tiles = startLoads(turnsAfter(iv, 1));
    }
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), iv);
    mapping.map(loop.getRegionIterArgs(), arguments.take_front(carried));
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (startedEarly(&op)) {
        continue;
      }
      Operation *clone = b.clone(op, mapping);
      clone->removeAttr(kClusterAttr);
      if (auto fragment = dyn_cast<FragmentOp>(clone); fragment && ours.contains(fragment.getStage())) {
        fragment.getSlotMutable().set(inRegisters.contains(fragment.getStage()) ? readRegisters : read);
      }
    }
    putTiles(tiles, otherRegisters);
    meet();
    SmallVector<Value> yielded;
    for (Value value : loop.getBody()->getTerminator()->getOperands()) {
      yielded.push_back(mapping.lookupOrDefault(value));
    }
    llvm::append_range(yielded, nextSlots);
    scf::YieldOp::create(b, loc, yielded);
    eraseDead(*pipelined.getBody());
    return pipelined;
  }

  /// Copies, their groups and waits, and what goes through registers: the new loop has them elsewhere.
  bool startedEarly(Operation *op) const {
    return isa<CommitOp, WaitOp>(op) || llvm::is_contained(copies.async, op) || early.contains(op);
  }

  unsigned stages;
  llvm::SetVector<Value> ours, inRegisters;
  llvm::SmallPtrSet<Operation *, 8> early; // of copies through registers
};

struct ExpandPipeline final : impl::ExpandPipelineBase<ExpandPipeline> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (llvm::any_of(*loop.getBody(), [](Operation &op) { return op.hasAttr(kLatencyAttr); })) {
        loops.push_back(loop);
      }
    });
    for (scf::ForOp loop : loops) {
      if (copiesOf(loop).bulk.empty()) {
        Expander(loop).run();
      } else if (!getOperation()->hasAttr(tile::kPersistentAttr) || !specializeTmaLoop(loop, getOperation())) {
        expandTmaLoop(loop);
      }
    }
  }
};

} // namespace
} // namespace phobos::dot
