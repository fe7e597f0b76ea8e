// tile.scan: the bits that move along the axis, from the lowest, in runs of registers, lanes and warps.
//
// What lies below a run is scanned when its turn comes, in blocks as long as those bits count. A run then finds out,
// for each of its blocks, what all blocks before combine to, and puts that in front of the block's elements:
//   registers  one block after the other
//   lanes      by shuffles between the blocks' last elements, a step for each bit, then one from the block before
//   warps      through shared memory: every thread reads the blocks' last elements of all warps
// Padding lies behind all elements and reaches none of them. The scratch lies at `shared.offset`; the barrier before
// its first write is there already.
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

class Scan {
public:
  Scan(Lowering &lowering, tile::ScanOp op, ScanPlan plan)
      : l(lowering), op(op), plan(std::move(plan)), layout(l.layoutOf(op.getSources()[0])) {}

  LogicalResult run() {
    values.resize(layout.numRegisters());
    for (Value source : op.getSources()) {
      for (auto [tuple, element] : llvm::zip(values, l.elements(source))) {
        tuple.push_back(element);
      }
    }
    for (const ScanPlan::Run &each : plan.runs) {
      unsigned mask = maskOf(each.bits);
      LogicalResult done = each.in == In::Register ? scanRegisters(each.bits)
                           : each.in == In::Lane   ? scanLanes(each.bits)
                                                   : scanWarps(each.bits);
      if (failed(done)) {
        return failure();
      }
      (each.in == In::Register ? doneRegisters : each.in == In::Lane ? doneLanes : doneWarps) |= mask;
    }
    for (auto [operand, result] : llvm::enumerate(op.getResults())) {
      l.setElements(result, llvm::map_to_vector(values, [&](const Tuple &tuple) { return tuple[operand]; }));
    }
    return success();
  }

private:
  static unsigned maskOf(ArrayRef<unsigned> bits) {
    unsigned mask = 0;
    for (unsigned bit : bits) {
      mask |= 1u << bit;
    }
    return mask;
  }

  Type scalarOf(unsigned operand) { return l.scalarType(elementType(op.getSources()[operand])); }

  LogicalResult combine(Tuple &into, const Tuple &after) { return lowering::combine(l, op.getCombine(), into, after); }

  Tuple select(Value condition, const Tuple &yes, const Tuple &no) {
    Tuple out;
    for (auto [x, y] : llvm::zip(yes, no)) {
      out.push_back(l.select(condition, x, y));
    }
    return out;
  }

  Tuple shuffled(const Tuple &from, Value lane) {
    Tuple out;
    for (auto [operand, value] : llvm::enumerate(from)) {
      out.push_back(narrowBool(l, shuffleIndex(l, widenBool(l, value), lane), scalarOf(operand)));
    }
    return out;
  }

  /// The registers in which the axis' bits of `mask`, and those scanned, are 0: one for each row of blocks.
  SmallVector<uint32_t> rows(uint32_t mask) const {
    SmallVector<uint32_t> out;
    for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg) {
      if (!(reg & (mask | doneRegisters))) {
        out.push_back(reg);
      }
    }
    return out;
  }

  /// `before` in front of every element of the block at register `block`, where `condition` holds (null: everywhere).
  LogicalResult putBefore(const Tuple &before, uint32_t block, Value condition) {
    for (uint32_t part = doneRegisters;; part = (part - 1) & doneRegisters) {
      Tuple &value = values[block | part];
      Tuple longer = before;
      if (failed(combine(longer, value))) {
        return failure();
      }
      value = condition ? select(condition, longer, value) : longer;
      if (part == 0) {
        return success();
      }
    }
  }

  LogicalResult scanRegisters(ArrayRef<unsigned> bits) {
    auto place = [&](uint32_t block) {
      uint32_t reg = 0;
      for (auto [i, bit] : llvm::enumerate(bits)) {
        reg |= (block >> i & 1) << bit;
      }
      return reg;
    };
    uint32_t blocks = 1u << bits.size();
    for (uint32_t row : rows(maskOf(bits))) {
      // What a block of several threads ends with is fetched before anything is put in front of it: all at once.
      SmallVector<Tuple> ends;
      for (uint32_t block = 0; block + 1 < blocks && (doneLanes || doneWarps); ++block) {
        ends.push_back(endOf(row | place(block)));
      }
      Tuple before;
      for (uint32_t block = 1; block < blocks; ++block) {
        if (ends.empty() || block == 1) {
          before = ends.empty() ? values[row | place(block - 1) | doneRegisters] : ends[0];
        } else if (failed(combine(before, ends[block - 1]))) {
          return failure();
        }
        if (failed(putBefore(before, row | place(block), Value()))) {
          return failure();
        }
      }
    }
    return success();
  }

  /// What the scanned block at register `block` ends with, in every thread.
  Tuple endOf(uint32_t block) {
    if (doneWarps) {
      return wholes.lookup(block);
    }
    Value last = LLVM::OrOp::create(l.b, l.loc, l.lane(), l.i32c(doneLanes));
    return shuffled(values[block | doneRegisters], last);
  }

  LogicalResult scanLanes(ArrayRef<unsigned> bits) {
    unsigned first = bits.front(), mask = maskOf(bits);
    Value isLater = l.icmp(LLVM::ICmpPredicate::ne, l.bitAnd(l.lane(), mask), l.i32c(0));
    for (uint32_t row : rows(0)) {
      Tuple end = values[row | doneRegisters];
      for (unsigned bit : bits) {
        // The last of the half before, of those that this bit tells apart.
        unsigned lower = (1u << bit) - (1u << first);
        Value half = LLVM::OrOp::create(l.b, l.loc, l.bitAnd(l.lane(), ~(1u << bit) & 31), l.i32c(lower));
        Tuple longer = shuffled(end, half);
        if (failed(combine(longer, end))) {
          return failure();
        }
        Value isUpper = l.icmp(LLVM::ICmpPredicate::ne, l.bitAnd(l.lane(), 1u << bit), l.i32c(0));
        end = select(isUpper, longer, end);
      }
      Value previous = l.bitAnd(l.sub(l.lane(), l.i32c(1 << first)), 31);
      if (failed(putBefore(shuffled(end, previous), row, isLater))) {
        return failure();
      }
    }
    return success();
  }

  LogicalResult scanWarps(ArrayRef<unsigned> bits) {
    auto offset = op->getAttrOfType<IntegerAttr>(kSharedOffsetAttr);
    if (!offset) {
      return op.emitError("internal: expected '") << kSharedOffsetAttr << "', assigned by dot-allocate-shared";
    }
    Value mine = warpNumber(l, layout.numBits(In::Warp), bits);
    int32_t elements = plan.ends.numElements();
    LinearLayout flat = layout::reshape(plan.ends, elements);
    SmallVector<uint32_t> all = rows(0);
    int64_t start = offset.getInt();
    SmallVector<SmallVector<Value>> pointers;
    for (unsigned operand = 0; operand < op.getSources().size(); ++operand) {
      unsigned width = registerBits(scalarOf(operand));
      SharedAccess access(l, l.i32c(start), flat, layout::SharedLayout::plain(elements, width * plan.partials, 0u));
      pointers.push_back(llvm::map_to_vector(all, [&](uint32_t row) { return access.pointer(row); }));
      start += plan.operandBytes(width);
    }
    l.guarded(writes(bits), [&] {
      for (auto [operand, addresses] : llvm::enumerate(pointers)) {
        Value at = l.mul(mine, int64_t(registerBits(scalarOf(operand)) / 8));
        for (auto [row, pointer] : llvm::zip(all, addresses)) {
          storeShared(l, l.byteOffset(pointer, at), values[row | doneRegisters][operand]);
        }
      }
    });
    l.ctaBarrier();
    Value isLater = l.icmp(LLVM::ICmpPredicate::ne, mine, l.i32c(0));
    for (auto [index, row] : llvm::enumerate(all)) {
      Tuple whole, before;
      for (unsigned partial = 0; partial < plan.partials; ++partial) {
        Tuple part;
        for (auto [operand, addresses] : llvm::enumerate(pointers)) {
          Type scalar = scalarOf(operand);
          part.push_back(
              loadShared(l, l.byteOffset(addresses[index], int64_t(partial * registerBits(scalar) / 8)), scalar));
        }
        if (partial == 0) {
          whole = before = part;
          continue;
        }
        Value isBehind = l.icmp(LLVM::ICmpPredicate::uge, mine, l.i32c(partial));
        before = partial == 1 ? whole : select(isBehind, whole, before);
        if (failed(combine(whole, part))) {
          return failure();
        }
      }
      wholes[row] = whole;
      if (failed(putBefore(before, row, isLater))) {
        return failure();
      }
    }
    return success();
  }

  /// Does this thread hold the last element of its warp's block, and no other replica of it a lower number?
  Value writes(ArrayRef<unsigned> bits) {
    layout::Place replicas = layout.freeVariableMasks();
    Value condition;
    auto require = [&](Value number, uint32_t mask, uint32_t value) {
      if (mask) {
        condition = l.logicalAnd(condition, l.icmp(LLVM::ICmpPredicate::eq, l.bitAnd(number, mask), l.i32c(value)));
      }
    };
    require(l.lane(), doneLanes | replicas.lane, doneLanes);
    require(l.warp(), replicas.warp & ~maskOf(bits), 0);
    return condition;
  }

  Lowering &l;
  tile::ScanOp op;
  ScanPlan plan;
  const LinearLayout &layout;
  SmallVector<Tuple> values;              // by register
  llvm::DenseMap<uint32_t, Tuple> wholes; // by register of a row of blocks: what all warps' blocks combine to
  uint32_t doneRegisters = 0, doneLanes = 0, doneWarps = 0;
};

LogicalResult lowerScan(Lowering &l, tile::ScanOp op) {
  auto plan = scanPlan(l.layoutOf(op.getSources()[0]), op.getAxis());
  if (!plan) {
    return op.emitError("internal: cannot scan along axis ") << op.getAxis() << " of " << op.getSources()[0].getType();
  }
  return Scan(l, op, std::move(*plan)).run();
}

} // namespace

void registerScan(Lowering::HandlerTable &table) { Lowering::add<tile::ScanOp, lowerScan>(table); }

} // namespace phobos::lowering
