// dot-multicast: bulk copies that blocks of a cluster share. See Passes.td.
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Target/Chip.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_MULTICAST
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

/// Is a value the same in all blocks along an axis of a cluster?
class Uniformity {
public:
  Uniformity(tile::Axis axis, int64_t extent) : axis(axis), extent(extent) {}

  /// Nothing that it is computed from is a block's own; what loops carry is computed from what they carry in.
  bool isUniform(Value value) const {
    llvm::SmallPtrSet<void *, 16> seen;
    SmallVector<Value> todo = {value};
    while (!todo.empty()) {
      Value next = todo.pop_back_val();
      if (seen.insert(next.getAsOpaquePointer()).second && !addSources(next, todo)) {
        return false;
      }
    }
    return true;
  }

  /// Do they come by the op equally often?
  bool isReachedAlike(Operation *op) const {
    Operation *parent = op->getParentOp();
    if (isa<tile::KernelOp>(parent)) {
      return true;
    }
    bool alike = false;
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      alike = isUniform(loop.getLowerBound()) && isUniform(loop.getUpperBound()) && isUniform(loop.getStep());
    } else if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      alike = isUniform(branch.getCondition());
    }
    return alike && isReachedAlike(parent);
  }

private:
  /// False where the value is a block's own, or nobody can tell.
  bool addSources(Value value, SmallVectorImpl<Value> &sources) const {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      if (isa<tile::KernelOp>(owner)) {
        return true;
      }
      auto loop = dyn_cast<scf::ForOp>(owner);
      if (!loop) {
        return false;
      }
      llvm::append_values(sources, loop.getLowerBound(), loop.getStep());
      if (argument != loop.getInductionVar()) {
        llvm::append_values(sources, loop.getTiedLoopInit(argument)->get(),
                            loop.getTiedLoopYieldedValue(argument)->get());
      }
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (auto block = dyn_cast<tile::BlockIdOp>(op)) {
      return block.getAxis() != axis;
    }
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op)) { // the cluster's number, or of several
      auto block = op->getOperand(0).getDefiningOp<tile::BlockIdOp>();
      APInt by;
      if (block && block.getAxis() == axis && matchPattern(op->getOperand(1), m_ConstantInt(&by)) &&
          by.getSExtValue() % extent == 0) {
        return true;
      }
    }
    llvm::append_range(sources, op->getOperands());
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 && !isa<tile::ResidentIdOp, tile::QueueOp>(op);
  }

  tile::Axis axis;
  int64_t extent;
};

struct Multicast final : impl::MulticastBase<Multicast> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    auto cluster = kernel->getAttrOfType<DenseI32ArrayAttr>(tile::kClusterAttr);
    if (!cluster) {
      return;
    }
    const target::Chip &chip = chipOf(kernel);
    if (!chip.has(target::kCluster)) {
      kernel.emitRemark() << "`@ph.cluster` does nothing on " << chip.name << ", which has no clusters";
      return;
    }
    SmallVector<TmaLoadOp> copies;
    kernel.walk([&](TmaLoadOp copy) { copies.push_back(copy); });
    Uniformity along[] = {Uniformity(tile::Axis::x, cluster[0]), Uniformity(tile::Axis::y, cluster[1])};
    bool alike = llvm::all_of(copies, [&](TmaLoadOp copy) {
      return llvm::all_of(llvm::seq(2), [&](int axis) {
        return cluster[axis] == 1 || (along[axis].isReachedAlike(copy) && along[axis].isUniform(copy.getSlot()) &&
                                      (!copy.getValid() || along[axis].isUniform(copy.getValid())));
      });
    });
    // All copies into a buffer are shared, or none.
    llvm::MapVector<Value, std::array<bool, 2>> shared;
    for (TmaLoadOp copy : copies) {
      auto &axes = shared.try_emplace(copy.getStage(), std::array{alike, alike}).first->second;
      for (unsigned axis = 0; axis < 2; ++axis) {
        axes[axis] &= cluster[axis] > 1 &&
                      llvm::all_of(copy.getOffsets(), [&](Value offset) { return along[axis].isUniform(offset); });
      }
    }
    shared.remove_if([](auto &entry) { return !entry.second[0] && !entry.second[1]; });
    if (shared.empty()) {
      kernel.emitRemark() << "cluster of " << cluster[0] << " x " << cluster[1] << " blocks: no copy is shared: "
                          << (copies.empty() ? "none is made in bulk"
                              : alike        ? "each begins at a place of its block's own"
                                             : "a loop or branch around them depends on the block's number");
      return;
    }
    kernel.emitRemark() << "cluster of " << cluster[0] << " x " << cluster[1] << " blocks: " << shared.size() << " of "
                        << numBuffers(copies) << " buffers are filled by multicast";
    share(copies, shared);
  }

  static size_t numBuffers(ArrayRef<TmaLoadOp> copies) {
    llvm::SmallPtrSet<Operation *, 4> buffers;
    for (TmaLoadOp copy : copies) {
      buffers.insert(copy.getStage().getDefiningOp());
    }
    return buffers.size();
  }

  void share(ArrayRef<TmaLoadOp> copies, llvm::MapVector<Value, std::array<bool, 2>> &shared) {
    Block &entry = getOperation().getBody().front();
    Operation *first = nullptr;
    OpBuilder b(entry.getParentOp()->getContext());
    for (TmaLoadOp copy : copies) {
      auto axes = shared.find(copy.getStage());
      if (axes == shared.end()) {
        continue;
      }
      copy->setAttr(kMulticastAttr, b.getDenseBoolArrayAttr(axes->second));
      Operation *outermost = entry.findAncestorOpInBlock(*copy);
      first = !first || outermost->isBeforeInBlock(first) ? outermost : first;
      if (BarrierOp meeting = meetingBefore(copy)) {
        b.setInsertionPoint(meeting);
        ClusterBarrierOp::create(b, meeting.getLoc());
        meeting.erase();
      }
    }
    // All blocks have made their barriers; whose threads then know them too.
    for (Operation *op = first; op && !op->getNumRegions(); op = op->getNextNode()) {
      if (auto meeting = dyn_cast<BarrierOp>(op)) {
        meeting.erase();
        break;
      }
      if (!isMemoryEffectFree(op) && !isa<TmaLoadOp>(op)) {
        break;
      }
    }
    if (!isa_and_present<ClusterBarrierOp>(first->getPrevNode())) {
      b.setInsertionPoint(first);
      ClusterBarrierOp::create(b, first->getLoc());
    }
  }

  /// The barrier behind which the slots that are copied to next are free; none if nothing has read them.
  static BarrierOp meetingBefore(TmaLoadOp copy) {
    for (Operation *op = copy->getPrevNode(); op; op = op->getPrevNode()) {
      if (auto meeting = dyn_cast<BarrierOp>(op)) {
        return meeting;
      }
      if (!isMemoryEffectFree(op) && !isa<TmaLoadOp>(op)) {
        return {};
      }
    }
    return {};
  }
};

} // namespace
} // namespace phobos::dot
