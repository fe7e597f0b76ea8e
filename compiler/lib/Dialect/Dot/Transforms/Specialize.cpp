// A persistent kernel's loop of bulk copies and warpgroup products, with roles: a thread of its own copies, as far
// ahead as there are free slots and on into the next block, while the kernel's warps multiply and store.
//
// Two barriers a slot. `full` completes when its bytes have arrived; `empty` when each consumer warp has arrived,
// having waited for the products that read it. The producer waits on the opposite parity: the first time round every
// slot is free.
#include "LoopExpander.h"
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::dot {
namespace {

// Beside the producer's, four warpgroups begin with 96 registers a thread, by which ptxas judges products: enough for
// what `planContraction` lets a loop of several products have, too few for the sums that are worth a loop of one.
constexpr unsigned kFourGroups = 4;
constexpr uint64_t kBytesOfBarriers = 1024; // more than they take, with the queue's and what aligns the buffers

class Specializer : LoopExpander {
public:
  Specializer(scf::ForOp loop, tile::KernelOp kernel) : LoopExpander(loop), kernel(kernel) {
    stages = copies.bulk.front()->getAttrOfType<IntegerAttr>(kLatencyAttr).getInt() + 1;
    full = copies.bulk.front().getBarriers();
    nest.push_back(loop);
    for (auto outer = loop->getParentOfType<scf::ForOp>(); outer; outer = outer->getParentOfType<scf::ForOp>()) {
      nest.insert(nest.begin(), outer);
    }
  }

  bool run() {
    if (StringRef why = obstacle(); !why.empty()) {
      loop.emitRemark() << "not specialised: " << why;
      return false;
    }
    loop.emitRemark() << "specialised: " << stages << " stages, " << copies.bulk.size()
                      << " bulk copies a turn by a producer, wgmma by " << kernel.getNumWarps() << " warps";
    planStagger(stages);
    kernel->setAttr(kSpecializedAttr, b.getUnitAttr());
    for (TmaLoadOp copy : copies.bulk) {
      growStage(copy.getStage(), stages);
    }
    full.setType(BarriersType::get(b.getContext(), stages));
    b.setInsertionPointAfter(full.getDefiningOp());
    empty = AllocBarriersOp::create(b, loc, full.getType(), kernel.getNumWarps(), IntegerAttr()).getBarriers();
    SmallVector<TmaLoadOp> brought = stillCopies();
    stillSlots = brought.empty() ? 0 : fitsTwice(brought) ? 2 : 1;
    for (TmaLoadOp copy : brought) {
      auto type = BarriersType::get(b.getContext(), stillSlots);
      growStage(copy.getStage(), stillSlots);
      copy.getBarriers().setType(type);
      still.emplace_back(copy,
                         AllocBarriersOp::create(b, loc, type, kernel.getNumWarps(), IntegerAttr()).getBarriers());
    }
    makeRoles();
    produce();
    consume();
    return true;
  }

private:
  /// Why not, in words; empty if nothing is in the way.
  StringRef obstacle() {
    unsigned loops = 0;
    kernel.walk([&](scf::ForOp other) {
      loops += !copiesOf(other).bulk.empty() && !other.getBody()->getOps<WgmmaOp>().empty();
    });
    if (loops != 1) {
      return "several loops copy in bulk";
    }
    if (kernel.getNumWarps() / 4 >= kFourGroups && productsRunOn()) {
      return "a producer beside four warpgroups would leave them too few registers";
    }
    for (scf::ForOp each : nest) {
      for (Value bound : {each.getLowerBound(), each.getUpperBound(), each.getStep()}) {
        if (!canRepeat(bound)) {
          return "a loop's bounds are not arithmetic on arguments and block numbers";
        }
      }
    }
    SmallVector<TmaLoadOp> all(copies.bulk);
    llvm::append_range(all, stillCopies());
    for (TmaLoadOp copy : all) {
      if (!llvm::all_of(copy.getOffsets(), [&](Value offset) { return canRepeat(offset); })) {
        return "where a copy begins is not arithmetic on arguments and block numbers";
      }
    }
    return "";
  }

  /// Is there room for a second slot of what is brought once a block, so that it comes while the block before is worked
  /// on? Buffers that share room later are counted one by one.
  bool fitsTwice(ArrayRef<TmaLoadOp> brought) {
    uint64_t bytes = 0;
    kernel.walk([&](AllocOp alloc) {
      StageType type = alloc.getStage().getType();
      bytes += uint64_t(type.getSlots()) * type.slotBytes();
    });
    for (TmaLoadOp copy : brought) {
      bytes += copy.getStage().getType().slotBytes();
    }
    return bytes + kBytesOfBarriers <= chipOf(kernel).maxSharedBytes();
  }

  /// Can the producer compute it too: scalar arithmetic on what stands before the roles, and on the loops' variables?
  bool canRepeat(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      return argument.getOwner()->getParentOp() == kernel ||
             llvm::any_of(nest, [&](scf::ForOp each) { return argument == each.getInductionVar(); });
    }
    Operation *def = value.getDefiningOp();
    return isScalar(def) && llvm::all_of(def->getOperands(), [&](Value operand) {
             return isa<tile::ViewType>(operand.getType()) || canRepeat(operand);
           });
  }

  static bool isScalar(Operation *op) {
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::none_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); });
  }

  /// Buffers, barriers and scalar arithmetic stay in front; everything else of the kernel is the consumers'.
  void makeRoles() {
    Block &entry = kernel.getBody().front();
    b.setInsertionPoint(entry.getTerminator());
    auto roles = SpecializeOp::create(b, loc);
    roles->setAttr(kPipelinedAttr, b.getUnitAttr()); // slots are ordered by their barriers
    SpecializeOp::ensureTerminator(roles.getProducer(), b, loc);
    SpecializeOp::ensureTerminator(roles.getConsumer(), b, loc);
    producer = &roles.getProducer().front();
    consumer = &roles.getConsumer().front();
    for (Operation &op : llvm::make_early_inc_range(llvm::make_range(entry.begin(), roles->getIterator()))) {
      bool needsTheirs = llvm::any_of(op.getOperands(), [&](Value operand) {
        return operand.getDefiningOp() && operand.getDefiningOp()->getBlock() == consumer;
      });
      if (needsTheirs || !(isa<AllocOp, AllocBarriersOp, BarrierOp>(op) || isScalar(&op))) {
        op.moveBefore(consumer->getTerminator());
      }
    }
  }

  /// Collects what the producer has to compute for itself of what the consumers compute.
  void need(Value value) {
    Operation *def = value.getDefiningOp();
    if (def && consumer->getParentOp()->isAncestor(def) && needed.insert(def)) {
      llvm::for_each(def->getOperands(), [&](Value operand) { need(operand); });
    }
  }

  void repeatNeeded(Block &block, IRMapping &mapping) {
    for (Operation &op : block) {
      if (needed.contains(&op)) {
        b.clone(op, mapping)->removeAttr(kClusterAttr);
      }
    }
  }

  void produce() {
    for (scf::ForOp each : nest) {
      llvm::for_each(each.getOperands().take_front(3), [&](Value bound) { need(bound); });
    }
    for (TmaLoadOp copy : copies.bulk) {
      llvm::for_each(copy.getOffsets(), [&](Value offset) { need(offset); });
    }
    for (auto [copy, free] : still) {
      llvm::for_each(copy.getOffsets(), [&](Value offset) { need(offset); });
    }
    b.setInsertionPoint(producer->getTerminator());
    IRMapping mapping;
    repeatNeeded(*consumer, mapping);
    SmallVector<Value> state = {index(0), index(0)};
    if (!still.empty()) {
      llvm::append_values(state, index(0), index(0));
    }
    produceLoop(0, state, mapping);
  }

  /// The loops from nest[depth] inwards, which carry the slot and its parity, and, but for the innermost, those of
  /// slots that are filled in front of it.
  SmallVector<Value> produceLoop(size_t depth, ArrayRef<Value> state, IRMapping &mapping) {
    scf::ForOp each = nest[depth];
    if (each == loop) {
      for (auto [copy, free] : still) {
        AwaitOp::create(b, loc, free, state[2], arith::SubIOp::create(b, loc, index(1), state[3]));
        cast<TmaLoadOp>(b.clone(*copy, mapping)).getSlotMutable().set(state[2]);
      }
      SmallVector<Value> left = produceLoop(each, state.take_front(2), mapping, [&](ValueRange carried) {
        return produceTurn(carried[0], carried[1], mapping);
      });
      if (!still.empty()) {
        llvm::append_range(left, afterStill(state[2], state[3]));
      }
      return left;
    }
    return produceLoop(each, state, mapping, [&](ValueRange carried) {
      return produceLoop(depth + 1, SmallVector<Value>(carried), mapping);
    });
  }

  SmallVector<Value> produceLoop(scf::ForOp each, ArrayRef<Value> state, IRMapping &mapping,
                                 function_ref<SmallVector<Value>(ValueRange)> turn) {
    auto mapped = [&](Value bound) { return mapping.lookupOrDefault(bound); };
    auto made = scf::ForOp::create(b, loc, mapped(each.getLowerBound()), mapped(each.getUpperBound()),
                                   mapped(each.getStep()), ValueRange(state));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(made.getBody());
    mapping.map(each.getInductionVar(), made.getInductionVar());
    repeatNeeded(*each.getBody(), mapping);
    scf::YieldOp::create(b, loc, turn(made.getRegionIterArgs()));
    return SmallVector<Value>(made.getResults());
  }

  SmallVector<Value> produceTurn(Value slot, Value parity, IRMapping &mapping) {
    AwaitOp::create(b, loc, empty, slot, arith::SubIOp::create(b, loc, index(1), parity));
    for (TmaLoadOp copy : copies.bulk) {
      auto clone = cast<TmaLoadOp>(b.clone(*copy, mapping));
      clone.getSlotMutable().set(slot);
      clone->removeAttr(kClusterAttr);
      clone->removeAttr(kLatencyAttr);
    }
    Value following = next(slot, stages);
    return {following, parityAt(following, parity)};
  }

  void consume() {
    b.setInsertionPoint(loop);
    SmallVector<Value> state = still.empty() ? enter({0, 0}) : enter({0, 0, 0, 0});
    SmallVector<Value> inits(loop.getInitArgs());
    llvm::append_values(inits, state[0], state[1]);
    for (auto [copy, free] : still) {
      awaitStill(copy, state[3]);
      readIn(state[2], copy);
      copy.erase();
    }
    SmallVector<Value> results =
        stagger || beginsWithZeros()
            ? ifAnyTurn(inits, [&] { return consumeFrom(loop.getLowerBound(), inits, /*peel=*/true); })
            : consumeFrom(loop.getLowerBound(), inits, /*peel=*/false);
    ArrayRef<Value> own = ArrayRef(results).take_back(2);
    for (auto [copy, free] : still) {
      ReleaseOp::create(b, loc, free, state[2], arith::ConstantIntOp::create(b, loc, 1, 1));
    }
    for (auto [result, value] : llvm::zip(loop.getResults(), results)) {
      result.replaceAllUsesWith(value);
    }
    SmallVector<Value> left(own);
    if (!still.empty()) {
      llvm::append_range(left, afterStill(state[2], state[3]));
    }
    leave(left);
    loop.erase();
  }

  /// The slot and its parity for the next block.
  SmallVector<Value, 2> afterStill(Value slot, Value parity) {
    Value following = next(slot, stillSlots);
    return {following, parityAt(following, parity)};
  }

  /// Waits for a still copy, and reads of what it brought, are of this slot.
  void readIn(Value slot, TmaLoadOp copy) {
    for (Operation *user : copy.getBarriers().getUsers()) {
      if (auto await = dyn_cast<AwaitOp>(user)) {
        await.getSlotMutable().set(slot);
      }
    }
    for (Operation *user : copy.getStage().getUsers()) {
      if (auto product = dyn_cast<WgmmaOp>(user)) {
        product.getSlotAMutable().assign(slot);
      } else if (auto fragment = dyn_cast<FragmentOp>(user)) {
        fragment.getSlotMutable().set(slot);
      }
    }
  }

  /// The turns from `lower` on, the first of them in front of the loop under `peel`; what the loop carried, complete,
  /// the slot and the parity.
  SmallVector<Value> consumeFrom(Value lower, ArrayRef<Value> inits, bool peel) {
    SmallVector<Value> carried(inits);
    Value first = lower;
    if (peel) {
      carried = consumeTurn(lower, carried, Value());
      lower = arith::AddIOp::create(b, loc, lower, loop.getStep());
    }
    auto made = scf::ForOp::create(b, loc, lower, loop.getUpperBound(), loop.getStep(), carried);
    made->setAttrs(loop->getAttrs());
    made->setAttr(kPipelinedAttr, b.getI32IntegerAttr(stages));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(made.getBody());
      // The turn before is done with its slot; the first has none before it.
      Value turn = made.getInductionVar();
      Value later = peel ? Value(arith::ConstantIntOp::create(b, loc, 1, 1))
                         : Value(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, turn, first));
      SmallVector<Value> arguments(made.getRegionIterArgs());
      scf::YieldOp::create(b, loc, consumeTurn(turn, arguments, later));
      eraseDead(*made.getBody());
    }
    SmallVector<Value> results(made.getResults());
    if (stagger) {
      Value narrowed = results.pop_back_val();
      multiplyLast(results, narrowed, previous(results[loop.getNumResults()], stages));
    }
    waitForLast(results);
    if (keepsSlot()) {
      Value any = peel ? Value(arith::ConstantIntOp::create(b, loc, 1, 1)) : isTurn(loop.getLowerBound());
      ReleaseOp::create(b, loc, empty, previous(results[loop.getNumResults()], stages), any);
    }
    return results;
  }

  /// One turn on `carried`: what the loop carries, the slot and the parity. Releases the slot of the turn before where
  /// `later` holds; null: there is none. Where a product is put off, what it multiplies goes last, in and out.
  SmallVector<Value> consumeTurn(Value turn, ArrayRef<Value> carried, Value later) {
    size_t own = loop.getNumResults();
    Value slot = carried[own], parity = carried[own + 1];
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), turn);
    mapping.map(loop.getRegionIterArgs(), carried.take_front(own));
    Value narrowed;
    if (stagger) {
      narrowed = cloneStaggered(mapping, slot, previous(slot, stages), parity, later ? carried.back() : Value());
    } else {
      cloneTurn(mapping, slot, parity, /*first=*/!later);
    }
    if (!keepsSlot()) { // all of this turn's products were waited for
      ReleaseOp::create(b, loc, empty, slot, Value(arith::ConstantIntOp::create(b, loc, 1, 1)));
    } else if (later) {
      ReleaseOp::create(b, loc, empty, previous(slot, stages), later);
    }
    SmallVector<Value> left;
    for (Value value : loop.getBody()->getTerminator()->getOperands()) {
      left.push_back(mapping.lookupOrDefault(value));
    }
    Value following = next(slot, stages);
    llvm::append_values(left, following, parityAt(following, parity));
    if (stagger) {
      left.push_back(narrowed);
    }
    return left;
  }

  tile::KernelOp kernel;
  unsigned stages, stillSlots = 0;
  TypedValue<BarriersType> full, empty;
  SmallVector<std::pair<TmaLoadOp, TypedValue<BarriersType>>> still; // and the barrier that says that it is free
  SmallVector<scf::ForOp> nest;                                      // the loop, and those around it, outermost first
  Block *producer = nullptr, *consumer = nullptr;
  llvm::SetVector<Operation *> needed;
};

} // namespace

bool specializeTmaLoop(scf::ForOp loop, tile::KernelOp kernel) { return Specializer(loop, kernel).run(); }

} // namespace phobos::dot
