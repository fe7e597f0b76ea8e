// wgmma: a chain of products on one accumulator becomes one meeting of the warpgroup.
//
// Words of the accumulator lie in the first slots of each lane's column, the words of the operands (registers or
// descriptors) above them; a constant table says which product finds what where.
#include "WgmmaOps.h"

using namespace mlir;

namespace phobos::tohost {

bool isWgmma(Operation *op) { return isa<NVVM::WgmmaMmaAsyncOp>(op) || parseInlineWgmma(op); }

namespace {

std::optional<host::Element> elementOf(NVVM::WGMMATypes type) {
  switch (type) {
  case NVVM::WGMMATypes::f16:
    return host::Element::f16;
  case NVVM::WGMMATypes::tf32:
    return host::Element::tf32;
  case NVVM::WGMMATypes::u8:
    return host::Element::u8;
  case NVVM::WGMMATypes::s8:
    return host::Element::s8;
  case NVVM::WGMMATypes::bf16:
    return host::Element::bf16;
  case NVVM::WGMMATypes::e4m3:
    return host::Element::e4m3;
  case NVVM::WGMMATypes::e5m2:
    return host::Element::e5m2;
  case NVVM::WGMMATypes::f32:
    return host::Element::f32;
  case NVVM::WGMMATypes::s32:
    return host::Element::s32;
  case NVVM::WGMMATypes::b1:
    return std::nullopt;
  }
  llvm_unreachable("unknown type");
}

} // namespace

std::optional<Wgmma> describeWgmma(Operation *op) {
  if (std::optional<Wgmma> known = parseInlineWgmma(op)) {
    return known;
  }
  auto mma = dyn_cast<NVVM::WgmmaMmaAsyncOp>(op);
  if (!mma) {
    return std::nullopt;
  }
  auto a = elementOf(mma.getTypeA()), b = elementOf(mma.getTypeB()), d = elementOf(mma.getTypeD());
  if (!a || !b || !d) {
    return std::nullopt;
  }
  Wgmma known;
  known.op = op;
  known.entry.a = *a;
  known.entry.b = *b;
  known.entry.d = *d;
  known.entry.n = mma.getShape().getN();
  known.entry.k = mma.getShape().getK();
  uint8_t flags = 0;
  flags |= mma.getScaleD() == NVVM::WGMMAScaleOut::zero ? host::kWgmmaZeroD : 0;
  flags |= mma.getScaleA() == NVVM::WGMMAScaleIn::neg ? host::kWgmmaNegateA : 0;
  flags |= mma.getScaleB() == NVVM::WGMMAScaleIn::neg ? host::kWgmmaNegateB : 0;
  flags |= mma.getLayoutA() == NVVM::MMALayout::col ? host::kWgmmaTransposeA : 0;
  flags |= mma.getLayoutB() == NVVM::MMALayout::row ? host::kWgmmaTransposeB : 0;
  flags |= mma.getSatfinite() == NVVM::MMAIntOverflow::satfinite ? host::kWgmmaSaturate : 0;
  known.entry.flags = flags;
  known.a = {mma.getDescriptorA()};
  known.b = mma.getDescriptorB();
  known.accumulator = mma.getInouts();
  return known;
}

namespace {

/// Collects products that can be one call, and writes it out before the last of them.
class Chain {
public:
  explicit Chain(KernelToHost &kernel) : k_(kernel) {}

  LogicalResult add(Wgmma next);
  /// An op without effects between two products.
  void pass(Operation &op) {
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return late_.contains(operand); })) {
      late_.insert(op.result_begin(), op.result_end());
    }
  }
  void flush();
  bool empty() const { return links_.empty(); }

private:
  struct Accumulator {
    unsigned first, last; // of links_
  };
  /// The accumulator whose last product `next` adds to, the only user of that product.
  Accumulator *continuedBy(const Wgmma &next);
  void store(uint16_t slot, Value word) { LLVM::StoreOp::create(k_.b, k_.loc, k_.toWord(word), k_.slot(slot)); }
  void storeDescriptor(uint16_t slot, Value descriptor);
  SmallVector<char> storeOperands();
  void loadResult(const Accumulator &accumulator);
  /// Ops between the products that use results: they follow the call.
  SmallVector<Operation *> usersOfResults();
  bool waitsForResults(const Wgmma &next, bool continues) const {
    auto isLate = [&](Value value) { return value && late_.contains(value); };
    return llvm::any_of(next.a, isLate) || isLate(next.b) ||
           (!continues && (isLate(next.accumulator) || llvm::any_of(next.elements, isLate)));
  }
  void eraseLinks();

  KernelToHost &k_;
  SmallVector<Wgmma> links_;
  SmallVector<Accumulator> accumulators_;
  llvm::DenseSet<Value> late_; // values that there are only after the call
  unsigned slots_ = 0;
};

Chain::Accumulator *Chain::continuedBy(const Wgmma &next) {
  Value from = next.accumulatorStruct();
  for (Accumulator &accumulator : accumulators_) {
    Wgmma &last = links_[accumulator.last];
    Value result = last.op->getResult(0);
    if (from != result || last.accumulatorWords() != next.accumulatorWords()) {
      continue;
    }
    size_t uses = next.accumulator ? 1 : next.elements.size();
    bool onlyUser = llvm::range_size(result.getUses()) == uses &&
                    llvm::all_of(next.elements, [](Value element) { return element.hasOneUse(); });
    return onlyUser ? &accumulator : nullptr;
  }
  return nullptr;
}

LogicalResult Chain::add(Wgmma next) {
  Accumulator *accumulator = continuedBy(next);
  unsigned words = next.operandWords() + (accumulator ? 0 : next.accumulatorWords());
  if (!links_.empty() && (slots_ + words > host::kExchangeSlots || waitsForResults(next, accumulator))) {
    flush();
    accumulator = nullptr;
    words = next.operandWords() + next.accumulatorWords();
  }
  if (words > host::kExchangeSlots) {
    return k_.unknown(next.op, "its words do not fit in the exchange buffer");
  }
  if (accumulator) {
    next.entry.slotD = links_[accumulator->last].entry.slotD;
    accumulator->last = links_.size();
  } else {
    next.entry.slotD = slots_;
    slots_ += next.accumulatorWords();
    accumulators_.push_back({unsigned(links_.size()), unsigned(links_.size())});
  }
  next.entry.slotA = slots_;
  next.entry.slotB = slots_ + next.operandWords() - 2;
  slots_ += next.operandWords();
  late_.insert(next.op->getResult(0));
  links_.push_back(std::move(next));
  return success();
}

void Chain::storeDescriptor(uint16_t slot, Value descriptor) {
  store(slot, LLVM::TruncOp::create(k_.b, k_.loc, k_.i32(), descriptor));
  Value high = LLVM::LShrOp::create(k_.b, k_.loc, descriptor, k_.i64c(32));
  store(slot + 1, LLVM::TruncOp::create(k_.b, k_.loc, k_.i32(), high));
}

SmallVector<char> Chain::storeOperands() {
  for (const Accumulator &accumulator : accumulators_) {
    const Wgmma &first = links_[accumulator.first];
    for (unsigned i = 0; !(first.entry.flags & host::kWgmmaZeroD) && i < first.accumulatorWords(); ++i) {
      store(first.entry.slotD + i, first.accumulatorWord(k_, i));
    }
  }
  SmallVector<char> table;
  for (Wgmma &link : links_) {
    if (link.entry.flags & host::kWgmmaRegistersA) {
      for (auto [i, word] : llvm::enumerate(link.a)) {
        store(link.entry.slotA + i, word);
      }
    } else {
      storeDescriptor(link.entry.slotA, link.a[0]);
    }
    storeDescriptor(link.entry.slotB, link.b);
    link.entry.site = k_.shared.site(link.op);
    auto *raw = reinterpret_cast<const char *>(&link.entry);
    table.append(raw, raw + sizeof link.entry);
  }
  return table;
}

void Chain::loadResult(const Accumulator &accumulator) {
  const Wgmma &last = links_[accumulator.last];
  Value result = last.op->getResult(0);
  auto type = cast<LLVM::LLVMStructType>(result.getType());
  Value all = LLVM::UndefOp::create(k_.b, k_.loc, type);
  for (auto [i, element] : llvm::enumerate(type.getBody())) {
    Value word = LLVM::LoadOp::create(k_.b, k_.loc, k_.i32(), k_.slot(last.entry.slotD + i));
    all = LLVM::InsertValueOp::create(k_.b, k_.loc, all, k_.fromWord(word, element), int64_t(i));
  }
  result.replaceAllUsesWith(all);
}

SmallVector<Operation *> Chain::usersOfResults() {
  llvm::DenseSet<Value> late;
  for (const Accumulator &accumulator : accumulators_) {
    late.insert(links_[accumulator.last].op->getResult(0));
  }
  SmallVector<Operation *> users;
  for (Operation *op = links_.front().op; op != links_.back().op; op = op->getNextNode()) {
    if (!isWgmma(op) && llvm::any_of(op->getOperands(), [&](Value operand) { return late.contains(operand); })) {
      users.push_back(op);
      late.insert(op->result_begin(), op->result_end());
    }
  }
  return users;
}

void Chain::eraseLinks() {
  for (Wgmma &link : llvm::reverse(links_)) {
    // A chain by members leaves the extractions of them.
    for (Operation *user : llvm::make_early_inc_range(link.op->getUsers())) {
      assert(isa<LLVM::ExtractValueOp>(user) && user->use_empty() && "only the chain uses an inner result");
      user->erase();
    }
    link.op->erase();
  }
}

void Chain::flush() {
  if (links_.empty()) {
    return;
  }
  Operation *last = links_.back().op;
  SmallVector<Operation *> users = usersOfResults();
  k_.b.setInsertionPoint(last);
  k_.loc = links_.front().op->getLoc();
  k_.info.usesWgmma = true;
  SmallVector<char> bytes = storeOperands();
  std::string name = k_.info.name + ".wgmma." + std::to_string(k_.info.warpPrograms++);
  Value table = LLVM::AddressOfOp::create(k_.b, k_.loc, k_.shared.table(k_.loc, name, bytes));
  k_.call(HostCall::wgmma, {table, k_.i32c(links_.size()), k_.site(links_.front().op)});
  for (const Accumulator &accumulator : accumulators_) {
    loadResult(accumulator);
  }
  for (Operation *user : users) {
    user->moveBefore(last);
  }
  eraseLinks();
  links_.clear();
  accumulators_.clear();
  late_.clear();
  slots_ = 0;
}

} // namespace

Value Wgmma::accumulatorStruct() const {
  if (accumulator) {
    return accumulator;
  }
  Value from;
  for (auto [i, element] : llvm::enumerate(elements)) {
    auto extract = element.getDefiningOp<LLVM::ExtractValueOp>();
    if (!extract || extract.getPosition() != ArrayRef<int64_t>{int64_t(i)} ||
        (from && extract.getContainer() != from)) {
      return {};
    }
    from = extract.getContainer();
  }
  return from;
}

LogicalResult lowerWgmmas(KernelToHost &kernel, Block &block) {
  Chain chain(kernel);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isWgmma(&op)) {
      std::optional<Wgmma> known = describeWgmma(&op);
      if (!known) {
        return kernel.unknown(&op, "this combination of types");
      }
      if (failed(chain.add(std::move(*known)))) {
        return failure();
      }
    } else if (!chain.empty()) {
      isMemoryEffectFree(&op) ? chain.pass(op) : chain.flush();
    }
  }
  chain.flush();
  return success();
}

namespace {

LogicalResult lowerCommit(KernelToHost &k, NVVM::WgmmaGroupSyncAlignedOp op) {
  k.call(HostCall::wgmmaCommit, {k.site(op)});
  op.erase();
  return success();
}

LogicalResult lowerWait(KernelToHost &k, NVVM::WgmmaWaitGroupSyncOp op) {
  k.call(HostCall::wgmmaWait, {k.i32c(op.getGroup()), k.site(op)});
  op.erase();
  return success();
}

} // namespace

void registerWgmma(HandlerTable &table) {
  add<NVVM::WgmmaGroupSyncAlignedOp, lowerCommit>(table, /*waits=*/true);
  add<NVVM::WgmmaWaitGroupSyncOp, lowerWait>(table, /*waits=*/true);
}

} // namespace phobos::tohost
