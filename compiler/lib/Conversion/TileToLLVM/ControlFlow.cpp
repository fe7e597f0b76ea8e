// Structured control flow to blocks. Loops are emitted with their test at the end, so that the body is one block where
// it can be.
#include "phobos/Conversion/Lowering.h"
#include "phobos/Conversion/Queue.h"
#include "phobos/Conversion/Scratch.h"
#include "phobos/Support/IndexLimits.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

/// A block after `before` in the function, with arguments of these types.
Block *newBlock(Lowering &l, Block *before, ArrayRef<Type> types) {
  OpBuilder::InsertionGuard guard(l.b);
  return l.b.createBlock(before, TypeRange(types), SmallVector<Location>(types.size(), l.loc));
}

/// Splits at the insertion point; the builder stays at the end of the first part.
Block *splitHere(Lowering &l) {
  Block *before = l.b.getInsertionBlock();
  Block *after = before->splitBlock(l.b.getInsertionPoint());
  l.b.setInsertionPointToEnd(before);
  return after;
}

/// A loop over blocks that are drawn also counts its turns.
/// Is an index no larger than an extent may be where indices have 32 bits?
bool isWithinExtents(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant))) {
    return constant.sle(kMaxExtent32);
  }
  Operation *op = index.getDefiningOp();
  if (isa_and_present<arith::MinSIOp>(op)) {
    return llvm::any_of(op->getOperands(), isWithinExtents);
  }
  return isa_and_present<tile::ExtentOp, tile::GridDimOp>(op);
}

/// Does the variable, one step past the loop's end, still fit an index?
bool cannotOverflow(scf::ForOp op) {
  APInt step;
  return matchPattern(op.getStep(), m_ConstantInt(&step)) && step.sle(kTileOverhang) &&
         isWithinExtents(op.getUpperBound());
}

LogicalResult lowerFor(Lowering &l, scf::ForOp op) {
  auto queue = op.getStep().getDefiningOp<tile::QueueOp>();
  Location loc = l.loc;
  Value lower = l.scalar(op.getLowerBound()), upper = l.scalar(op.getUpperBound()), step = l.scalar(op.getStep());
  SmallVector<Value> inits = l.flatten(op.getInitArgs());
  SmallVector<Type> types = l.flatTypes(op.getInitArgs().getTypes());

  Block *after = splitHere(l);
  SmallVector<Type> bodyTypes = {lower.getType()};
  llvm::append_range(bodyTypes, types);
  if (queue) {
    bodyTypes.push_back(l.i32());
  }
  Block *body = newBlock(l, after, bodyTypes);
  Block *exit = newBlock(l, after, types);
  exit->getOperations().splice(exit->end(), after->getOperations());
  after->erase();

  SmallVector<Value> entry = {lower};
  llvm::append_range(entry, inits);
  if (queue) {
    entry.push_back(l.i32c(0));
  }
  LLVM::CondBrOp::create(l.b, loc, l.icmp(LLVM::ICmpPredicate::slt, lower, upper), body, entry, exit, inits);

  l.b.setInsertionPointToEnd(body);
  l.bindFlat(op.getInductionVar(), body->getArguments().take_front(1));
  l.bindFlat(op.getRegionIterArgs(), body->getArguments().slice(1, types.size()));
  Value ticket = queue ? drawTicket(l) : Value();
  Value turn = queue ? body->getArguments().back() : Value();
  QueueTurn drawn{queue, ticket, upper, turn};
  if (queue) {
    l.queueTurn = &drawn;
  }
  LogicalResult lowered = l.lowerBlock(*op.getBody());
  if (queue) {
    l.queueTurn = nullptr;
  }
  if (failed(lowered)) {
    return failure();
  }
  SmallVector<Value> yielded = l.flatten(op.getBody()->getTerminator()->getOperands());
  Value next = drawn.next ? drawn.next : queue ? nextBlock(l, drawn) : l.add(body->getArgument(0), step);
  SmallVector<Value> again = {next};
  llvm::append_range(again, yielded);
  if (queue) {
    again.push_back(l.add(turn, 1));
  }
  // Where one step past the end may overflow, what is left decides, which as an unsigned number does not.
  Value more = queue || cannotOverflow(op) ? l.icmp(LLVM::ICmpPredicate::slt, next, upper)
                                           : l.icmp(LLVM::ICmpPredicate::ugt, l.sub(upper, body->getArgument(0)), step);
  LLVM::CondBrOp::create(l.b, l.loc, more, body, again, exit, yielded);

  l.b.setInsertionPointToStart(exit);
  l.bindFlat(op.getResults(), exit->getArguments());
  return success();
}

LogicalResult lowerIf(Lowering &l, scf::IfOp op) {
  Value condition = l.scalar(op.getCondition());
  SmallVector<Type> types = l.flatTypes(op.getResultTypes());
  Block *rest = splitHere(l);
  Block *join = newBlock(l, rest, types);
  join->getOperations().splice(join->end(), rest->getOperations());
  rest->erase();
  Block *thenBlock = newBlock(l, join, {});
  Block *elseBlock = op.elseBlock() ? newBlock(l, join, {}) : join;
  LLVM::CondBrOp::create(l.b, l.loc, condition, thenBlock, elseBlock);
  for (auto [block, region] : {std::pair(thenBlock, op.thenBlock()), std::pair(elseBlock, op.elseBlock())}) {
    if (!region) {
      continue;
    }
    l.b.setInsertionPointToEnd(block);
    if (failed(l.lowerBlock(*region))) {
      return failure();
    }
    LLVM::BrOp::create(l.b, l.loc, l.flatten(region->getTerminator()->getOperands()), join);
  }
  l.b.setInsertionPointToStart(join);
  l.bindFlat(op.getResults(), join->getArguments());
  return success();
}

/// Places along the rows in which the warps' numbers take a tile's elements: equal ones have the same rows in a warp.
SmallVector<int32_t> rowsOfWarps(const layout::LinearLayout &layout) {
  SmallVector<int32_t> rows;
  for (unsigned bit = 0; bit < layout.numBits(layout::In::Warp); ++bit) {
    rows.push_back(layout.basis(layout::In::Warp, bit, 0));
  }
  return rows;
}

/// May each warp take the branch alone: does it meet no other inside, and do all tiles that leave it have the rows in a
/// warp that the condition has?
bool warpsMayPart(Lowering &l, tile::AnyInWarpOp any, scf::IfOp branch) {
  SmallVector<int32_t> rows = rowsOfWarps(l.layoutOf(cast<RankedTensorType>(any.getCondition().getType())));
  auto meets = [](Operation *op) {
    return lowering::scratchBytes(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return !branch->walk(meets).wasInterrupted() && llvm::all_of(branch.getResultTypes(), [&](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && rowsOfWarps(l.layoutOf(tile)) == rows;
  });
}

LogicalResult lowerAnyInWarp(Lowering &l, tile::AnyInWarpOp op) {
  for (Operation *user : op->getUsers()) {
    auto branch = dyn_cast<scf::IfOp>(user);
    if (!branch || !warpsMayPart(l, op, branch)) {
      l.setScalar(op.getResult(), l.constant(l.i1(), 1));
      return success();
    }
  }
  Value holds;
  for (Value element : llvm::SetVector<Value>(llvm::from_range, l.elements(op.getCondition()))) {
    holds = holds ? Value(LLVM::OrOp::create(l.b, l.loc, holds, element)) : element;
  }
  l.setScalar(op.getResult(), NVVM::VoteSyncOp::create(l.b, l.loc, l.i1(), l.i32c(-1), holds, NVVM::VoteSyncKind::any));
  return success();
}

LogicalResult lowerWhile(Lowering &l, scf::WhileOp op) {
  SmallVector<Value> inits = l.flatten(op.getInits());
  Block *rest = splitHere(l);
  Block *before = newBlock(l, rest, l.flatTypes(op.getBeforeBody()->getArgumentTypes()));
  Block *after = newBlock(l, rest, l.flatTypes(op.getAfterBody()->getArgumentTypes()));
  Block *exit = newBlock(l, rest, l.flatTypes(op.getResultTypes()));
  exit->getOperations().splice(exit->end(), rest->getOperations());
  rest->erase();
  LLVM::BrOp::create(l.b, l.loc, inits, before);

  l.b.setInsertionPointToEnd(before);
  l.bindFlat(op.getBeforeArguments(), before->getArguments());
  if (failed(l.lowerBlock(*op.getBeforeBody()))) {
    return failure();
  }
  auto condition = op.getConditionOp();
  SmallVector<Value> passed = l.flatten(condition.getArgs());
  LLVM::CondBrOp::create(l.b, l.loc, l.scalar(condition.getCondition()), after, passed, exit, passed);

  l.b.setInsertionPointToEnd(after);
  l.bindFlat(op.getAfterArguments(), after->getArguments());
  if (failed(l.lowerBlock(*op.getAfterBody()))) {
    return failure();
  }
  LLVM::BrOp::create(l.b, l.loc, l.flatten(op.getYieldOp().getOperands()), before);

  l.b.setInsertionPointToStart(exit);
  l.bindFlat(op.getResults(), exit->getArguments());
  return success();
}

} // namespace

void registerControlFlow(Lowering::HandlerTable &table) {
  Lowering::add<scf::ForOp, lowerFor>(table);
  Lowering::add<scf::IfOp, lowerIf>(table);
  Lowering::add<tile::AnyInWarpOp, lowerAnyInWarp>(table);
  Lowering::add<scf::WhileOp, lowerWhile>(table);
}

} // namespace phobos::lowering
