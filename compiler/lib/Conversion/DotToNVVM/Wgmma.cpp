// dot.wgmma: products of slots by warpgroups (PTX ISA, "wgmma.mma_async", "Shared memory matrix layout").
//
// An operand is described by 64 bits: start address, the two strides between its 8-row groups, and the swizzle. The
// constant bits are or'ed to the address, which must be masked: in a cluster a rank stands above it.
#include "phobos/Conversion/InlinePtx.h"
#include "phobos/Conversion/SharedAccess.h"
#include "phobos/Dialect/Dot/IR/StageLayout.h"
#include "phobos/Layout/Constructors.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using phobos::layout::In;

namespace phobos::lowering {
namespace {

constexpr int64_t kInstructionM = 64, kInstructionKBytes = 32;
constexpr uint32_t kAddressMask = 0x3FFFF;
constexpr StringLiteral kForPtxasAttr = "dot.for_ptxas"; // on a wait that is never executed

/// One operand of all the instructions of a turn.
class Operand {
public:
  /// `x` is the dimension of the stage that is m or n, the other is k. `warpBases` are the accumulator's, along that
  /// dimension.
  Operand(Lowering &l, TypedValue<dot::StageType> stage, Value slot, unsigned x, ArrayRef<int32_t> warpBases,
          Value uniformWarp)
      : l(l), shared(dot::sharedLayoutOf(stage.getType())), x(x) {
    dot::StageType type = stage.getType();
    unsigned unit = type.getOrder()[0];
    kMajor = unit != x;
    // Where the warpgroup's rows or columns begin: the bits of its number, each at a fixed place.
    SmallVector<uint32_t> places;
    for (int32_t basis : warpBases) {
      places.push_back(offsetOf(basis, 0));
    }
    Value base =
        l.add(slotOffset(l, stage, slot), l.evaluate(layout::decompose({}, places, {}, /*add=*/false), uniformWarp));
    Value address = LLVM::PtrToIntOp::create(l.b, l.loc, l.i32(), l.sharedAddress(base));
    Value low = l.lshr(l.bitAnd(address, kAddressMask), 4);
    low = LLVM::ZExtOp::create(l.b, l.loc, l.i64(), low);
    uint64_t panel = type.getPanelBytes(), rows = type.getShape()[1 - unit];
    uint64_t leading = kMajor ? 16 : rows * panel, stride = 8 * panel;
    uint64_t swizzle = panel == 128 ? 1 : panel == 64 ? 2 : 3;
    uint64_t bits = (leading >> 4) << 16 | (stride >> 4) << 32 | swizzle << 62;
    descriptor = LLVM::OrOp::create(l.b, l.loc, low, l.i64c(int64_t(bits)));
  }

  /// The descriptor of the part that begins at row (or column) `at` of the warpgroup's and at `k`.
  Value part(int64_t at, int64_t k) { return l.add(descriptor, int64_t(offsetOf(at, k)) >> 4); }

  bool isKMajor() const { return kMajor; }

private:
  uint32_t offsetOf(int64_t at, int64_t k) const {
    layout::Coords coords(2, 0);
    coords[x] = at;
    coords[1 - x] = k;
    return shared.offset(coords);
  }

  Lowering &l;
  layout::SharedLayout shared;
  unsigned x;
  bool kMajor = false;
  Value descriptor;
};

/// Coordinate `dim` of the accumulator's warp bases; those of warps inside a warpgroup (its first two) count as
/// nothing.
SmallVector<int32_t> groupBases(const layout::LinearLayout &acc, unsigned dim) {
  SmallVector<int32_t> bases;
  for (unsigned bit = 0; bit < acc.numBits(In::Warp); ++bit) {
    bases.push_back(bit < 2 ? 0 : acc.basis(In::Warp, bit, dim));
  }
  return bases;
}

NVVM::WGMMATypes operandType(Type element) {
  return element.isF16()                  ? NVVM::WGMMATypes::f16
         : element.isBF16()               ? NVVM::WGMMATypes::bf16
         : element.isF32()                ? NVVM::WGMMATypes::tf32
         : isa<Float8E4M3FNType>(element) ? NVVM::WGMMATypes::e4m3
         : isa<Float8E5M2Type>(element)   ? NVVM::WGMMATypes::e5m2
                                          : NVVM::WGMMATypes::s8;
}

/// What all the instructions of one product share.
struct Product {
  Type structType;
  int64_t columns, depth;
  NVVM::WGMMATypes operands, sums;
  bool kMajorB;
};

/// "=f,=f,0,1": `count` outputs and as many inputs in the same registers.
std::string tiedConstraints(size_t count, Type type) {
  std::string outputs, inputs;
  for (size_t i = 0; i < count; ++i) {
    outputs += type.isF32() ? "=f," : "=r,";
    inputs += std::to_string(i) + (i + 1 < count ? "," : "");
  }
  return outputs + inputs;
}

/// "{$8, $9}"
std::string registerList(size_t first, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += (i ? ", $" : "$") + std::to_string(first + i);
  }
  return "{" + text + "}";
}

/// The instruction with A from registers, which the nvvm dialect does not have; the sums are tied to its results.
Value multiplyRegisters(Lowering &l, const Product &p, ArrayRef<Value> a, Value descriptor, Value running,
                        bool fromZero) {
  Type sum = cast<LLVM::LLVMStructType>(p.structType).getBody().front();
  size_t sums = p.columns / 2;
  SmallVector<Value> operands;
  for (size_t i = 0; i < sums; ++i) {
    operands.push_back(fromZero ? Value(LLVM::UndefOp::create(l.b, l.loc, sum))
                                : Value(LLVM::ExtractValueOp::create(l.b, l.loc, running, i)));
  }
  llvm::append_range(operands, a);
  operands.push_back(descriptor);
  StringRef name = NVVM::stringifyWGMMATypes(p.operands);
  std::string text = "{ .reg .pred p; setp.ne.b32 p, " + std::string(fromZero ? "0" : "1") +
                     ", 0; wgmma.mma_async.sync.aligned.m64n" + std::to_string(p.columns) + "k" +
                     std::to_string(p.depth) + ".f32." + name.str() + "." + name.str() + " " + registerList(0, sums) +
                     ", " + registerList(2 * sums, 4) + ", $" + std::to_string(2 * sums + 4) + ", p, 1, 1, " +
                     (p.kMajorB ? "0" : "1") + "; }";
  return l.inlineAsm(p.structType, operands, text, tiedConstraints(sums, sum) + ",r,r,r,r,l").getResult(0);
}

LogicalResult lowerWgmma(Lowering &l, dot::WgmmaOp op) {
  auto accType = cast<RankedTensorType>(op.getAcc().getType());
  const layout::LinearLayout &accLayout = l.layoutOf(accType);
  Type element = op.getElementTypeA();
  int64_t k = op.getShapeA()[op.getTransA() ? 0 : 1];

  // A warpgroup's piece: columns of one instruction, rows of several.
  int64_t groupsM = 1, groupsN = 1;
  for (unsigned bit = 2; bit < accLayout.numBits(In::Warp); ++bit) {
    groupsM *= accLayout.basis(In::Warp, bit, 0) ? 2 : 1;
    groupsN *= accLayout.basis(In::Warp, bit, 1) ? 2 : 1;
  }
  int64_t rows = accLayout.shape()[0] / groupsM, columns = accLayout.shape()[1] / groupsN;
  SmallVector<Value> acc(l.words(op.getAcc()));
  unsigned perInstruction = columns / 2;
  assert(acc.size() == size_t(rows / kInstructionM) * perInstruction && "accumulator layout is wgmma's");

  // The same in all lanes, and ptxas must see it: descriptors then live in uniform registers.
  Value warp = NVVM::ShflOp::create(l.b, l.loc, l.i32(), l.i32c(-1), l.warp(), l.i32c(0), l.i32c(31),
                                    NVVM::ShflKind::idx, UnitAttr());
  std::optional<Operand> a;
  if (auto stage = op.getStageA()) {
    a.emplace(l, stage, op.getSlotA(), op.getTransA() ? 1 : 0, groupBases(accLayout, 0), warp);
  }
  Operand b(l, op.getB(), op.getSlotB(), op.getTransB() ? 0 : 1, groupBases(accLayout, 1), warp);

  Type sumType = accType.getElementType();
  Product p;
  p.columns = columns;
  p.depth = kInstructionKBytes / (std::max(element.getIntOrFloatBitWidth(), 8u) / 8);
  p.structType = LLVM::LLVMStructType::getLiteral(l.b.getContext(), SmallVector<Type>(perInstruction, sumType));
  p.operands = operandType(element);
  p.sums = sumType.isF32() ? NVVM::WGMMATypes::f32 : NVVM::WGMMATypes::s32;
  p.kMajorB = b.isKMajor();
  auto shape = NVVM::MMAShapeAttr::get(l.b.getContext(), kInstructionM, columns, p.depth);
  bool fromZero = matchPattern(op.getAcc(), m_AnyZeroFloat()) ||
                  matchPattern(op.getAcc(), m_Zero()); // then the accumulator is not read
  SmallVector<Value> wordsA;
  if (!a) { // in their registers before the fence
    wordsA = llvm::map_to_vector(l.words(op.getA()), [&](Value word) { return l.bitcast(l.i32(), word); });
  }
  NVVM::WgmmaFenceAlignedOp::create(l.b, l.loc);
  for (int64_t row = 0; row < rows; row += kInstructionM) {
    auto sums = MutableArrayRef(acc).slice(row / kInstructionM * perInstruction, perInstruction);
    Value running = LLVM::UndefOp::create(l.b, l.loc, p.structType);
    for (auto [i, sum] : llvm::enumerate(fromZero ? MutableArrayRef<Value>() : sums)) {
      running = LLVM::InsertValueOp::create(l.b, l.loc, running, sum, i);
    }
    for (int64_t step = 0; step < k; step += p.depth) {
      bool zero = fromZero && step == 0;
      if (!a) {
        // A lane's words of one instruction are neighbours: two of rows eight apart, and those of the second half of k.
        size_t first = 4 * (row / kInstructionM + step / p.depth * (rows / kInstructionM));
        running = multiplyRegisters(l, p, ArrayRef(wordsA).slice(first, 4), b.part(0, step), running, zero);
        continue;
      }
      running = NVVM::WgmmaMmaAsyncOp::create(
          l.b, l.loc, p.structType, running, a->part(row, step), b.part(0, step), shape, p.operands, p.operands, p.sums,
          zero ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
          a->isKMajor() ? NVVM::MMALayout::row : NVVM::MMALayout::col,
          p.kMajorB ? NVVM::MMALayout::col : NVVM::MMALayout::row, NVVM::MMAIntOverflowAttr());
    }
    for (auto [i, sum] : llvm::enumerate(sums)) {
      sum = LLVM::ExtractValueOp::create(l.b, l.loc, running, i);
    }
  }
  if (!op.getWithNext()) {
    NVVM::WgmmaGroupSyncAlignedOp::create(l.b, l.loc);
  }
  l.setWords(op.getResult(), acc);
  return success();
}

/// Waits for all but `pending` groups; nothing that uses `words` afterwards moves in front of it, and nothing is
/// written over `read` before it. `forPtxas`: no thread comes by.
SmallVector<Value> tiedWait(Lowering &l, ArrayRef<Value> words, unsigned pending, ArrayRef<Value> read = {},
                            bool forPtxas = false) {
  SmallVector<Type> types = llvm::map_to_vector(words, [](Value word) { return word.getType(); });
  SmallVector<Value> operands(words);
  llvm::append_range(operands, read);
  std::string outputs, inputs;
  for (auto [i, type] : llvm::enumerate(types)) {
    outputs += type.isF32() ? "=f," : "=r,";
    inputs += std::to_string(i) + ",";
  }
  for (size_t i = 0; i < read.size(); ++i) {
    inputs += "r,";
  }
  inputs.pop_back();
  Type all = words.size() == 1 ? types[0] : Type(LLVM::LLVMStructType::getLiteral(l.b.getContext(), types));
  auto wait =
      l.inlineAsm(all, operands, "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";", outputs + inputs);
  if (forPtxas) {
    wait->setAttr(kForPtxasAttr, l.b.getUnitAttr());
  }
  SmallVector<Value> results;
  for (size_t i = 0; i < words.size(); ++i) {
    results.push_back(words.size() == 1 ? wait.getResult(0)
                                        : Value(LLVM::ExtractValueOp::create(l.b, l.loc, wait.getResult(0), i)));
  }
  return results;
}

LogicalResult lowerWgmmaWait(Lowering &l, dot::WgmmaWaitOp op) {
  SmallVector<Value> words(l.words(op.getAcc()));
  if (!op.getTied()) {
    NVVM::WgmmaWaitGroupSyncOp::create(l.b, l.loc, uint64_t(op.getPending()));
    l.setWords(op.getResult(), words);
    return success();
  }
  l.setWords(op.getResult(), tiedWait(l, words, op.getPending()));
  return success();
}

/// Does it hold in some lane of the warp? The same in all, and ptxas sees it.
Value inAnyLane(Lowering &l, Value predicate) {
  return NVVM::VoteSyncOp::create(l.b, l.loc, l.i1(), l.i32c(-1), predicate, NVVM::VoteSyncKind::any);
}

/// ptxas moves a wait up to the product in front of it, over everything that does not need its sums, within a stretch
/// of code without branches: so there is a branch. With a factor it decides whether to multiply at all; else it is one
/// that is as good as never taken.
LogicalResult lowerWgmmaJoin(Lowering &l, dot::WgmmaJoinOp op) {
  constexpr int64_t kNeverComputed = 0x7FB5EED5; // a NaN that no instruction makes
  SmallVector<Value> sums(l.words(op.getAcc())), computed(l.words(op.getComputed()));
  SmallVector<Value> factors;
  Value takes;
  if (op.getFactor()) {
    factors = SmallVector<Value>(l.words(op.getFactor()));
    for (Value factor : llvm::SmallSetVector<Value, 4>(factors.begin(), factors.end())) {
      Value differs =
          LLVM::FCmpOp::create(l.b, l.loc, LLVM::FCmpPredicate::une, factor, l.constantF(factor.getType(), 1));
      takes = takes ? Value(LLVM::OrOp::create(l.b, l.loc, takes, differs)) : differs;
    }
  } else {
    takes = l.icmp(LLVM::ICmpPredicate::eq, l.bitcast(l.i32(), computed.front()), l.i32c(kNeverComputed));
  }
  takes = inAnyLane(l, takes);
  Block *before = l.b.getInsertionBlock();
  Block *after = before->splitBlock(l.b.getInsertionPoint());
  Block *inside = l.b.createBlock(after);
  SmallVector<Value> merged;
  for (Value sum : sums) {
    merged.push_back(after->addArgument(sum.getType(), l.loc));
  }
  l.b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(l.b, l.loc, takes, inside, ValueRange(), after, sums);
  l.b.setInsertionPointToEnd(inside);
  SmallVector<Value> scaled = tiedWait(l, sums, /*pending=*/0, /*read=*/{}, /*forPtxas=*/!op.getFactor());
  for (auto [sum, factor] : llvm::zip(scaled, factors)) {
    sum = LLVM::FMulOp::create(l.b, l.loc, sum, factor);
  }
  LLVM::BrOp::create(l.b, l.loc, scaled, after);
  l.b.setInsertionPointToStart(after);
  SmallVector<Value> read;
  if (op.getRead()) {
    read = llvm::map_to_vector(l.words(op.getRead()), [&](Value word) { return l.bitcast(l.i32(), word); });
  }
  llvm::append_range(merged, computed);
  SmallVector<Value> results = tiedWait(l, merged, /*pending=*/0, read);
  l.setWords(op.getResult(), ArrayRef(results).take_front(sums.size()));
  l.setWords(op.getAfter(), ArrayRef(results).drop_front(sums.size()));
  return success();
}

LogicalResult lowerKeep(Lowering &l, dot::KeepOp op) {
  SmallVector<Value> words =
      llvm::map_to_vector(l.words(op.getTile()), [&](Value word) { return l.bitcast(l.i32(), word); });
  assert(words.size() % 4 == 0 && "the layout is a wgmma operand's");
  std::string text = kKeepPtx.str(), constraints;
  for (size_t i = 0; i < words.size(); i += 4) {
    text += " @p st.shared.v4.b32 [t], " + registerList(i, 4) + ";";
    constraints += i ? ",r,r,r,r" : "r,r,r,r";
  }
  l.inlineAsm({}, words, text + " }", constraints);
  return success();
}

} // namespace

void registerWgmma(Lowering::HandlerTable &table) {
  Lowering::add<dot::WgmmaOp, lowerWgmma>(table);
  Lowering::add<dot::WgmmaWaitOp, lowerWgmmaWait>(table);
  Lowering::add<dot::WgmmaJoinOp, lowerWgmmaJoin>(table);
  Lowering::add<dot::KeepOp, lowerKeep>(table);
}

} // namespace phobos::lowering
