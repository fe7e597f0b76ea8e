// Shuffles, votes, matches, reductions and the lane-wise arithmetic that goes with them, as entries of warp programs.
#include "WarpProgram.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using phobos::host::WarpKind;

namespace phobos::tohost {

bool isWarpOp(Operation *op) {
  return isa<NVVM::ShflOp, NVVM::VoteSyncOp, NVVM::MatchSyncOp, NVVM::ReduxOp, NVVM::ElectSyncOp, NVVM::SyncWarpOp,
             NVVM::LdMatrixOp, NVVM::StMatrixOp, NVVM::MmaOp>(op);
}

namespace {

WarpEntry exchange(WarpKind kind, ArrayRef<Value> operands, unsigned results, Value mask) {
  WarpEntry entry;
  entry.op.kind = kind;
  entry.op.num = results;
  entry.operands.assign(operands.begin(), operands.end());
  entry.results = results;
  entry.immediates = true;
  entry.mask = mask;
  return entry;
}

WarpKind kindOf(NVVM::ShflKind kind) {
  switch (kind) {
  case NVVM::ShflKind::bfly:
    return WarpKind::ShflBfly;
  case NVVM::ShflKind::up:
    return WarpKind::ShflUp;
  case NVVM::ShflKind::down:
    return WarpKind::ShflDown;
  case NVVM::ShflKind::idx:
    return WarpKind::ShflIdx;
  }
  llvm_unreachable("unknown shuffle");
}

WarpKind kindOf(NVVM::VoteSyncKind kind) {
  switch (kind) {
  case NVVM::VoteSyncKind::any:
    return WarpKind::VoteAny;
  case NVVM::VoteSyncKind::all:
    return WarpKind::VoteAll;
  case NVVM::VoteSyncKind::ballot:
    return WarpKind::VoteBallot;
  case NVVM::VoteSyncKind::uni:
    return WarpKind::VoteUni;
  }
  llvm_unreachable("unknown vote");
}

WarpKind kindOf(NVVM::ReduxKind kind) {
  switch (kind) {
  case NVVM::ReduxKind::ADD:
    return WarpKind::ReduxAdd;
  case NVVM::ReduxKind::AND:
    return WarpKind::ReduxAnd;
  case NVVM::ReduxKind::OR:
    return WarpKind::ReduxOr;
  case NVVM::ReduxKind::XOR:
    return WarpKind::ReduxXor;
  case NVVM::ReduxKind::MIN:
    return WarpKind::ReduxSMin;
  case NVVM::ReduxKind::MAX:
    return WarpKind::ReduxSMax;
  case NVVM::ReduxKind::UMIN:
    return WarpKind::ReduxUMin;
  case NVVM::ReduxKind::UMAX:
    return WarpKind::ReduxUMax;
  case NVVM::ReduxKind::FMIN:
    return WarpKind::ReduxFMin;
  case NVVM::ReduxKind::FMAX:
    return WarpKind::ReduxFMax;
  }
  llvm_unreachable("unknown reduction");
}

} // namespace

std::optional<WarpEntry> describeWarpOp(Operation *op) {
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    return exchange(kindOf(shuffle.getKind()), {shuffle.getVal(), shuffle.getOffset(), shuffle.getMaskAndClamp()},
                    shuffle.getReturnValueAndIsValid() ? 2 : 1, shuffle.getThreadMask());
  }
  if (auto vote = dyn_cast<NVVM::VoteSyncOp>(op)) {
    return exchange(kindOf(vote.getKind()), {vote.getPred()}, 1, vote.getMask());
  }
  if (auto match = dyn_cast<NVVM::MatchSyncOp>(op)) {
    bool any = match.getKind() == NVVM::MatchSyncKind::any;
    WarpEntry entry =
        exchange(any ? WarpKind::MatchAny : WarpKind::MatchAll, {match.getVal()}, any ? 1 : 2, match.getThreadMask());
    entry.op.num = match.getVal().getType().getIntOrFloatBitWidth() / 32;
    return entry;
  }
  if (auto redux = dyn_cast<NVVM::ReduxOp>(op)) {
    WarpEntry entry = exchange(kindOf(redux.getKind()), {redux.getVal()}, 1, redux.getMaskAndClamp());
    entry.op.flags = (redux.getAbs() ? host::kReduxAbs : 0) | (redux.getNan() ? host::kReduxNaN : 0);
    return entry;
  }
  if (auto elect = dyn_cast<NVVM::ElectSyncOp>(op)) {
    return exchange(WarpKind::Elect, {}, 1, elect.getMembermask());
  }
  if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op)) {
    WarpEntry entry = exchange(WarpKind::SyncWarp, {}, 0, sync.getMask());
    entry.effect = Effect::Orders;
    return entry;
  }
  return describeMatrixOp(op);
}

// --- lane-wise arithmetic
namespace {

const llvm::DenseMap<TypeID, WarpKind> &floatKinds() {
  static const llvm::DenseMap<TypeID, WarpKind> table = {
      {TypeID::get<LLVM::FAddOp>(), WarpKind::FAdd},        {TypeID::get<LLVM::FSubOp>(), WarpKind::FSub},
      {TypeID::get<LLVM::FMulOp>(), WarpKind::FMul},        {TypeID::get<LLVM::FMAOp>(), WarpKind::FFma},
      {TypeID::get<LLVM::FNegOp>(), WarpKind::FNeg},        {TypeID::get<LLVM::MaxNumOp>(), WarpKind::FMaxNum},
      {TypeID::get<LLVM::MinNumOp>(), WarpKind::FMinNum},   {TypeID::get<LLVM::MaximumOp>(), WarpKind::FMaximum},
      {TypeID::get<LLVM::MinimumOp>(), WarpKind::FMinimum},
  };
  return table;
}

const llvm::DenseMap<TypeID, WarpKind> &integerKinds() {
  static const llvm::DenseMap<TypeID, WarpKind> table = {
      {TypeID::get<LLVM::AddOp>(), WarpKind::IAdd},  {TypeID::get<LLVM::SubOp>(), WarpKind::ISub},
      {TypeID::get<LLVM::MulOp>(), WarpKind::IMul},  {TypeID::get<LLVM::AndOp>(), WarpKind::And},
      {TypeID::get<LLVM::OrOp>(), WarpKind::Or},     {TypeID::get<LLVM::XOrOp>(), WarpKind::Xor},
      {TypeID::get<LLVM::SMaxOp>(), WarpKind::SMax}, {TypeID::get<LLVM::SMinOp>(), WarpKind::SMin},
      {TypeID::get<LLVM::UMaxOp>(), WarpKind::UMax}, {TypeID::get<LLVM::UMinOp>(), WarpKind::UMin},
  };
  return table;
}

/// A shift by a constant below 32; one by more would have to do what the device does.
std::optional<WarpKind> shiftKind(Operation *op) {
  APInt amount;
  if (!isa<LLVM::ShlOp, LLVM::LShrOp, LLVM::AShrOp>(op) || !matchPattern(op->getOperand(1), m_ConstantInt(&amount)) ||
      amount.uge(32)) {
    return std::nullopt;
  }
  return isa<LLVM::ShlOp>(op) ? WarpKind::Shl : isa<LLVM::LShrOp>(op) ? WarpKind::LShr : WarpKind::AShr;
}

/// The outcomes of a comparison for which a predicate holds: 1 equal, 2 greater, 4 less, 8 unordered.
uint8_t outcomes(LLVM::FCmpPredicate predicate) {
  switch (predicate) {
  case LLVM::FCmpPredicate::_false:
    return 0;
  case LLVM::FCmpPredicate::oeq:
    return 1;
  case LLVM::FCmpPredicate::ogt:
    return 2;
  case LLVM::FCmpPredicate::oge:
    return 1 | 2;
  case LLVM::FCmpPredicate::olt:
    return 4;
  case LLVM::FCmpPredicate::ole:
    return 1 | 4;
  case LLVM::FCmpPredicate::one:
    return 2 | 4;
  case LLVM::FCmpPredicate::ord:
    return 1 | 2 | 4;
  case LLVM::FCmpPredicate::uno:
    return 8;
  case LLVM::FCmpPredicate::ueq:
    return 8 | 1;
  case LLVM::FCmpPredicate::ugt:
    return 8 | 2;
  case LLVM::FCmpPredicate::uge:
    return 8 | 1 | 2;
  case LLVM::FCmpPredicate::ult:
    return 8 | 4;
  case LLVM::FCmpPredicate::ule:
    return 8 | 1 | 4;
  case LLVM::FCmpPredicate::une:
    return 8 | 2 | 4;
  case LLVM::FCmpPredicate::_true:
    return 1 | 2 | 4 | 8;
  }
  llvm_unreachable("unknown predicate");
}

bool isBit(Type type) { return type.isInteger(1); }

} // namespace

std::optional<WarpEntry> describeLaneOp(Operation *op) {
  if (op->getNumResults() != 1) {
    return std::nullopt;
  }
  Type type = op->getResult(0).getType();
  auto entry = [&](WarpKind kind, uint8_t flags = 0) {
    WarpEntry made = exchange(kind, SmallVector<Value>(op->getOperands()), 1, {});
    made.op.flags = flags;
    return made;
  };
  if (auto compare = dyn_cast<LLVM::ICmpOp>(op)) {
    static_assert(unsigned(LLVM::ICmpPredicate::eq) == unsigned(host::IntPredicate::eq) &&
                  unsigned(LLVM::ICmpPredicate::slt) == unsigned(host::IntPredicate::slt) &&
                  unsigned(LLVM::ICmpPredicate::uge) == unsigned(host::IntPredicate::uge));
    if (!compare.getLhs().getType().isInteger(32)) {
      return std::nullopt;
    }
    return entry(WarpKind::ICmp, uint8_t(compare.getPredicate()));
  }
  if (auto compare = dyn_cast<LLVM::FCmpOp>(op)) {
    if (!compare.getLhs().getType().isF32()) {
      return std::nullopt;
    }
    return entry(WarpKind::FCmp, outcomes(compare.getPredicate()));
  }
  if (isa<LLVM::SelectOp>(op) && isBit(op->getOperand(0).getType()) &&
      (type.isInteger(32) || type.isF32() || isBit(type))) {
    return entry(WarpKind::Select);
  }
  TypeID id = op->getName().getTypeID();
  if (type.isF32()) {
    auto kind = floatKinds().find(id);
    return kind == floatKinds().end() ? std::nullopt : std::optional(entry(kind->second));
  }
  if (type.isInteger(32)) {
    if (std::optional<WarpKind> kind = shiftKind(op)) {
      return entry(*kind);
    }
    auto kind = integerKinds().find(id);
    return kind == integerKinds().end() ? std::nullopt : std::optional(entry(kind->second));
  }
  if (isBit(type) && isa<LLVM::AndOp, LLVM::OrOp, LLVM::XOrOp>(op)) {
    return entry(integerKinds().find(id)->second);
  }
  return std::nullopt;
}

} // namespace phobos::tohost
