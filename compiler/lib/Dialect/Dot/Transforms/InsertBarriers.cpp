// dot-insert-barriers: a barrier between each pair of shared-memory accesses that needs one, and a wait where memory is
// used again into which a loop left copies in flight. See Passes.td.
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Dot/Transforms/SharedMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_INSERTBARRIERS
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

struct Access {
  uint64_t begin, end;
  bool reads, writes;
  Operation *ordered = nullptr; // the buffer, if accesses of this kind to it need no barrier between them
  bool meets(const Access &other) const {
    bool oneWrites = (writes && (other.reads || other.writes)) || (other.writes && reads);
    return begin < other.end && other.begin < end && oneWrites;
  }
  bool conflicts(const Access &other) const { return meets(other) && !(ordered && ordered == other.ordered); }
  bool operator==(const Access &) const = default;
};

/// Accesses since the last barrier, and asynchronous writes that no wait has covered: those whose group is not closed
/// yet (no wait covers them, whatever it waits for), those that a wait is to come for, and those that a pipelined loop
/// left in flight, which fill slots with zeros that it does not read any more. What warpgroup products read they read
/// until they are waited for, whatever barriers there were since they began.
struct Pending {
  SmallVector<Access> accesses, open, unfinished, leftInFlight, multiplied;
  unsigned groupsSince = 0; // closed since what is left in flight

  static void addTo(SmallVectorImpl<Access> &list, const Access &access) {
    if (!llvm::is_contained(list, access)) {
      list.push_back(access);
    }
  }
  void join(const Pending &other) {
    for (const Access &access : other.accesses) {
      addTo(accesses, access);
    }
    for (const Access &access : other.open) {
      addTo(open, access);
    }
    for (const Access &access : other.unfinished) {
      addTo(unfinished, access);
    }
    if (leftInFlight.empty() || !other.leftInFlight.empty()) {
      groupsSince = leftInFlight.empty() ? other.groupsSince : std::min(groupsSince, other.groupsSince);
    }
    for (const Access &access : other.leftInFlight) {
      addTo(leftInFlight, access);
    }
    for (const Access &access : other.multiplied) {
      addTo(multiplied, access);
    }
  }
  void waitForProducts() {
    for (const Access &access : multiplied) {
      addTo(accesses, access);
    }
    multiplied.clear();
  }
  void commit() {
    for (const Access &access : open) {
      addTo(unfinished, access);
    }
    open.clear();
    ++groupsSince;
  }
  /// All but the last `groups` groups are done, for the thread that waited: others see them after a barrier.
  void wait(unsigned groups) {
    if (groups <= groupsSince) {
      for (const Access &access : leftInFlight) {
        addTo(accesses, access);
      }
      leftInFlight.clear();
    }
    if (groups == 0) {
      for (const Access &access : unfinished) {
        addTo(accesses, access);
      }
      unfinished.clear();
    }
  }
  void leave(const Access &access) {
    llvm::erase(open, access);
    llvm::erase(unfinished, access);
    addTo(leftInFlight, access);
    groupsSince = 0;
  }
  static bool conflict(ArrayRef<Access> list, const Access &access) {
    return llvm::any_of(list, [&](const Access &other) { return access.conflicts(other); });
  }
};

class Inserter {
public:
  void visit(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      visit(&op, pending);
    }
  }

private:
  void visit(Operation *op, Pending &pending) {
    if (isa<BarrierOp, tile::GridBarrierOp>(op)) {
      pending.accesses.clear();
      return;
    }
    if (auto wait = dyn_cast<WaitOp>(op)) {
      return pending.wait(wait.getPending());
    }
    if (isa<CommitOp>(op)) {
      return pending.commit();
    }
    if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
      if (wait.getPending() == 0) {
        pending.waitForProducts();
      }
      return;
    }
    if (isa<WgmmaJoinOp>(op)) {
      return pending.waitForProducts();
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Pending yes = pending, no = pending;
      visit(*branch.thenBlock(), yes);
      if (branch.elseBlock()) {
        visit(*branch.elseBlock(), no);
      }
      pending = yes;
      pending.join(no);
      return;
    }
    if (op->getNumRegions() && !tile::combines(op)) {
      return visitLoop(op, pending);
    }
    visitAccesses(op, pending);
  }

  /// Twice: the second time round meets what the first left behind.
  void visitLoop(Operation *loop, Pending &pending) {
    auto outer = scheduled;
    if (loop->hasAttr(kPipelinedAttr)) {
      addSlots(loop);
    }
    for (int turn = 0; turn < 2; ++turn) {
      Pending inside = pending;
      for (Region &region : loop->getRegions()) {
        for (Block &block : region) {
          visit(block, inside);
        }
      }
      if (endsWithMeeting(loop)) {
        inside.accesses.clear();
      }
      pending.join(inside);
    }
    scheduled = outer;
    if (loop->hasAttr(kPipelinedAttr)) {
      // Its own slots were ordered by the schedule; whoever uses their memory next was not.
      loop->walk([&](Operation *op) {
        for (const SharedUse &use : sharedUses(op)) {
          if (!use.owner->hasAttr(kPipelinedAttr)) {
            continue;
          }
          if (isa<CopyAsyncOp>(op)) {
            if (leavesInFlight(loop)) {
              pending.leave(accessOf(op, use));
            }
          } else {
            Pending::addTo(pending.accesses, accessOf(op, use));
          }
        }
      });
    }
  }

  /// Does each turn end with a barrier that the lowering puts there: of a loop over blocks that are drawn, without
  /// roles?
  static bool endsWithMeeting(Operation *loop) {
    auto each = dyn_cast<scf::ForOp>(loop);
    return each && isa_and_present<tile::QueueOp>(each.getStep().getDefiningOp()) &&
           !loop->getParentOfType<SpecializeOp>();
  }

  /// With two stages each turn ends with a wait for all that was started in it.
  static bool leavesInFlight(Operation *loop) {
    auto each = dyn_cast<scf::ForOp>(loop);
    auto last = each ? llvm::find_if(llvm::reverse(*each.getBody()), llvm::IsaPred<WaitOp, CopyAsyncOp>)
                     : Block::reverse_iterator();
    auto wait = each && last != each.getBody()->rend() ? dyn_cast<WaitOp>(*last) : WaitOp();
    return !wait || wait.getPending() != 0;
  }

  static Access accessOf(const SharedUse &use) {
    uint64_t offset = sharedOffset(use.owner);
    return {offset, offset + use.bytes, use.reads, use.writes};
  }

  static Access accessOf(Operation *op, const SharedUse &use) {
    Access access = accessOf(use);
    // Bulk copies and warpgroup products order theirs by mbarriers, also from one run of a loop to the next. In the
    // turns of a loop and in front of it a thread copies into the same bytes of a slot.
    bool among = isa<TmaLoadOp, WgmmaOp, CopyAsyncOp>(op) && use.owner->hasAttr(kPipelinedAttr);
    access.ordered = among || isa<StoreAsyncOp>(op) ? use.owner : nullptr;
    return access;
  }

  void visitAccesses(Operation *op, Pending &pending) {
    for (const SharedUse &use : sharedUses(op)) {
      Access access = accessOf(op, use);
      if (scheduled.contains(use.owner)) {
        continue;
      }
      OpBuilder b(op);
      if (llvm::any_of(pending.leftInFlight, [&](const Access &other) { return access.meets(other); })) {
        WaitOp::create(b, op->getLoc(), 0);
        pending.wait(0);
      }
      if (Pending::conflict(pending.accesses, access)) {
        BarrierOp::create(b, op->getLoc());
        pending.accesses.clear();
      }
      if (hasInnerBarrier(op)) {
        pending.accesses.clear();
        access.writes = false; // what it wrote was met by its own barrier; its reads are still open
      }
      Pending::addTo(!use.unfinished        ? pending.accesses
                     : isa<CopyAsyncOp>(op) ? pending.open
                                            : pending.unfinished,
                     access);
      if (isa<WgmmaOp>(op)) {
        Pending::addTo(pending.multiplied, access);
      }
    }
  }

  /// Slots that `loop` itself fills. Of roles those of the copy engine alone: a loop of the consumers has its own.
  void addSlots(Operation *loop) {
    loop->walk([&](Operation *op) {
      if (isa<TmaLoadOp>(op) || (isa<CopyAsyncOp, PutOp>(op) && !isa<SpecializeOp>(loop))) {
        for (const SharedUse &use : sharedUses(op)) {
          if (use.owner->hasAttr(kPipelinedAttr)) {
            scheduled.insert(use.owner);
          }
        }
      }
    });
  }

  llvm::SmallPtrSet<Operation *, 4> scheduled; // buffers whose accesses the schedule of a loop around them orders
};

struct InsertBarriers final : impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    Pending pending;
    Inserter().visit(getOperation().getBody().front(), pending);
  }
};

} // namespace
} // namespace phobos::dot
