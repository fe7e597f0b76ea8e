// tile.relayout by the plan of Layout/Relayout.h: registers renamed, shuffles inside a warp, or a trip through shared
// memory.
//
// Bools travel as bytes. A trip's scratch lies at `shared.offset`; the barrier before its first write is there already.
#include "phobos/Conversion/Registers.h"
#include "phobos/Conversion/Scratch.h"
#include "phobos/Conversion/SharedAccess.h"
#include "phobos/Layout/Ldmatrix.h"
#include "phobos/Target/Chip.h"

#include "ScratchPlans.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

/// Is the parity of lane & mask odd?
Value oddParity(Lowering &l, uint32_t mask) {
  Value bits = l.bitAnd(l.lane(), mask);
  if (!llvm::isPowerOf2_32(mask)) {
    bits = l.bitAnd(LLVM::CtPopOp::create(l.b, l.loc, l.i32(), bits), 1);
  }
  return l.icmp(LLVM::ICmpPredicate::ne, bits, l.i32c(0));
}

/// Words change places in pairs where the lane says so.
void swapWords(Lowering &l, ArrayRef<layout::RegisterSwap> swaps, MutableArrayRef<Value> words) {
  for (const layout::RegisterSwap &swap : swaps) {
    Value condition = oddParity(l, swap.laneMask);
    for (uint32_t low = 0; low < words.size(); ++low) {
      uint32_t high = low ^ swap.wordBit;
      if (low > high) {
        continue;
      }
      Value x = words[low], y = words[high];
      words[low] = l.select(condition, y, x);
      words[high] = l.select(condition, x, y);
    }
  }
}

/// The registers `numbers` of a list of words of `unit` elements each, by register.
void scatterWords(Lowering &l, ArrayRef<Value> words, unsigned unit, ArrayRef<uint32_t> numbers,
                  MutableArrayRef<Value> registers) {
  for (auto [i, word] : llvm::enumerate(words)) {
    for (unsigned j = 0; j < unit; ++j) {
      registers[numbers[i * unit + j]] =
          unit == 1 ? word : Value(LLVM::ExtractElementOp::create(l.b, l.loc, word, l.i32c(j)));
    }
  }
}

/// Elements of the destination from elements of the source; both by register, bools widened.
SmallVector<Value> emitShuffles(Lowering &l, const layout::ShufflePlan &plan, RegisterReader &source,
                                unsigned numRegisters) {
  SmallVector<Value> words;
  ArrayRef<uint32_t> numbers = plan.srcWords;
  for (size_t i = 0; i < numbers.size(); i += plan.unit) {
    words.push_back(source.group(numbers.slice(i, plan.unit)));
  }
  swapWords(l, plan.sendSwaps, words);

  Value laneMap;
  if (!plan.butterfly) {
    laneMap = l.evaluate(layout::decompose(plan.laneMap, {}, {}, /*add=*/false));
  }
  SmallVector<Value> landed(plan.dstWords.size() / plan.unit);
  for (const layout::ShuffleRound &round : plan.rounds) {
    Value word = words[round.send];
    if (!round.local) {
      Value lane = laneMap && round.laneConst ? l.bitXor(laneMap, l.i32c(round.laneConst)) : laneMap;
      word = laneMap ? shuffleIndex(l, word, lane) : shuffleXor(l, word, round.laneConst);
    }
    landed[round.land] = word;
  }
  swapWords(l, plan.landSwaps, landed);

  SmallVector<Value> registers(numRegisters);
  scatterWords(l, landed, plan.unit, plan.dstWords, registers);
  for (auto [reg, copy] : llvm::enumerate(plan.dstCopy)) {
    registers[reg] = registers[copy];
  }
  return registers;
}

/// The plan of storing 8x8 matrices (stmatrix), where chip and layouts have it: a quarter of the instructions, and rows
/// of 16 bytes.
std::optional<layout::LdmatrixPlan> matrixStores(Lowering &l, const layout::SharedPlan &plan, Type scalar) {
  bool lanesDiffer = plan.srcPart.freeVariableMasks().lane == 0; // all of a warp takes part
  if (!l.chip.has(target::kStmatrix) || registerBits(scalar) != 16 || !lanesDiffer) {
    return std::nullopt;
  }
  auto matrices = layout::planStmatrix(plan.srcPart, plan.scratch, 16);
  return matrices && matrices->matrices == 4 && matrices->perWord == 2 ? matrices : std::nullopt;
}

void storeMatrices(Lowering &l, const layout::LdmatrixPlan &plan, SharedAccess &rows, RegisterReader &source,
                   ArrayRef<uint32_t> registers) {
  auto shape = NVVM::LdStMatrixShapeAttr::get(l.b.getContext(), 8, 8);
  auto layout = plan.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  for (unsigned repetition = 0; repetition < plan.repetitions(); ++repetition) {
    SmallVector<Value> words;
    for (unsigned matrix = 0; matrix < plan.matrices; ++matrix) {
      Value word =
          source.group({registers[plan.reg(repetition, matrix, 0)], registers[plan.reg(repetition, matrix, 1)]});
      words.push_back(l.bitcast(l.i32(), word));
    }
    NVVM::StMatrixOp::create(l.b, l.loc, rows.pointer(repetition), words, layout, shape, NVVM::LdStMatrixEltType::B16);
  }
}

SmallVector<Value> emitTrip(Lowering &l, const layout::SharedPlan &plan, uint32_t offset, Type scalar,
                            RegisterReader &source, unsigned numRegisters) {
  unsigned bytes = registerBits(scalar) / 8;
  unsigned perWrite = std::max(plan.writeBytes / bytes, 1u), perRead = std::max(plan.readBytes / bytes, 1u);
  Value base = l.i32c(offset);
  if (plan.warpLocal) {
    base = l.add(l.mul(l.warp(), int64_t(plan.bytesPerWarp)), int64_t(offset));
  }
  auto sync = [&] { plan.warpLocal ? l.warpSync() : l.ctaBarrier(); };
  SharedAccess write(l, base, plan.srcPart, plan.scratch), read(l, base, plan.dstPart, plan.scratch);
  Value writes = l.isWriter(plan.srcPart, !plan.warpLocal);
  auto matrices = writes ? std::nullopt : matrixStores(l, plan, scalar);
  std::optional<SharedAccess> rows;
  if (matrices) {
    rows.emplace(l, base, matrices->rowLayout, plan.scratch);
  }
  SmallVector<Value> registers(numRegisters);
  for (unsigned part = 0; part < plan.chunks(); ++part) {
    if (part > 0) {
      sync();
    }
    ArrayRef<uint32_t> from = plan.srcRegisters[part], to = plan.dstRegisters[part];
    if (matrices) {
      storeMatrices(l, *matrices, *rows, source, from);
    }
    SmallVector<std::pair<Value, Value>> stores;
    for (unsigned reg = 0; reg < from.size() && !matrices; reg += perWrite) {
      stores.emplace_back(write.pointer(reg), source.group(from.slice(reg, perWrite)));
    }
    l.guarded(writes, [&] {
      for (auto [pointer, group] : stores) {
        storeShared(l, pointer, group);
      }
    });
    sync();
    for (unsigned reg = 0; reg < to.size(); reg += perRead) {
      Value group = loadShared(l, read.pointer(reg), groupType(scalar, perRead));
      scatterWords(l, group, perRead, to.slice(reg, perRead), registers);
    }
  }
  for (auto [reg, copy] : llvm::enumerate(plan.dstCopy)) {
    registers[reg] = registers[copy];
  }
  return registers;
}

LogicalResult lowerRelayout(Lowering &l, tile::RelayoutOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto plan = relayoutPlan(op);
  if (!plan) {
    return op.emitError("internal: expected a source that has every element of the result, got ")
           << op.getSource().getType() << " and " << type;
  }
  if (plan->kind == layout::RelayoutKind::None || plan->kind == layout::RelayoutKind::RegisterPermute) {
    RegisterReader reader(l, op.getSource());
    l.setWords(op.getResult(), gatherWords(l, reader, type, plan->registers));
    return success();
  }
  // From here on bools are bytes.
  Type element = l.scalarType(type.getElementType()), scalar = element;
  std::optional<RegisterReader> reader;
  if (element.isInteger(1)) {
    scalar = l.b.getI8Type();
    reader.emplace(l, llvm::map_to_vector(l.elements(op.getSource()), [&](Value x) { return widenBool(l, x); }));
  } else {
    reader.emplace(l, op.getSource());
  }
  unsigned numRegisters = l.layoutOf(type).numRegisters();
  SmallVector<Value> registers;
  if (plan->kind == layout::RelayoutKind::Shuffle) {
    registers = emitShuffles(l, plan->shuffle, *reader, numRegisters);
  } else {
    auto offset = op->getAttrOfType<IntegerAttr>(kSharedOffsetAttr);
    if (!offset) {
      return op.emitError("internal: expected '") << kSharedOffsetAttr << "', assigned by dot-allocate-shared";
    }
    registers = emitTrip(l, plan->shared, offset.getInt(), scalar, *reader, numRegisters);
  }
  for (Value &x : registers) {
    x = narrowBool(l, x, element);
  }
  l.setElements(op.getResult(), registers);
  return success();
}

} // namespace

void registerRelayout(Lowering::HandlerTable &table) { Lowering::add<tile::RelayoutOp, lowerRelayout>(table); }

} // namespace phobos::lowering
