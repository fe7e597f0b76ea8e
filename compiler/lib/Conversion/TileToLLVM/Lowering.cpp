// The walk, the function's signature, and the table of values.
#include "CallFree.h"

#include "phobos/Conversion/Lowering.h"

#include "phobos/Conversion/EntryParameters.h"
#include "phobos/Conversion/Queue.h"
#include "phobos/Conversion/WordOrder.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Target/Chip.h"

using namespace mlir;

namespace phobos::lowering {

static const Lowering::HandlerTable &handlerTable() {
  static const Lowering::HandlerTable table = [] {
    Lowering::HandlerTable t;
    registerControlFlow(t);
    registerElementwise(t);
    registerShape(t);
    registerPart(t);
    registerMemory(t);
    registerAtomic(t);
    registerRelayout(t);
    registerReduce(t);
    registerScan(t);
    registerDebug(t);
    registerStage(t);
    registerCpAsync(t);
    registerFragment(t);
    registerMma(t);
    registerFma(t);
    registerTma(t);
    registerWgmma(t);
    registerStoreAsync(t);
    registerRoles(t);
    registerQueue(t);
    registerGridBarrier(t);
    return t;
  }();
  return table;
}

Lowering::Lowering(tile::KernelOp kernel, const target::Chip &chip)
    : kernel(kernel), chip(chip), b(kernel.getContext()), loc(kernel.getLoc()), handlers_(handlerTable()) {
  i1_ = b.getI1Type();
  i32_ = b.getI32Type();
  i64_ = b.getI64Type();
  indexType_ = kernel.getIndexBits() == 64 ? i64_ : i32_;
}

LLVM::LLVMFuncOp Lowering::run() {
  buildSignature();
  prefetchMaps();
  for (auto queue : kernel.getOps<tile::QueueOp>()) { // before the CTA's first barrier
    initQueue(*this, queue);
  }
  if (failed(lowerBlock(kernel.getBody().front()))) {
    function_.erase();
    return {};
  }
  LLVM::ReturnOp::create(b, loc, ValueRange());
  if (kernel.walk([](dot::WgmmaOp) { return WalkResult::interrupt(); }).wasInterrupted()) {
    avoidCalls(function_);
  }
  return function_;
}

void Lowering::buildSignature() {
  auto parameters = entryParameters(kernel);
  SmallVector<Type> types;
  for (const EntryArgument &parameter : parameters) {
    switch (parameter.kind) {
    case EntryArgument::Kind::Pointer:
      types.push_back(pointer(kGlobalSpace));
      break;
    case EntryArgument::Kind::Extent:
      types.push_back(indexType_);
      break;
    case EntryArgument::Kind::Stride:
      types.push_back(i64_);
      break;
    case EntryArgument::Kind::TensorMap:
      types.push_back(pointer(0));
      break;
    case EntryArgument::Kind::Grid:
      types.push_back(i32_);
      break;
    case EntryArgument::Kind::Counters:
      types.push_back(pointer(kGlobalSpace));
      break;
    case EntryArgument::Kind::Scalar: {
      Type type = kernel.getArgument(parameter.argument).getType();
      types.push_back(type.isInteger(1) ? b.getI8Type() : scalarType(type));
      break;
    }
    }
  }
  b.setInsertionPoint(kernel);
  auto voidType = LLVM::LLVMVoidType::get(b.getContext());
  function_ =
      LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getSymName(), LLVM::LLVMFunctionType::get(voidType, types));
  function_->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function_->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                     b.getDenseI32ArrayAttr({int32_t(ctaThreads(kernel)), 1, 1}));
  if (auto blocks = kernel->getAttrOfType<IntegerAttr>(tile::kMinBlocksAttr)) {
    function_->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(blocks.getInt()));
  } else if (kernel->hasAttr(dot::kSpecializedAttr)) { // from which ptxas knows the registers that are traded
    function_->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
  }
  if (auto cluster = kernel->getAttrOfType<DenseI32ArrayAttr>(tile::kClusterAttr);
      cluster && chip.has(target::kCluster)) {
    function_->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(), b.getDenseI32ArrayAttr({cluster[0], cluster[1], 1}));
  }
  if (auto regs = kernel->getAttrOfType<IntegerAttr>(tile::kMaxRegsAttr)) {
    function_->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), b.getI32IntegerAttr(regs.getInt()));
  }
  Block *entry = function_.addEntryBlock(b);
  b.setInsertionPointToStart(entry);

  thread_ = NVVM::ThreadIdXOp::create(b, loc, i32_);
  lane_ = bitAnd(thread_, 31);
  warp_ = lshr(thread_, 5);

  llvm::StringMap<Value> extents;
  for (auto [parameter, argument] : llvm::zip(parameters, entry->getArguments())) {
    if (parameter.kind == EntryArgument::Kind::Grid) {
      grid_[parameter.axis] = toIndex(argument);
      continue;
    }
    if (parameter.kind == EntryArgument::Kind::Counters) {
      counters_ = argument;
      continue;
    }
    Value operand = parameter.argument < kernel.getNumArguments() ? kernel.getArgument(parameter.argument) : Value();
    switch (parameter.kind) {
    case EntryArgument::Kind::Pointer: {
      View &view = views_[operand];
      view.type = cast<tile::ViewType>(operand.getType());
      view.base = argument;
      view.extents.resize(view.type.getRank());
      view.strides.resize(view.type.getRank());
      break;
    }
    case EntryArgument::Kind::Extent:
      extents[kernel.dimName(operand, parameter.axis)] = argument;
      views_[operand].extents[parameter.axis] = argument;
      break;
    case EntryArgument::Kind::Stride:
      views_[operand].strides[parameter.axis] = argument;
      break;
    case EntryArgument::Kind::TensorMap: // lies in the parameter space: the copy engine takes its address
      function_.setArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getByValAttrName(),
                           TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), kTensorMapBytes)));
      function_.setArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64));
      function_.setArgAttr(argument.getArgNumber(), NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
      setScalar(operand, argument);
      break;
    case EntryArgument::Kind::Grid:
    case EntryArgument::Kind::Counters:
      break; // above
    case EntryArgument::Kind::Scalar:
      setScalar(operand, operand.getType().isInteger(1)
                             ? icmp(LLVM::ICmpPredicate::ne, argument, constant(b.getI8Type(), 0))
                             : Value(argument));
      break;
    }
  }
  for (auto &[value, view] : views_) {
    for (unsigned axis = 0; axis < view.type.getRank(); ++axis) {
      int64_t extent = view.type.getShape()[axis], stride = view.type.getStrides()[axis];
      if (!ShapedType::isDynamic(extent)) {
        view.extents[axis] = indexc(extent);
      } else if (!view.extents[axis]) {
        view.extents[axis] = extents[kernel.dimName(value, axis)];
      }
      if (stride >= 0) {
        view.strides[axis] = i64c(stride);
      }
    }
  }
}

/// The copy engine's first use of a tensor map would wait for memory: fetched while the kernel sets itself up.
void Lowering::prefetchMaps() {
  SmallVector<Value> maps;
  for (BlockArgument argument : kernel.getArguments()) {
    if (isa<dot::TensorMapType>(argument.getType())) {
      maps.push_back(scalar(argument));
    }
  }
  if (maps.empty()) {
    return;
  }
  guarded(isLeader(), [&] {
    for (Value map : maps) {
      NVVM::PrefetchOp::create(b, loc, NVVM::PrefetchCacheLevelAttr(), NVVM::CacheEvictionPriorityAttr(), map, Value(),
                               /*tensormap=*/b.getUnitAttr(), UnitAttr(), UnitAttr());
    }
  });
}

LogicalResult Lowering::lowerBlock(Block &block) {
  WordOrder order(*this, block);
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    order.next(&op);
    auto handler = handlers_.find(op.getName().getStringRef());
    if (handler == handlers_.end()) {
      return op.emitError("internal: no lowering for ") << op.getName();
    }
    if (failed(handler->second(*this, &op))) {
      return failure();
    }
  }
  order.next(nullptr);
  if (Operation *terminator = block.getTerminator()) {
    loc = terminator->getLoc();
  }
  return success();
}

FailureOr<SmallVector<Value>> Lowering::inlineRegion(Region &region, ArrayRef<Value> arguments) {
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments)) {
    setScalar(argument, value);
  }
  Location outer = loc;
  if (failed(lowerBlock(block))) {
    return failure();
  }
  loc = outer;
  return llvm::map_to_vector(block.getTerminator()->getOperands(), [&](Value value) { return scalar(value); });
}

// --- values
Value Lowering::scalar(Value value) const {
  auto found = words_.find(value);
  assert(found != words_.end() && found->second.size() == 1 && "a scalar is lowered before it is used");
  return found->second.front();
}

ArrayRef<Value> Lowering::words(Value tile) const {
  auto found = words_.find(tile);
  assert(found != words_.end() && "a tile is lowered before it is used");
  return found->second;
}

void Lowering::setWords(Value tile, ArrayRef<Value> words) {
  assert(words.size() == numWords(cast<RankedTensorType>(tile.getType())));
  words_[tile].assign(words.begin(), words.end());
}

SmallVector<Value> Lowering::elements(Value tile) {
  return unpackWords(cast<RankedTensorType>(tile.getType()), words(tile));
}

void Lowering::setElements(Value tile, ArrayRef<Value> elements) {
  setWords(tile, packElements(cast<RankedTensorType>(tile.getType()), elements));
}

const View &Lowering::view(Value value) const {
  auto found = views_.find(value);
  assert(found != views_.end() && "views are kernel arguments");
  return found->second;
}

const layout::LinearLayout &Lowering::layoutOf(RankedTensorType type) {
  std::unique_ptr<layout::LinearLayout> &layout = layouts_[type];
  if (!layout) {
    layout = std::make_unique<layout::LinearLayout>(tile::layoutOf(type));
  }
  return *layout;
}

static unsigned registersOf(RankedTensorType type) {
  auto attr = cast<tile::LayoutAttr>(type.getEncoding());
  return attr.getRank() ? 1u << (attr.getRegisters().size() / attr.getRank()) : 1;
}

unsigned Lowering::pack(RankedTensorType type) const {
  unsigned registers = registersOf(type);
  Type element = type.getElementType();
  if (element.isInteger(1) || element.isIndex()) {
    return 1;
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  unsigned packed = bits == 16 ? 2 : bits == 8 ? 4 : 1;
  return registers % packed ? 1 : packed;
}

Type Lowering::wordType(RankedTensorType type) const {
  Type element = scalarType(type.getElementType());
  unsigned n = pack(type);
  return n == 1 ? element : Type(VectorType::get(n, element));
}

unsigned Lowering::numWords(RankedTensorType type) const { return registersOf(type) / pack(type); }

SmallVector<Value> Lowering::packElements(RankedTensorType type, ArrayRef<Value> elements) {
  unsigned n = pack(type);
  if (n == 1) {
    return SmallVector<Value>(elements);
  }
  SmallVector<Value> words;
  for (size_t i = 0; i < elements.size(); i += n) {
    Value word = LLVM::UndefOp::create(b, loc, wordType(type));
    for (unsigned j = 0; j < n; ++j) {
      word = LLVM::InsertElementOp::create(b, loc, word, elements[i + j], i32c(j));
    }
    words.push_back(word);
  }
  return words;
}

SmallVector<Value> Lowering::unpackWords(RankedTensorType type, ArrayRef<Value> words) {
  unsigned n = pack(type);
  if (n == 1) {
    return SmallVector<Value>(words);
  }
  SmallVector<Value> elements;
  for (Value word : words) {
    for (unsigned j = 0; j < n; ++j) {
      elements.push_back(LLVM::ExtractElementOp::create(b, loc, word, i32c(j)));
    }
  }
  return elements;
}

SmallVector<Value> Lowering::flatten(ValueRange values) {
  SmallVector<Value> flat;
  for (Value value : values) {
    llvm::append_range(flat, words(value));
  }
  return flat;
}

void Lowering::bindFlat(ValueRange values, ValueRange flat) {
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    unsigned n = type ? numWords(type) : 1;
    words_[value] = llvm::to_vector(flat.take_front(n));
    flat = flat.drop_front(n);
  }
}

SmallVector<Type> Lowering::flatTypes(TypeRange types) const {
  SmallVector<Type> flat;
  for (Type type : types) {
    if (auto tile = dyn_cast<RankedTensorType>(type)) {
      flat.append(numWords(tile), wordType(tile));
    } else {
      flat.push_back(scalarType(type));
    }
  }
  return flat;
}

} // namespace phobos::lowering
