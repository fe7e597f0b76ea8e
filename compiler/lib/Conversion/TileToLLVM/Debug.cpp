// Printing and assertions: calls of CUDA's device runtime, vprintf and __assertfail, which the simulator has too.
//
// A tile's registers are put into memory of the thread's own and printed in a loop, so that the code is as long for one
// register as for a hundred. That memory is one piece a kernel, as large as the largest print needs.
#include "phobos/Conversion/Debug.h"

#include "phobos/Conversion/Elementwise.h"
#include "phobos/Conversion/Places.h"
#include "phobos/Conversion/Registers.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using phobos::layout::In;
using phobos::layout::LinearLayout;

namespace phobos::lowering {
namespace {

/// Bytes of the largest element as vprintf takes it.
constexpr uint64_t kMaxArgumentBytes = 8;
constexpr llvm::StringLiteral kTextPrefix = "phobos_text_";

// --- text
/// A constant string of the module; equal ones are one.
Value textAddress(Lowering &l, StringRef text) {
  auto module = l.kernel->getParentOfType<ModuleOp>();
  auto value = l.b.getStringAttr(Twine(text) + StringRef("\0", 1));
  unsigned count = 0;
  LLVM::GlobalOp known;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    if (global.getSymName().starts_with(kTextPrefix)) {
      known = global.getValueAttr() == value ? global : known;
      ++count;
    }
  }
  if (!known) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), value.size());
    known = LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                   (kTextPrefix + Twine(count)).str(), value);
  }
  return LLVM::AddressOfOp::create(l.b, l.loc, l.pointer(0), known.getSymName());
}

/// As it stands in a format.
std::string escaped(StringRef text) {
  std::string result;
  for (char c : text) {
    result.append(c == '%' ? 2 : 1, c);
  }
  return result;
}

/// "kernels.py:12: block (%d, %d, %d):".
std::string lineHead(Location location) {
  FileLineColLoc place = placeOf(location);
  std::string where = place ? escaped(llvm::sys::path::filename(place.getFilename().getValue())) + ":" +
                                  std::to_string(place.getLine()) + ": "
                            : std::string();
  return where + "block (%d, %d, %d):";
}

std::string indexFormat(unsigned rank) {
  std::string text = "[";
  for (unsigned dim = 0; dim < rank; ++dim) {
    text += dim ? ", %d" : "%d";
  }
  return text + "]";
}

// --- calls
LLVM::LLVMFuncOp declare(Lowering &l, StringRef name, Type result, ArrayRef<Type> parameters) {
  auto module = l.kernel->getParentOfType<ModuleOp>();
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
    return function;
  }
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), name, LLVM::LLVMFunctionType::get(result, parameters));
}

/// Memory of the thread's own, for arguments and registers: at least `bytes`.
Value threadMemory(Lowering &l, uint64_t bytes) {
  Block &entry = l.b.getInsertionBlock()->getParent()->front();
  for (auto alloca : entry.getOps<LLVM::AllocaOp>()) {
    auto type = dyn_cast<LLVM::LLVMArrayType>(alloca.getElemType());
    if (!type || type.getElementType() != l.b.getI8Type()) {
      continue; // another's
    }
    if (type.getNumElements() < bytes) {
      alloca.setElemType(LLVM::LLVMArrayType::get(type.getElementType(), bytes));
    }
    return alloca;
  }
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  Value one = LLVM::ConstantOp::create(b, l.loc, l.i32(), b.getI32IntegerAttr(1));
  return LLVM::AllocaOp::create(b, l.loc, l.pointer(0), LLVM::LLVMArrayType::get(b.getI8Type(), bytes), one,
                                /*alignment=*/kMaxArgumentBytes);
}

/// One call of vprintf: arguments lie one after the other, each at a multiple of its size.
class Line {
public:
  explicit Line(Lowering &l) : l(l) {}

  void add(const Twine &text) { format_ += text.str(); }
  void add(StringRef conversion, Value argument) {
    format_ += conversion;
    arguments_.push_back(argument);
  }
  void addNumbers(const Twine &text, ArrayRef<Value> i32s) {
    format_ += text.str();
    llvm::append_range(arguments_, i32s);
  }
  /// A value as printf promotes it, after a space.
  void addValue(Value x, Type type, bool isUnsigned);

  LLVM::CallOp print() {
    Value arguments = arguments_.empty() ? Value(LLVM::ZeroOp::create(l.b, l.loc, l.pointer(0))) : packed();
    LLVM::LLVMFuncOp vprintf = declare(l, "vprintf", l.i32(), {l.pointer(0), l.pointer(0)});
    return LLVM::CallOp::create(l.b, l.loc, vprintf, ValueRange{textAddress(l, format_), arguments});
  }

  /// Bytes that the arguments of a line take at most.
  static uint64_t bytesFor(size_t numbers, size_t values) {
    return llvm::alignTo(sizeof(int32_t) * numbers, kMaxArgumentBytes) + kMaxArgumentBytes * values;
  }

private:
  Value packed() {
    uint64_t size = 0;
    SmallVector<uint64_t> offsets;
    for (Value argument : arguments_) {
      uint64_t bytes = isa<LLVM::LLVMPointerType>(argument.getType()) ? kMaxArgumentBytes
                                                                      : argument.getType().getIntOrFloatBitWidth() / 8;
      offsets.push_back(llvm::alignTo(size, bytes));
      size = offsets.back() + bytes;
    }
    Value base = threadMemory(l, size);
    for (auto [argument, offset] : llvm::zip(arguments_, offsets)) {
      LLVM::StoreOp::create(l.b, l.loc, argument, l.byteOffset(base, int64_t(offset)));
    }
    return base;
  }

  Lowering &l;
  std::string format_;
  SmallVector<Value> arguments_;
};

void Line::addValue(Value x, Type type, bool isUnsigned) {
  add(" ");
  Type f32 = l.b.getF32Type(), f64 = l.b.getF64Type();
  if (isa<FloatType>(type)) {
    // As many digits as tell every value of the dtype from its neighbours.
    StringRef conversion = type.isF64() ? "%.17g" : type.isF32() ? "%.9g" : "%g";
    x = type.getIntOrFloatBitWidth() == 8 ? widenFloat8(l, x, type) : x;
    for (Type wider : {f32, f64}) {
      if (x.getType().getIntOrFloatBitWidth() < wider.getIntOrFloatBitWidth()) {
        x = LLVM::FPExtOp::create(l.b, l.loc, wider, x);
      }
    }
    return add(conversion, x);
  }
  unsigned bits = x.getType().getIntOrFloatBitWidth();
  if (bits == 1) {
    return add("%s", l.select(x, textAddress(l, "True"), textAddress(l, "False")));
  }
  if (bits < 32) {
    x = isUnsigned ? Value(LLVM::ZExtOp::create(l.b, l.loc, l.i32(), x))
                   : Value(LLVM::SExtOp::create(l.b, l.loc, l.i32(), x));
  }
  add(bits == 64 ? (isUnsigned ? "%llu" : "%lld") : isUnsigned ? "%u" : "%d", x);
}

/// `body(i)` for i in [0, count), as a loop.
void repeat(Lowering &l, int64_t count, llvm::function_ref<void(Value)> body) {
  if (count == 1) {
    return body(l.i32c(0));
  }
  Value zero = l.i32c(0);
  Block *before = l.b.getInsertionBlock();
  Block *after = before->splitBlock(l.b.getInsertionPoint());
  Block *turn = l.b.createBlock(after, TypeRange(l.i32()), {l.loc});
  l.b.setInsertionPointToEnd(before);
  LLVM::BrOp::create(l.b, l.loc, zero, turn);
  l.b.setInsertionPointToEnd(turn);
  body(turn->getArgument(0));
  Value next = l.add(turn->getArgument(0), 1);
  Value more = l.icmp(LLVM::ICmpPredicate::slt, next, l.i32c(count));
  LLVM::CondBrOp::create(l.b, l.loc, more, turn, ValueRange(next), after, ValueRange());
  l.b.setInsertionPointToStart(after);
}

// --- tiles
/// The elements of a tile that this thread is to speak of, one register after the other.
class Elements {
public:
  Elements(Lowering &l, RankedTensorType type)
      : l(l), layout(l.layoutOf(type)), shape(type.getShape()), replicas(layout.freeVariableMasks()),
        threadPart(l.evaluate(layout::decompose(layout.flatBases(In::Lane), layout.flatBases(In::Warp), {},
                                                /*add=*/false))) {}

  int64_t count() const { return layout.numRegisters(); }
  /// Of the threads that hold the same, is this the one? Null: no others do.
  Value isWriter() { return l.isWriter(layout); }
  /// Coordinates of the element in register `reg`, an i32.
  SmallVector<Value> index(Value reg) {
    // A register's number in place of a warp's: the terms are the same.
    return indexOf(l.evaluate(layout::decompose({}, layout.flatBases(In::Register), {}, /*add=*/false), reg));
  }
  /// Is the element in register `reg` one of the tile, and no copy of another register's? Null: always.
  Value isOwn(Value reg, ArrayRef<Value> index) {
    Value first;
    if (replicas.reg) {
      first = l.icmp(LLVM::ICmpPredicate::eq, l.bitAnd(reg, replicas.reg), l.i32c(0));
    }
    return l.logicalAnd(first, isInside(index));
  }
  /// Is one of these bools, the tile's registers, false?
  Value anyFalse(ArrayRef<Value> registers) {
    bool padded = !llvm::equal(shape, layout.shape());
    Value any, isTrue = l.constant(l.i1(), 1);
    for (auto [reg, element] : llvm::enumerate(registers)) {
      if ((reg & replicas.reg) || (!padded && reg && element == registers[reg - 1])) {
        continue;
      }
      Value fails = l.bitXor(element, isTrue);
      if (padded) {
        fails = l.logicalAnd(isInside(indexOf(l.i32c(layout.partFlat(In::Register, reg)))), fails);
      }
      any = any ? LLVM::OrOp::create(l.b, l.loc, any, fails) : fails;
    }
    return any;
  }

private:
  /// Of the element whose number is the thread's part and `registerPart`.
  SmallVector<Value> indexOf(Value registerPart) {
    Value flat = l.bitXor(threadPart, registerPart);
    SmallVector<Value> coordinates;
    for (unsigned dim = 0; dim < layout.rank(); ++dim) {
      coordinates.push_back(l.bitAnd(l.lshr(flat, layout.dimShift(dim)), layout.shape()[dim] - 1));
    }
    return coordinates;
  }
  /// No padding? Null: there is none.
  Value isInside(ArrayRef<Value> index) {
    Value inside;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      if (extent < layout.shape()[dim]) {
        inside = l.logicalAnd(inside, l.icmp(LLVM::ICmpPredicate::ult, index[dim], l.i32c(extent)));
      }
    }
    return inside;
  }

  Lowering &l;
  const LinearLayout layout;
  ArrayRef<int64_t> shape;
  layout::Place replicas;
  Value threadPart;
};

/// Registers of tiles in the thread's memory, behind the first `offset` bytes, to be read by a number known at run
/// time.
class Spilled {
public:
  Spilled(Lowering &l, uint64_t offset) : l(l), end(offset) {}

  void put(Value tile) {
    if (!isa<RankedTensorType>(tile.getType()) || places.contains(tile)) {
      return;
    }
    SmallVector<Value> elements = l.elements(tile);
    Type scalar = elements.front().getType();
    uint64_t bytes = registerBits(scalar) / 8;
    end = llvm::alignTo(end, bytes);
    Value base = threadMemory(l, end + bytes * elements.size());
    for (auto [i, element] : llvm::enumerate(elements)) {
      LLVM::StoreOp::create(l.b, l.loc, widenBool(l, element), l.byteOffset(base, int64_t(end + bytes * i)));
    }
    places[tile] = {end, bytes, scalar};
    end += bytes * elements.size();
  }
  Value get(Value tile, Value reg) {
    auto [offset, bytes, scalar] = places.at(tile);
    Value base = l.byteOffset(threadMemory(l, 0), int64_t(offset));
    Value address = l.byteOffset(base, l.mul(reg, int64_t(bytes)));
    Type stored = scalar.isInteger(1) ? Type(l.b.getI8Type()) : scalar;
    return narrowBool(l, LLVM::LoadOp::create(l.b, l.loc, stored, address), scalar);
  }

private:
  struct Place {
    uint64_t offset, bytes;
    Type scalar;
  };
  Lowering &l;
  uint64_t end;
  llvm::SmallDenseMap<Value, Place> places;
};

/// The block's numbers as printf takes them.
template <typename OpT> SmallVector<Value> blockOf(Lowering &l, OpT op) {
  return {l.toI32(l.scalar(op.getBlockX())), l.toI32(l.scalar(op.getBlockY())), l.toI32(l.scalar(op.getBlockZ()))};
}

Value isFirstThread(Lowering &l) { return l.icmp(LLVM::ICmpPredicate::eq, l.thread(), l.i32c(0)); }

// --- tile.print
LogicalResult lowerPrint(Lowering &l, tile::PrintOp op) {
  SmallVector<Value> block = blockOf(l, op);
  auto begin = [&](Line &line) {
    line.addNumbers(lineHead(op.getLoc()), block);
    if (!op.getText().empty()) {
      line.add(" " + escaped(op.getText()));
    }
  };
  auto finish = [&](Line &line, llvm::function_ref<Value(Value)> valueOf, unsigned coordinates) {
    for (auto [i, value] : llvm::enumerate(op.getValues())) {
      line.addValue(valueOf(value), elementType(value), op.isUnsigned(i));
    }
    line.add("\n");
    line.print()->setAttr(kCoordinatesAttr, l.b.getI32IntegerAttr(coordinates));
  };
  Value first = op.firstTile();
  if (!first) {
    l.guarded(isFirstThread(l), [&] {
      Line line(l);
      begin(line);
      finish(line, [&](Value value) { return l.scalar(value); }, 0);
    });
    return success();
  }
  auto type = cast<RankedTensorType>(first.getType());
  Elements elements(l, type);
  l.guarded(elements.isWriter(), [&] {
    Spilled registers(l, Line::bytesFor(block.size() + type.getRank(), op.getValues().size()));
    for (Value value : op.getValues()) {
      registers.put(value);
    }
    repeat(l, elements.count(), [&](Value reg) {
      SmallVector<Value> index = elements.index(reg);
      l.guarded(elements.isOwn(reg, index), [&] {
        Line line(l);
        begin(line);
        line.addNumbers(" " + indexFormat(type.getRank()), index);
        auto valueOf = [&](Value value) {
          return isa<RankedTensorType>(value.getType()) ? registers.get(value, reg) : l.scalar(value);
        };
        finish(line, valueOf, type.getRank());
      });
    });
  });
  return success();
}

// --- tile.assert
/// Says where, and gives up.
void failAssertion(Lowering &l, tile::AssertOp op, ArrayRef<Value> block, ArrayRef<Value> index) {
  Line line(l);
  std::string at = index.empty() ? "" : " at " + indexFormat(index.size());
  line.addNumbers(lineHead(op.getLoc()), block);
  line.addNumbers(" assertion failed" + at + ": " + escaped(op.getMessage()) + "\n", index);
  // On the simulator, which shows message and place itself, a note.
  std::string note = "this is block (%d, %d, %d)" + (index.empty() ? "" : ", at index " + indexFormat(index.size()));
  line.print()->setAttr(kExplainsAttr, l.b.getStringAttr(note));

  FileLineColLoc place = placeOf(op.getLoc());
  Type pointer = l.pointer(0);
  LLVM::LLVMFuncOp fail = declare(l, "__assertfail", LLVM::LLVMVoidType::get(l.b.getContext()),
                                  {pointer, pointer, l.i32(), pointer, l.i64()});
  Value arguments[] = {textAddress(l, op.getMessage()), textAddress(l, place ? place.getFilename().getValue() : "?"),
                       l.i32c(place ? place.getLine() : 0), textAddress(l, l.kernel.getSymName()),
                       l.i64c(sizeof(char))};
  LLVM::CallOp::create(l.b, l.loc, fail, arguments);
}

/// Threads for which `fails` holds run `body` and leave the kernel: they must not go on with what was wrong.
void leaveWhere(Lowering &l, Value fails, llvm::function_ref<void()> body) {
  Block *before = l.b.getInsertionBlock();
  Block *after = before->splitBlock(l.b.getInsertionPoint());
  Block *failed = l.b.createBlock(after);
  l.b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(l.b, l.loc, fails, failed, after);
  l.b.setInsertionPointToEnd(failed);
  body();
  LLVM::ReturnOp::create(l.b, l.loc, ValueRange());
  l.b.setInsertionPointToStart(after);
}

LogicalResult lowerAssert(Lowering &l, tile::AssertOp op) {
  SmallVector<Value> block = blockOf(l, op);
  Value condition = op.getCondition(), isTrue = l.constant(l.i1(), 1);
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  if (!type) {
    leaveWhere(l, l.bitXor(l.scalar(condition), isTrue),
               [&] { l.guarded(isFirstThread(l), [&] { failAssertion(l, op, block, {}); }); });
    return success();
  }
  Elements elements(l, type);
  leaveWhere(l, elements.anyFalse(l.elements(condition)), [&] {
    l.guarded(elements.isWriter(), [&] {
      Spilled conditions(l, Line::bytesFor(block.size() + type.getRank(), 0));
      conditions.put(condition);
      repeat(l, elements.count(), [&](Value reg) {
        SmallVector<Value> index = elements.index(reg);
        Value fails = l.bitXor(conditions.get(condition, reg), isTrue);
        l.guarded(l.logicalAnd(elements.isOwn(reg, index), fails), [&] { failAssertion(l, op, block, index); });
      });
    });
  });
  return success();
}

} // namespace

void registerDebug(Lowering::HandlerTable &table) {
  Lowering::add<tile::PrintOp, lowerPrint>(table);
  Lowering::add<tile::AssertOp, lowerAssert>(table);
}

} // namespace phobos::lowering
