// The signature and frame of one kernel on the host, and the small builders that op families share.
#include "KernelToHost.h"

using namespace mlir;

namespace phobos::tohost {

const HandlerTable &handlers() {
  static const HandlerTable table = [] {
    HandlerTable all;
    registerRegisters(all);
    registerAddressSpaces(all);
    registerBarriers(all);
    registerAsync(all);
    registerBulk(all);
    registerWgmma(all);
    registerConvert(all);
    registerMath(all);
    registerChecks(all);
    registerInlinePtx(all);
    return all;
  }();
  return table;
}

KernelToHost::KernelToHost(ModuleToHost &shared, LLVM::LLVMFuncOp function)
    : shared(shared), function(function), b(function.getContext()), loc(function.getLoc()) {
  info.name = function.getName().str();
}

// --- the frame
namespace {

bool waits(Operation *op) {
  if (auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    return intrinsic.getIntrin().starts_with("llvm.nvvm.barrier");
  }
  if (auto call = dyn_cast<LLVM::CallOp>(op)) {
    return call.getCallee() == "vprintf" || call.getCallee() == "__assertfail";
  }
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op); assembly && assembly.getAsmString().trim().empty()) {
    return false; // it holds the compiler alone
  }
  auto handler = handlers().find(op->getName().getStringRef());
  return isWarpOp(op) || isWgmma(op) || (handler != handlers().end() && handler->second.waits);
}

/// Must each thread have a fiber? Then it may wait, and the runtime knows which thread calls.
bool needsFibers(const ModuleToHost &shared, LLVM::LLVMFuncOp function, const LoopPlan &loops) {
  const HostOptions &options = shared.options;
  if (!options.threadLoop || options.profile || loops.spins()) {
    return true;
  }
  // Who checks shared memory, or what fences and waits order, knows threads by their fibers.
  if (options.checkGlobal && (ordersBlocks(function) || isDependent(function))) {
    return true;
  }
  auto found = function.walk([&](Operation *op) {
    bool address = isa<LLVM::GEPOp>(op); // of an access that is met itself
    bool checked = options.checkShared && !address && llvm::any_of(op->getOperands(), isShared);
    return checked || waits(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// Of nvvm.maxntid or nvvm.reqntid; zeros if there is neither.
void readThreads(LLVM::LLVMFuncOp function, unsigned (&threads)[3]) {
  for (StringRef name : {NVVM::NVVMDialect::getReqntidAttrName(), NVVM::NVVMDialect::getMaxntidAttrName()}) {
    if (auto extents = function->getAttrOfType<DenseI32ArrayAttr>(name)) {
      for (unsigned axis = 0; axis < 3; ++axis) {
        threads[axis] = axis < unsigned(extents.size()) ? extents[axis] : 1;
      }
      return;
    }
  }
}

} // namespace

Value KernelToHost::field(Value base, size_t offset, Type type) {
  Value address = byteOffset(base, offset);
  return LLVM::LoadOp::create(b, loc, type, address, /*alignment=*/0, /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/true);
}

void KernelToHost::buildEntry() {
  Block *body = &function.getBody().front();
  SmallVector<Type> parameters(function.getArgumentTypes());
  SmallVector<bool> byValue;
  for (unsigned i = 0; i < parameters.size(); ++i) {
    byValue.push_back(bool(function.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName())));
    info.parameterBytes.push_back(byValue.back() ? kTensorMapBytes
                                                 : unsigned(shared.layout.getTypeSize(parameters[i])));
  }
  // By hand: FunctionOpInterface::insertArguments fails, silently, on a function that returns void.
  function.removeArgAttrsAttr();
  function.setFunctionType(
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer(), pointer()}));
  prologue_ = b.createBlock(body, TypeRange{pointer(), pointer()}, {loc, loc});
  thread_ = prologue_->getArgument(0);
  argv_ = prologue_->getArgument(1);
  function.setArgAttr(0, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  function.setArgAttr(0, LLVM::LLVMDialect::getNonNullAttrName(), b.getUnitAttr());
  function.setArgAttr(0, LLVM::LLVMDialect::getDereferenceableAttrName(),
                      b.getI64IntegerAttr(sizeof(host::ThreadContext)));
  for (auto [i, type] : llvm::enumerate(parameters)) {
    Value value = field(argv_, sizeof(void *) * i, pointer());
    if (!byValue[i]) {
      value = field(value, 0, isa<LLVM::LLVMPointerType>(type) ? pointer() : type);
    }
    if (value.getType() != type) {
      value = LLVM::AddrSpaceCastOp::create(b, loc, type, value);
    }
    body->getArgument(i).replaceAllUsesWith(value);
  }
  body->eraseArguments(0, body->getNumArguments());
  if (info.loop) {
    buildThreadLoop(prologue_, body);
  } else {
    LLVM::BrOp::create(b, loc, ValueRange(), body);
  }
}

void KernelToHost::buildThreadLoop(Block *prologue, Block *body) {
  // Allocas in a loop would pile up.
  for (auto alloca : llvm::make_early_inc_range(body->getOps<LLVM::AllocaOp>())) {
    if (Operation *size = alloca.getArraySize().getDefiningOp<LLVM::ConstantOp>()) {
      size->moveBefore(prologue, prologue->end());
      alloca->moveBefore(prologue, prologue->end());
    }
  }
  // Extents: 1 where the kernel says so, else what was launched.
  Value extents[3];
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (promisedThreads_[axis] != 1) {
      Value registers = field(thread_, offsetof(host::ThreadContext, registers), pointer());
      extents[axis] = field(registers, offsetof(host::CtaRegisters, ntid) + 4 * axis, i32());
    }
  }
  SmallVector<unsigned, 3> axes;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (extents[axis] || axis == 0) {
      axes.push_back(axis);
    }
  }
  if (!extents[0]) {
    extents[0] = i32c(1);
  }
  SmallVector<Type> types(axes.size(), i32());
  SmallVector<Location> locs(axes.size(), loc);
  Value zero = i32c(0), one = i32c(1);
  SmallVector<Value> zeros(axes.size(), zero);
  Block *head = b.createBlock(body, types, locs), *latch = b.createBlock(&function.getBody(), function.getBody().end()),
        *done = b.createBlock(&function.getBody(), function.getBody().end());
  b.setInsertionPointToEnd(prologue);
  LLVM::BrOp::create(b, loc, zeros, head);
  b.setInsertionPointToEnd(head);
  LLVM::BrOp::create(b, loc, ValueRange(), body);
  tids_[0] = tids_[1] = tids_[2] = zero;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    tids_[axis] = head->getArgument(i);
  }
  SmallVector<LLVM::ReturnOp> returns;
  function.walk([&](LLVM::ReturnOp op) { returns.push_back(op); });
  for (LLVM::ReturnOp op : returns) {
    b.setInsertionPoint(op);
    LLVM::BrOp::create(b, op.getLoc(), ValueRange(), latch);
    op.erase();
  }
  // An odometer: an axis steps where all before it wrap.
  b.setInsertionPointToEnd(latch);
  SmallVector<Value> next;
  Value carry;
  for (unsigned axis : axes) {
    Value stepped = LLVM::AddOp::create(b, loc, tids_[axis], one);
    Value wraps = icmp(LLVM::ICmpPredicate::uge, stepped, extents[axis]);
    Value value = carry ? select(carry, stepped, tids_[axis]) : stepped;
    wraps = carry ? Value(LLVM::AndOp::create(b, loc, carry, wraps)) : wraps;
    next.push_back(axis == axes.back() ? value : select(wraps, zero, value));
    carry = wraps;
  }
  LLVM::CondBrOp::create(b, loc, carry, done, ValueRange(), head, next);
  b.setInsertionPointToEnd(done);
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

LogicalResult KernelToHost::run() {
  readThreads(function, promisedThreads_);
  info.threads = promisedThreads_[0] * promisedThreads_[1] * promisedThreads_[2];
  if (auto cluster = function->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getClusterDimAttrName())) {
    for (unsigned axis = 0; axis < std::min<unsigned>(3, cluster.size()); ++axis) {
      info.cluster[axis] = cluster[axis];
    }
  }
  LoopPlan loops = planLoops(function); // before there is one over threads
  info.spins = loops.spins();
  info.ordersBlocks = ordersBlocks(function);
  info.dependent = isDependent(function);
  info.loop = !needsFibers(shared, function, loops);
  buildEntry();
  instrumentLoops(*this, loops);
  if (shared.options.checkShared) {
    checkWgmmaRegisters(*this);
  }

  SmallVector<Block *> blocks;
  for (Block &block : function.getBody()) {
    blocks.push_back(&block);
  }
  for (Block *block : blocks) {
    if (failed(lowerWarpOps(*this, *block)) || failed(lowerWgmmas(*this, *block))) {
      return failure();
    }
  }
  if (shared.options.profile) {
    instrumentBlocks(*this);
  }
  SmallVector<Operation *> all;
  for (Block *block : blocks) {
    for (Operation &op : *block) {
      if (block != prologue_) {
        all.push_back(&op);
      }
    }
  }
  if (failed(lowerAll(all))) {
    return failure();
  }
  for (NamedAttribute attribute : llvm::to_vector(function->getDiscardableAttrs())) {
    if (attribute.getName().strref().starts_with("nvvm.")) {
      function->removeAttr(attribute.getName());
    }
  }
  info.symbol = info.name + (info.loop ? ".loop" : ".fiber");
  function.setSymName(info.symbol);
  function.setLinkage(LLVM::Linkage::External);
  function.setNoUnwind(true);
  return success();
}

LogicalResult KernelToHost::runFunction() {
  SmallVector<Operation *> all;
  function.walk([&](Operation *op) { all.push_back(op); });
  all.pop_back(); // the function
  return lowerAll(all);
}

LogicalResult KernelToHost::lowerAll(ArrayRef<Operation *> ops) {
  bool good = true;
  for (Operation *op : ops) {
    b.setInsertionPoint(op);
    loc = op->getLoc();
    auto handler = handlers().find(op->getName().getStringRef());
    bool known = handler != handlers().end(), ofNvvm = isa<NVVM::NVVMDialect>(op->getDialect());
    if (known && (thread_ || handler->second.pure)) {
      good &= succeeded(handler->second.lower(*this, op));
    } else if (ofNvvm && known) {
      good &= succeeded(needThread(op));
    } else if (ofNvvm) {
      good &= succeeded(unknown(op));
    }
  }
  return success(good);
}

LogicalResult KernelToHost::needThread(Operation *op) {
  return op->emitError("the host simulator cannot run ") << op->getName() << " in a function that is not inlined";
}

LogicalResult KernelToHost::unknown(Operation *op, const llvm::Twine &detail) {
  InFlightDiagnostic error = op->emitError("the host simulator cannot run ") << op->getName();
  std::string text = detail.str();
  if (!text.empty()) {
    error << ": " << text;
  }
  return error;
}

// --- values
OpBuilder KernelToHost::prologueBuilder() { return OpBuilder(prologue_->getTerminator()); }

Value KernelToHost::cached(unsigned key, llvm::function_ref<Value()> make) {
  Value &value = cache_[key];
  if (!value) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(prologue_->getTerminator());
    value = make();
  }
  return value;
}

namespace {
/// Keys of cached values: offsets in the registers, and above them the fields of the thread.
enum : unsigned { kThreadFields = 1024, kRegisters = 2048, kLinear, kLane };
} // namespace

Value KernelToHost::tid(unsigned axis) {
  if (tids_[axis]) {
    return tids_[axis];
  }
  if (promisedThreads_[axis] == 1) {
    return tids_[axis] = cached(kThreadFields + 512 + axis, [&] { return i32c(0); });
  }
  size_t offset = offsetof(host::ThreadContext, tid) + 4 * axis;
  return cached(kThreadFields + offset, [&] { return field(thread_, offset, i32()); });
}

Value KernelToHost::ctaRegister(size_t offset) {
  Value registers =
      cached(kRegisters, [&] { return field(thread_, offsetof(host::ThreadContext, registers), pointer()); });
  return cached(offset, [&] { return field(registers, offset, i32()); });
}

Value KernelToHost::linearIndex() {
  if (!info.loop) {
    size_t offset = offsetof(host::ThreadContext, index);
    return cached(kThreadFields + offset, [&] { return field(thread_, offset, i32()); });
  }
  if (promisedThreads_[1] == 1 && promisedThreads_[2] == 1) {
    return tid(0);
  }
  Value index = tid(2);
  for (unsigned axis : {1u, 0u}) {
    Value extent = ctaRegister(offsetof(host::CtaRegisters, ntid) + 4 * axis);
    index = LLVM::AddOp::create(b, loc, Value(LLVM::MulOp::create(b, loc, index, extent)), tid(axis));
  }
  return index;
}

Value KernelToHost::lane() {
  if (info.loop) {
    return LLVM::AndOp::create(b, loc, linearIndex(), i32c(host::kWarpLanes - 1));
  }
  size_t offset = offsetof(host::ThreadContext, lane);
  return cached(kThreadFields + offset, [&] { return field(thread_, offset, i32()); });
}

Value KernelToHost::sharedBase() {
  size_t offset = offsetof(host::ThreadContext, shared);
  return cached(kThreadFields + offset, [&] { return field(thread_, offset, pointer()); });
}

Value KernelToHost::interruptFlag() {
  size_t offset = offsetof(host::ThreadContext, interrupt);
  return cached(kThreadFields + offset, [&] { return field(thread_, offset, pointer()); });
}

Value KernelToHost::slots() {
  size_t offset = offsetof(host::ThreadContext, slots);
  return cached(kThreadFields + offset, [&] { return field(thread_, offset, pointer()); });
}

bool KernelToHost::isRuntimes(Value address) const {
  auto gep = address.getDefiningOp<LLVM::GEPOp>();
  Value base = gep ? Value(gep.getBase()) : address;
  constexpr size_t kFields[] = {offsetof(host::ThreadContext, column), offsetof(host::ThreadContext, interrupt)};
  return llvm::any_of(kFields, [&](size_t offset) { return cache_.lookup(kThreadFields + offset) == base; });
}

Value KernelToHost::slot(uint16_t number) {
  size_t offset = offsetof(host::ThreadContext, column);
  Value column = cached(kThreadFields + offset, [&] { return field(thread_, offset, pointer()); });
  return byteOffset(column, int64_t(number) * host::kWarpLanes * sizeof(uint32_t));
}

Value KernelToHost::stackSlot(Type type) {
  Value &slot = stackSlots_[type];
  if (!slot) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(prologue_->getTerminator());
    slot = LLVM::AllocaOp::create(b, loc, pointer(), type, i32c(1), /*alignment=*/16);
  }
  return slot;
}

// --- small builders
Value KernelToHost::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

Value KernelToHost::icmp(LLVM::ICmpPredicate predicate, Value x, Value y) {
  return LLVM::ICmpOp::create(b, loc, predicate, x, y);
}

Value KernelToHost::select(Value condition, Value x, Value y) {
  return LLVM::SelectOp::create(b, loc, condition, x, y);
}

Value KernelToHost::hostPointer(Value value) {
  return spaceOf(value) == 0 ? value : Value(LLVM::AddrSpaceCastOp::create(b, loc, pointer(), value));
}

Value KernelToHost::byteOffset(Value base, int64_t offset) {
  if (offset == 0) {
    return base;
  }
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value KernelToHost::toWord(Value value) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type)) {
    return LLVM::PtrToIntOp::create(b, loc, i32(), value); // its address in the window
  }
  if (auto integer = dyn_cast<IntegerType>(type); integer && integer.getWidth() < 32) {
    return LLVM::ZExtOp::create(b, loc, i32(), value);
  }
  return type == i32() ? value : Value(LLVM::BitcastOp::create(b, loc, i32(), value));
}

Value KernelToHost::fromWord(Value word, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type); integer && integer.getWidth() < 32) {
    return LLVM::TruncOp::create(b, loc, type, word);
  }
  return type == i32() ? word : Value(LLVM::BitcastOp::create(b, loc, type, word));
}

Value KernelToHost::call(HostCall which, ArrayRef<Value> arguments) {
  ModuleToHost::Callee callee = shared.callee(which);
  SmallVector<Value> operands;
  if (callee.takesThread) {
    operands.push_back(thread_);
  }
  for (Value argument : arguments) {
    operands.push_back(isa<LLVM::LLVMPointerType>(argument.getType()) ? hostPointer(argument) : argument);
  }
  assert(TypeRange(ValueRange(operands)) == TypeRange(callee.function.getArgumentTypes()) && "as HostCalls.def says");
  auto made = LLVM::CallOp::create(b, loc, callee.function, operands);
  return made->getNumResults() ? made.getResult() : Value();
}

Value KernelToHost::callLibrary(StringRef name, Type result, ArrayRef<Value> arguments) {
  SmallVector<Type> types = llvm::map_to_vector(arguments, [](Value argument) { return argument.getType(); });
  return LLVM::CallOp::create(b, loc, shared.libraryFunction(name, result, types), arguments).getResult();
}

// --- rewriting
void KernelToHost::replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

LogicalResult KernelToHost::predicated(Operation *op, Value condition, llvm::function_ref<void()> body) {
  if (!condition) {
    body();
    op->erase();
    return success();
  }
  Block *before = op->getBlock(), *after = before->splitBlock(op), *inside = b.createBlock(after);
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, condition, inside, after);
  b.setInsertionPointToEnd(inside);
  body();
  LLVM::BrOp::create(b, loc, ValueRange(), after);
  op->erase();
  return success();
}

bool isDependent(LLVM::LLVMFuncOp function) {
  return function.walk([](NVVM::GriddepcontrolOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool ordersBlocks(LLVM::LLVMFuncOp function) {
  using LLVM::AtomicOrdering;
  auto orders = [](AtomicOrdering ordering) { return ordering > AtomicOrdering::monotonic; };
  auto found = function.walk([&](Operation *op) {
    bool does =
        isa<LLVM::FenceOp, NVVM::MembarOp, NVVM::FenceScClusterOp, NVVM::ClusterArriveOp, NVVM::ClusterWaitOp>(op);
    if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      does = orders(load.getOrdering());
    } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      does = orders(store.getOrdering());
    } else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
      does = orders(atomic.getOrdering());
    } else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op)) {
      does = orders(exchange.getSuccessOrdering());
    }
    return does ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

} // namespace phobos::tohost
