// Loops that wait on memory, and loops that may never end.
//
// A loop spins if what lets it end depends on an atomic or volatile access in it (a lock, a barrier of the grid):
// fibers share a worker, so it must let others run, and whoever it waits for must be resident. Any other loop that does
// not plainly count polls the interrupt flag, so that a kernel that hangs can be stopped.
#include "KernelToHost.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

using Cycle = llvm::SmallPtrSet<Block *, 8>;

/// An access that may see another thread's write at any time.
bool watches(Operation *op) {
  if (isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op)) {
    return true;
  }
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return load && (load.getVolatile_() || load.getOrdering() != LLVM::AtomicOrdering::not_atomic);
}

/// The values that a block of the cycle passes for an argument of a block of it.
SmallVector<Value> incoming(BlockArgument argument, const Cycle &cycle) {
  SmallVector<Value> values;
  Block *block = argument.getOwner();
  for (auto predecessor = block->pred_begin(); predecessor != block->pred_end(); ++predecessor) {
    if (!cycle.contains(*predecessor)) {
      continue;
    }
    if (auto branch = dyn_cast<BranchOpInterface>((*predecessor)->getTerminator())) {
      values.push_back(branch.getSuccessorOperands(predecessor.getSuccessorIndex())[argument.getArgNumber()]);
    }
  }
  return values;
}

/// The accesses in the cycle that decide when it ends.
SmallVector<Operation *> watchedAccesses(const Cycle &cycle) {
  SmallVector<Value> work;
  for (Block *block : cycle) {
    bool leaves = llvm::any_of(block->getSuccessors(), [&](Block *next) { return !cycle.contains(next); });
    if (leaves) {
      llvm::append_range(work, block->getTerminator()->getOperands().take_front(1));
    }
  }
  llvm::DenseSet<Value> seen;
  SmallVector<Operation *> found;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!value || !cycle.contains(value.getParentBlock()) || !seen.insert(value).second) {
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      llvm::append_range(work, incoming(argument, cycle));
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (watches(op)) {
      found.push_back(op);
    }
    llvm::append_range(work, op->getOperands());
  }
  return found;
}

/// Does an exit of the cycle compare a number that each turn steps by the same amount with one that stays?
bool counts(const Cycle &cycle) {
  auto stays = [&](Value value) {
    return !cycle.contains(value.getParentBlock()) || matchPattern(value, m_Constant());
  };
  auto steps = [&](Value value) {
    // The counter, or the counter after its step.
    if (auto add = value.getDefiningOp<LLVM::AddOp>(); add && stays(add.getRhs())) {
      value = add.getLhs();
    }
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || !cycle.contains(argument.getOwner())) {
      return false;
    }
    SmallVector<Value> next = incoming(argument, cycle);
    return !next.empty() && llvm::all_of(next, [&](Value x) {
      auto add = x.getDefiningOp<LLVM::AddOp>();
      return add && add.getLhs() == argument && stays(add.getRhs());
    });
  };
  return llvm::any_of(cycle, [&](Block *block) {
    auto branch = dyn_cast<LLVM::CondBrOp>(block->getTerminator());
    if (!branch || llvm::all_of(block->getSuccessors(), [&](Block *next) { return cycle.contains(next); })) {
      return false;
    }
    auto compare = branch.getCondition().getDefiningOp<LLVM::ICmpOp>();
    return compare && ((steps(compare.getLhs()) && stays(compare.getRhs())) ||
                       (steps(compare.getRhs()) && stays(compare.getLhs())));
  });
}

void poll(KernelToHost &k, Block *block) {
  Operation *first = &block->front();
  k.loc = first->getLoc();
  k.b.setInsertionPoint(first);
  Value flag = LLVM::LoadOp::create(k.b, k.loc, k.i32(), k.interruptFlag(), /*alignment=*/4, /*isVolatile=*/true);
  Value asked = k.icmp(LLVM::ICmpPredicate::ne, flag, k.i32c(0));
  Block *rest = block->splitBlock(first), *stop = k.b.createBlock(rest);
  k.b.setInsertionPointToEnd(block);
  LLVM::CondBrOp::create(k.b, k.loc, asked, stop, rest);
  k.b.setInsertionPointToEnd(stop);
  k.call(HostCall::stop, {});
  LLVM::BrOp::create(k.b, k.loc, ValueRange(), rest);
}

} // namespace

LoopPlan planLoops(LLVM::LLVMFuncOp function) {
  LoopPlan plan;
  if (function.getBody().hasOneBlock()) {
    return plan;
  }
  DominanceInfo dominance(function);
  CFGLoopInfo loops(dominance.getDomTree(&function.getBody()));
  for (CFGLoop *loop : loops.getLoopsInPreorder()) {
    Cycle cycle(loop->block_begin(), loop->block_end());
    SmallVector<Operation *> watched = watchedAccesses(cycle);
    for (Operation *op : watched) {
      plan.yieldAfter.insert(op);
    }
    if (watched.empty() && !counts(cycle)) {
      plan.pollIn.push_back(loop->getHeader());
    }
  }
  return plan;
}

void instrumentLoops(KernelToHost &k, const LoopPlan &plan) {
  for (Operation *op : plan.yieldAfter) {
    k.b.setInsertionPointAfter(op);
    k.loc = op->getLoc();
    k.call(HostCall::yield, {k.site(op)});
  }
  for (Block *block : plan.pollIn) {
    poll(k, block);
  }
}

} // namespace phobos::tohost
