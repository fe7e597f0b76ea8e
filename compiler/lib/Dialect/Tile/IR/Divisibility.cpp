// What divides an index, and whether it can be negative: recursive looks at its definition.
#include "phobos/Dialect/Tile/IR/Divisibility.h"

#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace phobos::tile {
namespace {

// Divisors above this tell nothing more; keeps products from overflowing.
constexpr int64_t kMaxDivisor = int64_t(1) << 30;

constexpr unsigned kMaxDepth = 16; // of a definition that is looked at

int64_t divisor(Value value, unsigned depth);

int64_t ofOperation(Operation *op, unsigned depth) {
  auto of = [&](unsigned i) { return divisor(op->getOperand(i), depth + 1); };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>([&](auto) { return std::gcd(of(0), of(1)); })
      .Case<arith::MulIOp>([&](auto) -> int64_t {
        int64_t x = of(0), y = of(1);
        return x && y > kMaxDivisor / x ? std::max(x, y) : x * y;
      })
      .Case<arith::ShLIOp>([&](auto) -> int64_t {
        APInt by;
        return matchPattern(op->getOperand(1), m_ConstantInt(&by)) && by.ult(20) ? of(0) << by.getZExtValue() : 1;
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::DivUIOp>([&](auto) -> int64_t {
        APInt by;
        int64_t x = of(0);
        bool exact =
            matchPattern(op->getOperand(1), m_ConstantInt(&by)) && by.getSExtValue() > 0 && x % by.getSExtValue() == 0;
        return exact ? x / by.getSExtValue() : 1;
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return std::gcd(of(0), of(1)); })
      .Case<arith::SelectOp>([&](auto) { return std::gcd(of(1), of(2)); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto) { return of(0); })
      .Case<ExtentOp>([&](ExtentOp extent) {
        return extent->getParentOfType<KernelOp>().extentDivisor(extent.getView(), extent.getDim());
      })
      .Case<StrideOp>([&](StrideOp stride) { return stride.getView().getType().strideDivisor(stride.getDim()); })
      .Default([](Operation *) { return 1; });
}

int64_t divisor(Value value, unsigned depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return std::abs(constant.getSExtValue());
  }
  if (depth > kMaxDepth) {
    return 1;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar()) {
      return std::gcd(divisor(loop.getLowerBound(), depth + 1), divisor(loop.getStep(), depth + 1));
    }
    return 1;
  }
  return ofOperation(value.getDefiningOp(), depth);
}

unsigned powerOfTwoIn(int64_t divisor, unsigned most) {
  return divisor == 0 ? most : std::min<int64_t>(most, divisor & -divisor);
}

/// `end` - 1 - `index`, of an index below `end`: counted from the last.
bool countsDown(arith::SubIOp op) {
  auto last = op.getLhs().getDefiningOp<arith::SubIOp>();
  if (!last || getConstantIntValue(last.getRhs()) != 1) {
    return false;
  }
  Value end = last.getLhs();
  if (auto rest = op.getRhs().getDefiningOp<arith::RemUIOp>()) {
    return rest.getRhs() == end;
  }
  auto block = op.getRhs().getDefiningOp<BlockIdOp>();
  auto grid = end.getDefiningOp<GridDimOp>();
  return block && grid && block.getAxis() == grid.getAxis();
}

bool neverNegative(Value value, unsigned depth) {
  if (auto constant = getConstantIntValue(value)) {
    return *constant >= 0;
  }
  if (depth > kMaxDepth) {
    return false;
  }
  auto of = [&](Value other) { return neverNegative(other, depth + 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() && of(loop.getLowerBound()) && of(loop.getStep());
  }
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<BlockIdOp, GridDimOp, ResidentIdOp, ResidentCountOp, QueueOp, ExtentOp>([](auto) { return true; })
      .Case<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](auto) { return operand(0) && operand(1); })
      .Case<arith::MaxSIOp, arith::MinUIOp, arith::AndIOp>(
          [&](auto) { return operand(1) || operand(0); }) // constants first
      .Case<arith::RemSIOp, arith::DivUIOp, arith::ShRUIOp, arith::ShLIOp>([&](auto) { return operand(0); })
      .Case<arith::RemUIOp>([&](auto) { return operand(0) || operand(1); })
      .Case<arith::SelectOp>([&](auto) { return operand(1) && operand(2); })
      .Case<arith::SubIOp>(countsDown)
      .Default([](Operation *) { return false; });
}

} // namespace

bool isNeverNegative(Value index) { return neverNegative(index, 0); }

int64_t divisorOf(Value index) { return divisor(index, 0); }

std::optional<unsigned> unitDim(ViewType view) {
  // An extent of 1 may have any stride; a longer dimension of stride 1 is the better guess.
  for (unsigned dim = view.getRank(); dim-- > 0;) {
    if (view.isUnitStride(dim) && view.getShape()[dim] != 1) {
      return dim;
    }
  }
  for (unsigned dim = view.getRank(); dim-- > 0;) {
    if (view.isUnitStride(dim)) {
      return dim;
    }
  }
  return std::nullopt;
}

unsigned alignedBytes(Value view, ValueRange offsets) {
  auto type = cast<ViewType>(view.getType());
  unsigned bytes = elementBits(type.getElementType()) / 8;
  auto unit = unitDim(type);
  if (!unit) {
    return bytes;
  }
  unsigned aligned = std::min(16u, std::max(type.getAlign(), bytes));
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    int64_t elements = dim == *unit ? divisorOf(offsets[dim]) : type.strideDivisor(dim);
    aligned = std::min(aligned, powerOfTwoIn(elements * bytes, 16));
  }
  return std::max(aligned, bytes);
}

unsigned maskGranule(KernelOp kernel, Value view, unsigned dim, Value offset, bool whole, int64_t extent) {
  constexpr unsigned most = 128;
  // A tile whose extent is no power of two is padded, and the padding masked.
  unsigned inTile = extent == int64_t(llvm::PowerOf2Ceil(extent)) ? most : powerOfTwoIn(extent, most);
  if (whole) {
    return inTile;
  }
  return std::min({inTile, powerOfTwoIn(kernel.extentDivisor(view, dim), most), powerOfTwoIn(divisorOf(offset), most)});
}

} // namespace phobos::tile
