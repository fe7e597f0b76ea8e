// Registers by number, and their ways between lanes and through shared memory.
#include "phobos/Conversion/Registers.h"

using namespace mlir;

namespace phobos::lowering {

RegisterReader::RegisterReader(Lowering &lowering, Value tile)
    : RegisterReader(lowering, cast<RankedTensorType>(tile.getType()), lowering.words(tile)) {}

RegisterReader::RegisterReader(Lowering &lowering, RankedTensorType type, ArrayRef<Value> words)
    : l(lowering), pack_(lowering.pack(type)), words_(words), elements_(words.size() * pack_) {}

RegisterReader::RegisterReader(Lowering &lowering, ArrayRef<Value> elements)
    : l(lowering), pack_(1), words_(elements), elements_(elements) {}

Value RegisterReader::element(uint32_t reg) {
  if (pack_ == 1) {
    return words_[reg];
  }
  Value &element = elements_[reg];
  if (!element) {
    element = LLVM::ExtractElementOp::create(l.b, l.loc, words_[reg / pack_], l.i32c(reg % pack_));
  }
  return element;
}

Value RegisterReader::group(ArrayRef<uint32_t> registers) {
  if (registers.size() == 1) {
    return element(registers[0]);
  }
  bool isWord = registers.size() == pack_ && registers[0] % pack_ == 0;
  for (size_t i = 0; isWord && i < registers.size(); ++i) {
    isWord = registers[i] == registers[0] + i;
  }
  if (isWord) {
    return words_[registers[0] / pack_];
  }
  Value vector = LLVM::UndefOp::create(l.b, l.loc, groupType(element(registers[0]).getType(), registers.size()));
  for (auto [i, reg] : llvm::enumerate(registers)) {
    vector = LLVM::InsertElementOp::create(l.b, l.loc, vector, element(reg), l.i32c(i));
  }
  return vector;
}

SmallVector<Value> gatherWords(Lowering &l, RegisterReader &reader, RankedTensorType type,
                               ArrayRef<uint32_t> registers) {
  unsigned pack = l.pack(type);
  SmallVector<Value> words;
  llvm::DenseMap<ArrayRef<uint32_t>, Value> made; // replicas share a word
  for (size_t i = 0; i < registers.size(); i += pack) {
    ArrayRef<uint32_t> group = registers.slice(i, pack);
    Value &word = made[group];
    if (!word) {
      word = reader.group(group);
    }
    words.push_back(word);
  }
  return words;
}

unsigned registerBits(Type scalar) { return std::max(scalar.getIntOrFloatBitWidth(), 8u); }

Value widenBool(Lowering &l, Value x) {
  return x.getType().isInteger(1) ? Value(LLVM::ZExtOp::create(l.b, l.loc, l.b.getI8Type(), x)) : x;
}

Value narrowBool(Lowering &l, Value x, Type scalar) {
  return scalar.isInteger(1) ? l.icmp(LLVM::ICmpPredicate::ne, x, l.constant(x.getType(), 0)) : x;
}

Type groupType(Type scalar, unsigned n) { return n == 1 ? scalar : Type(VectorType::get(n, scalar)); }

/// Elements of a vector type; 1 for a scalar.
static unsigned lengthOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static unsigned bitsOf(Type type) { return lengthOf(type) * getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }

SmallVector<Value> toI32Words(Lowering &l, Value group) {
  unsigned bits = bitsOf(group.getType());
  if (bits < 32) {
    Value narrow = l.bitcast(l.b.getIntegerType(bits), group);
    return {LLVM::ZExtOp::create(l.b, l.loc, l.i32(), narrow)};
  }
  if (bits == 32) {
    return {l.bitcast(l.i32(), group)};
  }
  unsigned n = bits / 32;
  Value vector = l.bitcast(VectorType::get(n, l.i32()), group);
  SmallVector<Value> words;
  for (unsigned i = 0; i < n; ++i) {
    words.push_back(LLVM::ExtractElementOp::create(l.b, l.loc, vector, l.i32c(i)));
  }
  return words;
}

Value fromI32Words(Lowering &l, ArrayRef<Value> words, Type type) {
  unsigned bits = bitsOf(type);
  if (bits < 32) {
    return l.bitcast(type, LLVM::TruncOp::create(l.b, l.loc, l.b.getIntegerType(bits), words[0]));
  }
  if (bits == 32) {
    return l.bitcast(type, words[0]);
  }
  Value vector = LLVM::UndefOp::create(l.b, l.loc, VectorType::get(words.size(), l.i32()));
  for (auto [i, word] : llvm::enumerate(words)) {
    vector = LLVM::InsertElementOp::create(l.b, l.loc, vector, word, l.i32c(i));
  }
  return l.bitcast(type, vector);
}

static Value shuffle(Lowering &l, Value value, Value operand, NVVM::ShflKind kind) {
  Type type = value.getType();
  SmallVector<Value> words = toI32Words(l, widenBool(l, value));
  for (Value &word : words) {
    word = NVVM::ShflOp::create(l.b, l.loc, l.i32(), l.i32c(-1), word, operand, l.i32c(31), kind, UnitAttr());
  }
  if (type.isInteger(1)) {
    return narrowBool(l, words[0], type);
  }
  return fromI32Words(l, words, type);
}

Value shuffleXor(Lowering &l, Value value, uint32_t mask) {
  return shuffle(l, value, l.i32c(mask), NVVM::ShflKind::bfly);
}

Value shuffleIndex(Lowering &l, Value value, Value lane) { return shuffle(l, value, lane, NVVM::ShflKind::idx); }

/// What a group of this type is in memory: words of 32 bits, so that a vector of up to 16 bytes is one access.
static Type memoryType(Lowering &l, Type type) {
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth(), total = bitsOf(type);
  if (bits >= 32 || lengthOf(type) == 1) {
    return type;
  }
  return total < 32 ? Type(l.b.getIntegerType(total)) : groupType(l.i32(), total / 32);
}

void storeShared(Lowering &l, Value pointer, Value group) {
  group = widenBool(l, group);
  Value value = l.bitcast(memoryType(l, group.getType()), group);
  LLVM::StoreOp::create(l.b, l.loc, value, pointer, bitsOf(group.getType()) / 8);
}

Value loadShared(Lowering &l, Value pointer, Type type) {
  Type stored = type.isInteger(1) ? Type(l.b.getI8Type()) : type;
  Value value = LLVM::LoadOp::create(l.b, l.loc, memoryType(l, stored), pointer, bitsOf(stored) / 8);
  return narrowBool(l, l.bitcast(stored, value), type);
}

} // namespace phobos::lowering
