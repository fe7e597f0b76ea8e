// tile.reduce: registers of a thread in a tree, lanes by butterfly shuffles, warps through shared memory.
//
// The order is fixed by the layout: registers whose numbers differ in the lowest axis bit first, then lanes likewise,
// then the warps' partial results in a tree over the warp number; so equal inputs give equal bits in every thread that
// holds a result. Padding counts as the identity. Replicas are left out: only bits that move along the axis
// independently of those before take part. The scratch lies at `shared.offset`; the barrier before its first write is
// there already.
#include "phobos/Conversion/Elementwise.h"
#include "phobos/Conversion/Registers.h"
#include "phobos/Conversion/Scratch.h"
#include "phobos/Conversion/SharedAccess.h"

#include "Combination.h"
#include "ScratchPlans.h"

using namespace mlir;
using phobos::layout::In;
using phobos::layout::LinearLayout;

namespace phobos::lowering {
namespace {

constexpr int32_t kManyElements = 32; // partial results, of a warp

class Reduction {
public:
  Reduction(Lowering &lowering, tile::ReduceOp op, ReducePlan plan) : l(lowering), op_(op), plan_(std::move(plan)) {}
  LogicalResult run();

private:
  unsigned numOperands() { return op_.getSources().size(); }
  Type scalarOf(unsigned operand) { return l.scalarType(elementType(op_.getSources()[operand])); }
  void readSources();
  LogicalResult combine(Tuple &into, const Tuple &other) { return lowering::combine(l, op_.getCombine(), into, other); }
  LogicalResult reduceRegisters();
  LogicalResult reduceLanes();
  LogicalResult reduceWarps();
  LogicalResult writeResults();
  unsigned neighbours(const LinearLayout &flat, Type scalar);
  SmallVector<Value> shuffleAll(ArrayRef<Value> values, uint32_t mask);

  Lowering &l;
  tile::ReduceOp op_;
  ReducePlan plan_;
  SmallVector<Tuple> values_; // by register of the source; then by index in plan_.kept
};

/// Elements by register, with the identity for those in the padding along the axis.
void Reduction::readSources() {
  auto type = cast<RankedTensorType>(op_.getSources()[0].getType());
  const LinearLayout &layout = l.layoutOf(type);
  SmallVector<SmallVector<Value>> elements =
      llvm::map_to_vector(op_.getSources(), [&](Value source) { return l.elements(source); });
  values_.resize(layout.numRegisters());
  for (auto [reg, tuple] : llvm::enumerate(values_)) {
    for (ArrayRef<Value> column : elements) {
      tuple.push_back(column[reg]);
    }
  }
  uint64_t extent = type.getDimSize(op_.getAxis());
  if (llvm::isPowerOf2_64(extent)) {
    return;
  }
  auto terms = layout::coordinateTerms(layout, op_.getAxis());
  Value thread = l.evaluate(terms.thread);
  llvm::DenseMap<uint32_t, Value> inside; // by the register's part of the coordinate
  Tuple identity;
  for (auto [i, attr] : llvm::enumerate(op_.getIdentity())) {
    identity.push_back(constantOf(l, attr, scalarOf(i)));
  }
  for (auto [reg, tuple] : llvm::enumerate(values_)) {
    uint32_t part = terms.registers[reg];
    if ((part | terms.thread.possibleBits) < extent) {
      continue; // whatever the thread
    }
    Value &condition = inside[part];
    if (!condition) {
      condition = l.icmp(LLVM::ICmpPredicate::ult, l.bitXor(thread, l.i32c(part)), l.i32c(extent));
    }
    for (auto [value, neutral] : llvm::zip(tuple, identity)) {
      value = l.select(condition, value, neutral);
    }
  }
}

LogicalResult Reduction::reduceRegisters() {
  uint32_t left = 0; // axis bits not yet combined
  for (unsigned bit : plan_.registers) {
    left |= 1u << bit;
  }
  for (unsigned bit : plan_.registers) {
    left &= ~(1u << bit);
    for (uint32_t kept : plan_.kept) {
      // Every register that differs from `kept` in those bits: all subsets of `left`, downwards.
      for (uint32_t part = left;; part = (part - 1) & left) {
        if (failed(combine(values_[kept | part], values_[kept | part | 1u << bit]))) {
          return failure();
        }
        if (part == 0) {
          break;
        }
      }
    }
  }
  values_ = llvm::map_to_vector(plan_.kept, [&](uint32_t reg) { return values_[reg]; });
  return success();
}

/// Narrow values share 32-bit shuffles.
SmallVector<Value> Reduction::shuffleAll(ArrayRef<Value> values, uint32_t mask) {
  Type scalar = values[0].getType();
  unsigned perWord = std::max(32 / registerBits(scalar), 1u);
  RegisterReader reader(l, llvm::map_to_vector(values, [&](Value x) { return widenBool(l, x); }));
  SmallVector<Value> out;
  while (out.size() < values.size()) {
    uint32_t first = out.size(), n = llvm::bit_floor(std::min<size_t>(perWord, values.size() - first));
    Value word = shuffleXor(l, reader.group(llvm::to_vector(llvm::seq<uint32_t>(first, first + n))), mask);
    for (uint32_t i = 0; i < n; ++i) {
      Value x = n == 1 ? word : Value(LLVM::ExtractElementOp::create(l.b, l.loc, word, l.i32c(i)));
      out.push_back(narrowBool(l, x, scalar));
    }
  }
  return out;
}

LogicalResult Reduction::reduceLanes() {
  for (unsigned bit : plan_.lanes) {
    SmallVector<Tuple> others(values_.size());
    for (unsigned operand = 0; operand < numOperands(); ++operand) {
      SmallVector<Value> column = llvm::map_to_vector(values_, [&](const Tuple &tuple) { return tuple[operand]; });
      for (auto [tuple, value] : llvm::zip(others, shuffleAll(column, 1u << bit))) {
        tuple.push_back(value);
      }
    }
    for (auto [value, other] : llvm::zip(values_, others)) {
      if (failed(combine(value, other))) {
        return failure();
      }
    }
  }
  return success();
}

LogicalResult Reduction::reduceWarps() {
  if (plan_.warps.empty()) {
    return success();
  }
  auto offset = op_->getAttrOfType<IntegerAttr>(kSharedOffsetAttr);
  if (!offset) {
    return op_.emitError("internal: expected '") << kSharedOffsetAttr << "', assigned by dot-allocate-shared";
  }
  unsigned partials = plan_.partials();
  int32_t elements = plan_.sliced.numElements();
  LinearLayout flat = layout::reshape(plan_.sliced, elements);

  // Which partial result this warp has, and whether this thread is the one to write its elements.
  Value partial = warpNumber(l, flat.numBits(In::Warp), plan_.warps);
  layout::Place replicas = flat.freeVariableMasks();
  for (unsigned bit : plan_.warps) {
    replicas.warp &= ~(1u << bit);
  }
  Value writes;
  for (auto [number, mask] : {std::pair(l.lane(), replicas.lane), std::pair(l.warp(), replicas.warp)}) {
    if (mask) {
      writes = l.logicalAnd(writes, l.icmp(LLVM::ICmpPredicate::eq, l.bitAnd(number, mask), l.i32c(0)));
    }
  }

  // Few elements: the partial results of each lie side by side, and are read as vectors. Many: the elements of each
  // partial result do, so that lanes beside each other write and read banks beside each other.
  bool many = elements >= kManyElements;
  int64_t start = offset.getInt();
  SmallVector<SmallVector<Value>> pointers(numOperands());
  auto stride = [&](unsigned operand) -> int64_t { // bytes from one partial result to the next
    return registerBits(scalarOf(operand)) / 8 * (many ? elements : 1);
  };
  for (unsigned operand = 0; operand < numOperands(); ++operand) {
    unsigned bits = registerBits(scalarOf(operand));
    SharedAccess access(l, l.i32c(start), flat,
                        layout::SharedLayout::plain(elements, many ? bits : bits * partials, 0u));
    for (uint32_t reg : plan_.kept) {
      pointers[operand].push_back(access.pointer(reg));
    }
    start += plan_.operandBytes(bits);
  }
  auto write = [&] {
    for (unsigned operand = 0; operand < numOperands(); ++operand) {
      unsigned run = many ? neighbours(flat, scalarOf(operand)) : 1;
      Value mine = l.mul(partial, stride(operand));
      RegisterReader reader(l, llvm::map_to_vector(values_, [&](const Tuple &tuple) { return tuple[operand]; }));
      for (unsigned index = 0; index < values_.size(); index += run) {
        storeShared(l, l.byteOffset(pointers[operand][index], mine),
                    reader.group(llvm::to_vector(llvm::seq<uint32_t>(index, index + run))));
      }
    }
  };
  writes ? l.guarded(writes, write) : write();
  l.ctaBarrier();

  // By element and partial result.
  SmallVector<SmallVector<Tuple>> parts(values_.size(), SmallVector<Tuple>(partials));
  for (unsigned operand = 0; operand < numOperands(); ++operand) {
    Type scalar = scalarOf(operand);
    unsigned run = many ? neighbours(flat, scalar) : 1;
    unsigned perRead = many || scalar.isInteger(1) ? 1 : std::min(128 / registerBits(scalar), partials);
    for (unsigned index = 0; index < values_.size(); index += run) {
      for (unsigned first = 0; first < partials; first += perRead) {
        unsigned count = std::max(run, perRead); // either way one after the other
        Value group =
            loadShared(l, l.byteOffset(pointers[operand][index], first * stride(operand)), groupType(scalar, count));
        for (unsigned i = 0; i < count; ++i) {
          Value x = count == 1 ? group : Value(LLVM::ExtractElementOp::create(l.b, l.loc, group, l.i32c(i)));
          parts[many ? index + i : index][many ? first : first + i].push_back(x);
        }
      }
    }
  }
  for (auto [tuple, each] : llvm::zip(values_, parts)) {
    for (unsigned step = 1; step < partials; step *= 2) {
      for (unsigned i = 0; i < partials; i += 2 * step) {
        if (failed(combine(each[i], each[i + step]))) {
          return failure();
        }
      }
    }
    tuple = each[0];
  }
  return success();
}

/// Kept registers from any multiple of it on that hold elements side by side, up to 16 bytes of them.
unsigned Reduction::neighbours(const LinearLayout &flat, Type scalar) {
  unsigned run = 1, bits = registerBits(scalar);
  for (unsigned bit = 0; bit < flat.numBits(In::Register) && 2 * run * bits <= 128 && !scalar.isInteger(1); ++bit) {
    bool kept = run < plan_.kept.size() && plan_.kept[run] == run;
    if (!kept || flat.flatBases(In::Register)[bit] != run) {
      break;
    }
    run *= 2;
  }
  return run;
}

LogicalResult Reduction::writeResults() {
  for (auto [operand, result] : llvm::enumerate(op_.getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (plan_.sliced.numElements() == 1) { // also of rank 0, whose layout says nothing of threads
      RegisterReader reader(l, ArrayRef<Value>(values_[0][operand]));
      l.setWords(result, gatherWords(l, reader, type, SmallVector<uint32_t>(l.numWords(type) * l.pack(type), 0)));
      continue;
    }
    auto plan = layout::planRelayout(plan_.sliced, l.layoutOf(type), registerBits(scalarOf(operand)));
    if (!plan || plan->kind == layout::RelayoutKind::Shuffle || plan->kind == layout::RelayoutKind::Shared) {
      return op_.emitError("internal: expected the source's layout without the axis for the result, got ") << type;
    }
    SmallVector<Value> elements(plan_.sliced.numRegisters());
    for (auto [index, reg] : llvm::enumerate(plan_.kept)) {
      elements[reg] = values_[index][operand];
    }
    for (auto [reg, copy] : llvm::enumerate(plan_.copies)) {
      elements[reg] = elements[copy];
    }
    RegisterReader reader(l, elements);
    l.setWords(result, gatherWords(l, reader, type, plan->registers));
  }
  return success();
}

LogicalResult Reduction::run() {
  readSources();
  return success(succeeded(reduceRegisters()) && succeeded(reduceLanes()) && succeeded(reduceWarps()) &&
                 succeeded(writeResults()));
}

LogicalResult lowerReduce(Lowering &l, tile::ReduceOp op) {
  for (Value source : op.getSources()) {
    if (cast<RankedTensorType>(source.getType()).getEncoding() !=
        cast<RankedTensorType>(op.getSources()[0].getType()).getEncoding()) {
      return op.emitError("internal: expected one layout for all operands of a reduction");
    }
  }
  auto plan = reducePlan(op);
  if (!plan) {
    return op.emitError("internal: cannot reduce along axis ")
           << op.getAxis()
           << " a layout that moves along it and another dimension at once: " << op.getSources()[0].getType();
  }
  return Reduction(l, op, std::move(*plan)).run();
}

} // namespace

void registerReduce(Lowering::HandlerTable &table) { Lowering::add<tile::ReduceOp, lowerReduce>(table); }

} // namespace phobos::lowering
