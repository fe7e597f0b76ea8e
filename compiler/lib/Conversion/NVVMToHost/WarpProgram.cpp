// Gathers warp ops into programs; see the header.
#include "WarpProgram.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

constexpr uint16_t kNoSlot = 0xffff;
constexpr unsigned kPullDepth = 16;

/// What an op that is no warp op means for the program being gathered.
enum class Between { Pure, Load, Store, Async, Stop };

Between classify(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    return Between::Stop;
  }
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    return load.getVolatile_() || load.getOrdering() != LLVM::AtomicOrdering::not_atomic ? Between::Stop
                                                                                         : Between::Load;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    return store.getVolatile_() || store.getOrdering() != LLVM::AtomicOrdering::not_atomic ? Between::Stop
                                                                                           : Between::Store;
  }
  if (isa<NVVM::CpAsyncOp, NVVM::CpAsyncCommitGroupOp>(op)) {
    return Between::Async;
  }
  if (auto call = dyn_cast<LLVM::CallOp>(op)) {
    auto callee = call.getCallee() ? SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(op, call.getCalleeAttr())
                                   : LLVM::LLVMFuncOp();
    auto effects = callee ? callee.getMemoryEffectsAttr() : LLVM::MemoryEffectsAttr();
    bool pure = effects && effects.getOther() == LLVM::ModRefInfo::NoModRef &&
                effects.getArgMem() == LLVM::ModRefInfo::NoModRef;
    return pure ? Between::Pure : Between::Stop;
  }
  if (auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    StringRef name = intrinsic.getIntrin();
    bool pure = name.starts_with("llvm.fpto") || name.contains(".approx");
    return pure ? Between::Pure : Between::Stop;
  }
  if (isa<NVVM::NVVMDialect>(op->getDialect()) && op->getName().stripDialect().starts_with("convert.")) {
    return Between::Pure;
  }
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 ? Between::Pure : Between::Stop;
}

/// The bits of a constant of 32 bits or one.
std::optional<int32_t> constantWord(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute))) {
    return std::nullopt;
  }
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    unsigned width = integer.getType().isIndex() ? 64 : integer.getValue().getBitWidth();
    return width == 32  ? std::optional(int32_t(integer.getValue().getSExtValue()))
           : width == 1 ? std::optional(int32_t(integer.getValue().getZExtValue()))
                        : std::nullopt;
  }
  if (auto real = dyn_cast<FloatAttr>(attribute); real && real.getType().isF32()) {
    return int32_t(real.getValue().bitcastToAPInt().getSExtValue());
  }
  return std::nullopt;
}

bool isAllLanes(Value mask) { return !mask || constantWord(mask) == -1; }

bool sameMask(Value a, Value b) {
  return a == b || (isAllLanes(a) && isAllLanes(b)) ||
         (a && b && constantWord(a) && constantWord(a) == constantWord(b));
}

unsigned wordsOf(Type type) { return type.isInteger(64) || type.isF64() ? 2 : 1; }

bool isOneWord(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    return vector.getElementTypeBitWidth() * vector.getNumElements() == 32;
  }
  return type.isInteger(32) || type.isF32();
}

/// A word of an op's result.
struct Word {
  Value container;
  unsigned index = 0;
};

/// Where a word comes from, through what only renames it.
Word originOf(Value value) {
  while (true) {
    Operation *op = value.getDefiningOp();
    if (auto cast = dyn_cast_or_null<LLVM::BitcastOp>(op)) {
      if (isOneWord(cast.getType()) && isOneWord(cast.getArg().getType())) {
        value = cast.getArg();
        continue;
      }
    } else if (auto extend = dyn_cast_or_null<LLVM::ZExtOp>(op)) {
      if (extend.getType().isInteger(32) && extend.getArg().getType().isInteger(1)) {
        value = extend.getArg();
        continue;
      }
    } else if (auto extract = dyn_cast_or_null<LLVM::ExtractValueOp>(op)) {
      if (extract.getPosition().size() == 1) {
        return {extract.getContainer(), unsigned(extract.getPosition()[0])};
      }
    }
    return {value, 0};
  }
}

/// The value itself behind what only renames its word.
Value behindRenames(Value value) {
  Word word = originOf(value);
  return isa<LLVM::LLVMStructType>(word.container.getType()) ? value : word.container;
}

class Program {
public:
  explicit Program(KernelToHost &kernel) : kernel_(&kernel) {}

  bool empty() const { return table_.empty(); }
  LogicalResult add(Operation *op);
  /// An op between warp ops: moved above the program, left behind it, or the end of the program.
  void pass(Operation *op);
  void flush();

private:
  bool isLate(Value value) const { return late_.contains(value); }
  uint16_t *slotOfWord(Word word);
  /// Adds to `words` the slots that it takes to have a word when the program runs, but for those of `counted`; false if
  /// it is not there then and the program cannot make it.
  bool isAvailable(Value value, unsigned &words, llvm::SmallDenseSet<Value> &counted, unsigned depth = kPullDepth);
  bool accepts(const WarpEntry &entry);
  /// The operand of an op that stands for `value`.
  uint16_t operand(Value value, bool immediates);
  uint16_t storeWord(Value value, unsigned half);
  void append(Operation *op, WarpEntry &entry);
  SmallVector<uint16_t> resultSlots(const WarpEntry &entry, const host::WarpOp &made);
  /// May a result overwrite this operand's slot?
  bool isLastUse(Value value);
  void release(uint16_t slot);
  void describe(LLVM::CallOp call);
  Value load(uint16_t slot, Type type);
  void replaceResult(Value result);
  void settle();

  struct Store {
    Value value;
    unsigned half; // of a value of two words
    uint16_t slot;
  };

  KernelToHost *kernel_;
  Operation *head_ = nullptr;
  Value mask_;
  SmallVector<host::WarpOp> table_;
  SmallVector<std::pair<unsigned, unsigned>> counts_; // operands and results of each
  SmallVector<Store> stores_;
  llvm::DenseMap<std::pair<Value, unsigned>, uint16_t> sharedStores_;
  llvm::DenseMap<Value, SmallVector<uint16_t, 4>> words_; // slots of results
  llvm::DenseSet<Value> late_;                            // values that there are only after the program
  SmallVector<Operation *> members_;                      // warp ops and ops that stay behind, in order
  llvm::DenseSet<Operation *> warpOps_;
  unsigned slots_ = 0;
  bool orders_ = false;                                              // the program writes or orders memory
  bool staysLoad_ = false, staysStore_ = false, staysAsync_ = false; // what stays behind
};

uint16_t *Program::slotOfWord(Word word) {
  auto known = words_.find(word.container);
  if (known == words_.end() || word.index >= known->second.size() || known->second[word.index] == kNoSlot) {
    return nullptr;
  }
  return &known->second[word.index];
}

bool Program::isAvailable(Value value, unsigned &words, llvm::SmallDenseSet<Value> &counted, unsigned depth) {
  if (slotOfWord(originOf(value))) {
    return true;
  }
  value = isLate(value) ? behindRenames(value) : value;
  if (!counted.insert(value).second) {
    return true;
  }
  words += wordsOf(value.getType());
  if (!isLate(value)) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  return kernel_->shared.options.pull && depth && op && describeLaneOp(op) &&
         llvm::all_of(op->getOperands(), [&](Value x) { return isAvailable(x, words, counted, depth - 1); });
}

bool Program::accepts(const WarpEntry &entry) {
  if (empty()) {
    return true;
  }
  bool inOrder = entry.effect == Effect::None    ? true
                 : entry.effect == Effect::Reads ? !staysStore_
                                                 : !staysStore_ && !staysLoad_ && !staysAsync_;
  unsigned words = slots_ + entry.results;
  llvm::SmallDenseSet<Value> counted;
  return kernel_->shared.options.batch && inOrder && sameMask(entry.mask, mask_) &&
         llvm::all_of(entry.operands, [&](Value x) { return isAvailable(x, words, counted); }) &&
         words <= host::kExchangeSlots;
}

LogicalResult Program::add(Operation *op) {
  std::optional<WarpEntry> entry = describeWarpOp(op);
  if (!entry) {
    return kernel_->unknown(op, "this shape and these types");
  }
  if (!accepts(*entry)) {
    flush();
    entry = describeWarpOp(op); // its operands may have been results that are loads now
  }
  if (empty()) {
    head_ = op;
    mask_ = isAllLanes(entry->mask) ? Value() : entry->mask;
  }
  orders_ |= entry->effect == Effect::Writes || entry->effect == Effect::Orders;
  append(op, *entry);
  members_.push_back(op);
  warpOps_.insert(op);
  late_.insert(op->result_begin(), op->result_end());
  ++kernel_->info.warpOps;
  return success();
}

void Program::append(Operation *op, WarpEntry &entry) {
  host::WarpOp made = entry.op;
  made.site = kernel_->shared.site(op);
  unsigned n = 0;
  for (Value value : entry.operands) {
    if (wordsOf(value.getType()) == 2) {
      made.in[n++] = storeWord(value, 0);
      made.in[n++] = storeWord(value, 1);
    } else {
      made.in[n++] = operand(value, entry.immediates);
    }
  }
  assert(n <= std::size(made.in) && entry.results <= std::size(made.out));
  SmallVector<uint16_t> slots = resultSlots(entry, made);
  llvm::copy(slots, made.out);
  if (op->getNumResults()) {
    words_[op->getResult(0)] = {slots.begin(), slots.end()};
  }
  table_.push_back(made);
  counts_.push_back({n, unsigned(slots.size())});
}

uint16_t Program::operand(Value value, bool immediates) {
  if (uint16_t *slot = slotOfWord(originOf(value))) {
    return *slot;
  }
  if (immediates) {
    std::optional<int32_t> constant = constantWord(value);
    if (constant && *constant >= host::kImmediateMin && *constant <= host::kImmediateMax) {
      return host::immediateOperand(*constant);
    }
  }
  if (!isLate(value)) {
    return storeWord(value, 0);
  }
  value = behindRenames(value);
  Operation *op = value.getDefiningOp(); // pulled in
  WarpEntry entry = *describeLaneOp(op);
  append(op, entry);
  return words_[value][0];
}

uint16_t Program::storeWord(Value value, unsigned half) {
  auto [known, isNew] = sharedStores_.try_emplace({value, half}, slots_);
  if (isNew) {
    stores_.push_back({value, half, uint16_t(slots_++)});
  }
  return known->second;
}

bool Program::isLastUse(Value value) {
  // One user of this value, and of everything that renames it.
  Value at = value;
  while (true) {
    if (!at.hasOneUse()) {
      return false;
    }
    Operation *op = at.getDefiningOp();
    if (isa_and_nonnull<LLVM::BitcastOp, LLVM::ZExtOp>(op)) {
      at = op->getOperand(0);
      continue;
    }
    auto extract = dyn_cast_or_null<LLVM::ExtractValueOp>(op);
    if (!extract) {
      return true;
    }
    return llvm::all_of(extract.getContainer().getUsers(), [&](Operation *user) {
      auto other = dyn_cast<LLVM::ExtractValueOp>(user);
      return other && (other == extract || other.getPosition() != extract.getPosition());
    });
  }
}

/// Nobody may be given this slot's word any more.
void Program::release(uint16_t slot) {
  for (auto store = stores_.rbegin(); store != stores_.rend(); ++store) {
    if (store->slot == slot) {
      sharedStores_.erase({store->value, store->half});
      return;
    }
  }
  for (auto &[value, slots] : words_) {
    llvm::replace(slots, slot, kNoSlot);
  }
}

SmallVector<uint16_t> Program::resultSlots(const WarpEntry &entry, const host::WarpOp &made) {
  SmallVector<uint16_t> slots;
  for (unsigned i = 0; i < entry.results; ++i) {
    if (entry.inPlace >= 0) {
      unsigned at = entry.inPlace + i;
      uint16_t slot = made.in[at];
      bool isForwarded = slotOfWord(originOf(entry.operands[at]));
      bool alone = llvm::count(ArrayRef(made.in).take_front(entry.operands.size()), slot) == 1;
      if (alone && (!isForwarded || isLastUse(entry.operands[at]))) {
        release(slot);
        slots.push_back(slot);
        continue;
      }
    }
    slots.push_back(slots_++);
  }
  return slots;
}

void Program::pass(Operation *op) {
  if (empty()) {
    return;
  }
  Between kind = classify(op);
  bool late = llvm::any_of(op->getOperands(), [&](Value x) { return isLate(x); });
  bool checked = kernel_->shared.options.checkShared;
  switch (kind) {
  case Between::Stop:
    return flush();
  case Between::Pure:
    if (!late) {
      return op->moveBefore(head_);
    }
    break;
  case Between::Load:
    if (!late && !orders_ && !staysStore_) {
      return op->moveBefore(head_);
    }
    staysLoad_ = true;
    break;
  case Between::Store:
    staysStore_ = true;
    break;
  case Between::Async:
    if (checked) { // exactly in order, so that what overlaps is seen
      return flush();
    }
    staysAsync_ = true;
    break;
  }
  late_.insert(op->result_begin(), op->result_end());
  members_.push_back(op);
}

Value Program::load(uint16_t slot, Type type) {
  Value word = LLVM::LoadOp::create(kernel_->b, kernel_->loc, kernel_->i32(), kernel_->slot(slot));
  return kernel_->fromWord(word, type);
}

void Program::replaceResult(Value result) {
  if (result.use_empty()) {
    return;
  }
  ArrayRef<uint16_t> slots = words_[result];
  auto type = dyn_cast<LLVM::LLVMStructType>(result.getType());
  if (!type) {
    return result.replaceAllUsesWith(load(slots[0], result.getType()));
  }
  Value all = LLVM::UndefOp::create(kernel_->b, kernel_->loc, type);
  for (auto [i, element] : llvm::enumerate(type.getBody())) {
    all = LLVM::InsertValueOp::create(kernel_->b, kernel_->loc, all, load(slots[i], element), int64_t(i));
  }
  result.replaceAllUsesWith(all);
}

/// Results come out of the slots; ops that served only the program go. Last to first, so that what is used is known.
void Program::settle() {
  llvm::DenseMap<std::pair<uint16_t, Type>, Value> loads;
  for (Operation *op : llvm::reverse(members_)) {
    if (warpOps_.contains(op)) {
      for (Value result : op->getResults()) {
        replaceResult(result);
      }
      op->erase();
      continue;
    }
    if (classify(op) != Between::Pure || op->getNumResults() != 1) {
      continue;
    }
    Value result = op->getResult(0);
    if (!result.use_empty()) {
      bool renames = isa<LLVM::BitcastOp, LLVM::ExtractValueOp, LLVM::ZExtOp>(op);
      uint16_t *slot = renames ? slotOfWord(originOf(result)) : slotOfWord({result, 0});
      if (!slot) {
        continue;
      }
      Value &loaded = loads[{*slot, result.getType()}];
      loaded = loaded ? loaded : load(*slot, result.getType());
      result.replaceAllUsesWith(loaded);
    }
    op->erase();
  }
}

void Program::describe(LLVM::CallOp call) {
  static const char *const kNames[] = {
#define PHOBOS_WARP_OP(name, sentence) #name,
#define PHOBOS_WARP_MMA(name, k, element, accumulator, sentence) #name,
#include "phobos/host/HostCalls.def"
  };
  SmallVector<Attribute> lines;
  for (const auto &[op, count] : llvm::zip(table_, counts_)) {
    std::string line;
    llvm::raw_string_ostream os(line);
    os << kNames[unsigned(op.kind)];
    if (op.num > 1) {
      os << " x" << unsigned(op.num);
    }
    if (op.flags) {
      os << " flags " << unsigned(op.flags);
    }
    for (uint16_t in : ArrayRef(op.in).take_front(count.first)) {
      in &host::kImmediate ? os << " #" << host::immediateValue(in) : os << " " << in;
    }
    os << " ->";
    for (uint16_t out : ArrayRef(op.out).take_front(count.second)) {
      os << " " << out;
    }
    lines.push_back(kernel_->b.getStringAttr(line));
  }
  call->setAttr("program", kernel_->b.getArrayAttr(lines));
}

void Program::flush() {
  if (empty()) {
    return;
  }
  assert(slots_ <= host::kExchangeSlots);
  kernel_->b.setInsertionPoint(head_);
  kernel_->loc = head_->getLoc();
  kernel_->info.usesWarps = true;
  for (const Store &store : stores_) {
    Value word = store.value;
    if (wordsOf(word.getType()) == 2) {
      word = word.getType().isInteger(64)
                 ? word
                 : Value(LLVM::BitcastOp::create(kernel_->b, kernel_->loc, kernel_->i64(), word));
      word = store.half ? Value(LLVM::LShrOp::create(kernel_->b, kernel_->loc, word, kernel_->i64c(32))) : word;
      word = LLVM::TruncOp::create(kernel_->b, kernel_->loc, kernel_->i32(), word);
    }
    LLVM::StoreOp::create(kernel_->b, kernel_->loc, kernel_->toWord(word), kernel_->slot(store.slot));
  }
  ArrayRef<char> bytes(reinterpret_cast<const char *>(table_.data()), table_.size() * sizeof(host::WarpOp));
  std::string name = kernel_->info.name + ".program." + std::to_string(kernel_->info.warpPrograms++);
  Value table = LLVM::AddressOfOp::create(kernel_->b, kernel_->loc, kernel_->shared.table(kernel_->loc, name, bytes));
  Value mask = mask_ ? mask_ : kernel_->i32c(-1);
  kernel_->call(HostCall::warpProgram, {table, kernel_->i32c(table_.size()), mask});
  if (kernel_->shared.describe) {
    describe(cast<LLVM::CallOp>(head_->getPrevNode()));
  }
  settle();
  *this = Program(*kernel_);
}

} // namespace

LogicalResult lowerWarpOps(KernelToHost &kernel, Block &block) {
  Program program(kernel);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isWarpOp(&op)) {
      program.pass(&op);
    } else if (failed(program.add(&op))) {
      return failure();
    }
  }
  program.flush();
  return success();
}

} // namespace phobos::tohost
