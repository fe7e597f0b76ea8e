// What the kernels of a module share: the table of calls as types, places, constant tables.
#include "KernelToHost.h"

#include "phobos/Conversion/Places.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

enum class CType : uint8_t { Void, I32, I64, F32, F64, Pointer };

template <typename T> constexpr CType typeOf() {
  if constexpr (std::is_void_v<T>) {
    return CType::Void;
  } else if constexpr (std::is_pointer_v<T>) {
    return CType::Pointer;
  } else if constexpr (std::is_same_v<T, float>) {
    return CType::F32;
  } else if constexpr (std::is_same_v<T, double>) {
    return CType::F64;
  } else {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    return sizeof(T) == 4 ? CType::I32 : CType::I64;
  }
}

struct Signature {
  StringRef name;
  CType result;
  SmallVector<CType, 12> parameters;
  bool takesThread;
};

template <typename R, typename... A> Signature signatureOf(StringRef name, R (*)(A...)) {
  SmallVector<CType, 12> parameters = {typeOf<A>()...};
  bool takesThread = false;
  if constexpr (sizeof...(A) > 0) {
    takesThread = std::is_same_v<std::tuple_element_t<0, std::tuple<A...>>, host::ThreadContext *>;
  }
  return {name, typeOf<R>(), std::move(parameters), takesThread};
}

/// By HostCall.
const std::vector<Signature> &signatures() {
  static const std::vector<Signature> table = {
#define PHOBOS_HOST_CALL(name, result, parameters, sentence)                                                           \
  signatureOf(#name, static_cast<decltype(&host::calls::name)>(nullptr)),
#define PHOBOS_HOST_HELPER(name, result, parameters, sentence)                                                         \
  signatureOf(#name, static_cast<decltype(&host::helpers::name)>(nullptr)),
#include "phobos/host/HostCalls.def"
  };
  return table;
}

Type toMlir(MLIRContext *context, CType type) {
  switch (type) {
  case CType::Void:
    return LLVM::LLVMVoidType::get(context);
  case CType::I32:
    return IntegerType::get(context, 32);
  case CType::I64:
    return IntegerType::get(context, 64);
  case CType::F32:
    return Float32Type::get(context);
  case CType::F64:
    return Float64Type::get(context);
  case CType::Pointer:
    return LLVM::LLVMPointerType::get(context);
  }
  llvm_unreachable("unknown type");
}

void markPure(LLVM::LLVMFuncOp function) {
  function.setNoUnwind(true);
  function.setWillReturn(true);
  constexpr auto kNone = LLVM::ModRefInfo::NoModRef;
  function.setMemoryEffectsAttr(
      LLVM::MemoryEffectsAttr::get(function.getContext(), {kNone, kNone, kNone, kNone, kNone, kNone}));
}

} // namespace

ModuleToHost::ModuleToHost(ModuleOp module, const HostOptions &options, bool describe)
    : module(module), options(options), describe(describe), layout(module) {
  info.sites.emplace_back();
}

uint32_t ModuleToHost::site(Operation *op) {
  auto key = std::pair(op->getLoc().getAsOpaquePointer(), op->getName().getAsOpaquePointer());
  auto [entry, isNew] = sites_.try_emplace(key, info.sites.size());
  if (isNew) {
    HostSite &site = info.sites.emplace_back();
    site.what = op->getName().getStringRef().str();
    if (FileLineColLoc place = placeOf(op->getLoc())) {
      site.file = place.getFilename().str();
      site.line = place.getLine();
      site.column = place.getColumn();
    }
  }
  return entry->second;
}

ModuleToHost::Callee ModuleToHost::callee(HostCall call) {
  Callee &known = callees_[unsigned(call)];
  if (!known.function) {
    const Signature &signature = signatures()[unsigned(call)];
    MLIRContext *context = module.getContext();
    SmallVector<Type> parameters =
        llvm::map_to_vector(signature.parameters, [&](CType type) { return toMlir(context, type); });
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    known.function =
        LLVM::LLVMFuncOp::create(b, module.getLoc(), (host::kCallPrefix + signature.name).str(),
                                 LLVM::LLVMFunctionType::get(toMlir(context, signature.result), parameters));
    known.takesThread = signature.takesThread;
    known.takesThread ? known.function.setNoUnwind(true) : markPure(known.function);
  }
  return known;
}

LLVM::LLVMFuncOp ModuleToHost::libraryFunction(StringRef name, Type result, ArrayRef<Type> parameters) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
    return function;
  }
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(b, module.getLoc(), name, LLVM::LLVMFunctionType::get(result, parameters));
  markPure(function);
  return function;
}

LLVM::GlobalOp ModuleToHost::table(Location loc, StringRef hint, ArrayRef<char> bytes) {
  assert(bytes.size() % 2 == 0 && "tables are of half-words");
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  int64_t words = bytes.size() / 2;
  auto value = DenseElementsAttr::getFromRawBuffer(RankedTensorType::get({words}, b.getI16Type()), bytes);
  return LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI16Type(), words), /*isConstant=*/true,
                                LLVM::Linkage::Internal, hint, value, /*alignment=*/8);
}

LLVM::GlobalOp ModuleToHost::text(Location loc, StringRef text) {
  auto [entry, isNew] = texts_.try_emplace(text);
  if (isNew) {
    SmallVector<char> bytes(text.begin(), text.end());
    bytes.resize(llvm::alignTo(text.size() + 1, 2)); // a table is of half-words
    entry->second = table(loc, ("host.text." + Twine(texts_.size())).str(), bytes);
  }
  return entry->second;
}

unsigned spaceOf(Value pointer) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  return type ? type.getAddressSpace() : 0;
}

bool isShared(Value pointer) { return spaceOf(pointer) == kSharedSpace || spaceOf(pointer) == kClusterSpace; }

} // namespace phobos::tohost
