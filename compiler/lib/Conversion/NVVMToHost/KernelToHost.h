// One kernel's way to the host: what all op families share.
//
// Order of work: the signature and, where no thread waits for another, the loop over threads; then warp ops and wgmmas,
// which need their neighbours, block by block; then every other op by itself, through a table of handlers by op name.
// Ops of the llvm dialect without a handler are the host's already; ops of the nvvm dialect without one are the user's
// error. Pointers keep their address spaces until the whole module is done, so that handlers can tell shared from
// global memory.
#pragma once

#include "phobos/Conversion/HostModule.h"
#include "phobos/host/Abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace phobos::tohost {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::Block;
using mlir::Location;
using mlir::LogicalResult;
using mlir::ModuleOp;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

/// Address spaces of NVPTX.
inline constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3, kClusterSpace = 7;
inline constexpr unsigned kTensorMapBytes = sizeof(host::TensorMap);

/// The functions of HostCalls.def that generated code calls by prefixed names.
enum class HostCall : uint8_t {
#define PHOBOS_HOST_CALL(name, result, parameters, sentence) name,
#define PHOBOS_HOST_HELPER(name, result, parameters, sentence) name,
#include "phobos/host/HostCalls.def"
};

/// What the kernels of one module share.
class ModuleToHost {
public:
  ModuleToHost(ModuleOp module, const HostOptions &options, bool describe);

  /// The index of an op's place in the table of sites.
  uint32_t site(Operation *op);
  /// The declaration of a call, and whether its first parameter is the thread.
  struct Callee {
    LLVM::LLVMFuncOp function;
    bool takesThread;
  };
  Callee callee(HostCall call);
  /// The declaration of a function of libm.
  LLVM::LLVMFuncOp libraryFunction(StringRef name, Type result, ArrayRef<Type> parameters);
  /// A constant table, named after `hint`.
  LLVM::GlobalOp table(Location loc, StringRef hint, ArrayRef<char> bytes);
  /// A constant string, with its zero byte.
  LLVM::GlobalOp text(Location loc, StringRef text);

  ModuleOp module;
  const HostOptions &options;
  bool describe;
  mlir::DataLayout layout;
  HostModuleInfo info;
  llvm::DenseMap<mlir::StringAttr, uint64_t> sharedOffsets; // of the module's shared arrays, by symbol

private:
  llvm::DenseMap<std::pair<const void *, const void *>, uint32_t> sites_;
  llvm::DenseMap<unsigned, Callee> callees_;
  llvm::StringMap<LLVM::GlobalOp> texts_;
};

class KernelToHost {
public:
  KernelToHost(ModuleToHost &shared, LLVM::LLVMFuncOp function);
  LogicalResult run();
  /// The same of a function that kernels call: it gets no thread, so it may compute and no more.
  LogicalResult runFunction();

  ModuleToHost &shared;
  LLVM::LLVMFuncOp function;
  HostKernelInfo info;
  mlir::OpBuilder b; // handlers find it before their op
  Location loc;      // of the op in hand

  // --- types and small builders
  Type i1() { return b.getI1Type(); }
  Type i32() { return b.getI32Type(); }
  Type i64() { return b.getI64Type(); }
  Type pointer() { return LLVM::LLVMPointerType::get(b.getContext()); }
  Value constant(Type type, int64_t value);
  Value i32c(int64_t value) { return constant(i32(), value); }
  Value i64c(int64_t value) { return constant(i64(), value); }
  Value icmp(LLVM::ICmpPredicate predicate, Value x, Value y);
  Value select(Value condition, Value x, Value y);
  /// The same pointer in the host's one address space.
  Value hostPointer(Value pointer);
  /// `offset` bytes beyond a pointer.
  Value byteOffset(Value base, int64_t offset);
  /// A 32-bit word of a scalar, a vector of 32 bits in all, a bit or a pointer to shared memory; and back.
  Value toWord(Value value);
  Value fromWord(Value word, Type type);

  // --- the thread
  Value thread() const { return thread_; }
  Value tid(unsigned axis);
  Value linearIndex();
  Value lane();
  Value sharedBase();
  /// The 32-bit word at `offset` of the CTA's registers.
  Value ctaRegister(size_t offset);
  /// Address of a slot of this lane's column.
  Value slot(uint16_t number);
  Value interruptFlag();
  /// The first AccessSlot.
  Value slots();
  /// Is it memory that the runtime gave for the pass's own use?
  bool isRuntimes(Value address) const;

  // --- calls
  /// The thread goes first by itself where the call takes it; pointers are cast. The result, or null.
  Value call(HostCall call, ArrayRef<Value> arguments);
  Value callLibrary(StringRef name, Type result, ArrayRef<Value> arguments);
  Value site(Operation *op) { return i32c(shared.site(op)); }

  // --- rewriting
  void replace(Operation *op, Value value);
  /// Lowers these ops, each by its handler.
  LogicalResult lowerAll(ArrayRef<Operation *> ops);
  /// Runs `body` where `condition` holds (null: always), then erases `op`.
  LogicalResult predicated(Operation *op, Value condition, llvm::function_ref<void()> body);
  /// Stack memory of the thread for one value of `type`.
  Value stackSlot(Type type);
  LogicalResult unknown(Operation *op, const llvm::Twine &detail = "");
  /// An error in a function that is no kernel.
  LogicalResult needThread(Operation *op);

  bool isLoop() const { return info.loop; }

private:
  void buildEntry();
  void buildThreadLoop(Block *prologue, Block *body);
  Value field(Value base, size_t offset, Type type);
  /// Where values that are the same all over the kernel are made.
  mlir::OpBuilder prologueBuilder();
  Value cached(unsigned key, llvm::function_ref<Value()> make);

  Block *prologue_ = nullptr;
  Value thread_, argv_, tids_[3];
  unsigned promisedThreads_[3] = {0, 0, 0}; // maxntid or reqntid; 0: unknown
  llvm::DenseMap<unsigned, Value> cache_;
  llvm::DenseMap<Type, Value> stackSlots_;
};

// --- handlers
struct Handler {
  LogicalResult (*lower)(KernelToHost &, Operation *) = nullptr;
  bool waits = false; // the op needs a fiber: it waits for others, or the runtime must know which thread this is
  bool pure = false;  // lowered without the thread
};
using HandlerTable = llvm::StringMap<Handler>;
const HandlerTable &handlers();

template <typename OpT, LogicalResult (*handler)(KernelToHost &, OpT)>
void add(HandlerTable &table, bool waits = false) {
  table[OpT::getOperationName()] = {[](KernelToHost &k, Operation *op) { return handler(k, mlir::cast<OpT>(op)); },
                                    waits};
}
template <typename OpT, LogicalResult (*handler)(KernelToHost &, OpT)> void addPure(HandlerTable &table) {
  add<OpT, handler>(table);
  table[OpT::getOperationName()].pure = true;
}
/// The op has nothing to do on the host.
template <typename... OpT> void drop(HandlerTable &table) {
  auto lower = [](KernelToHost &, Operation *op) {
    op->erase();
    return mlir::success();
  };
  ((table[OpT::getOperationName()] = {lower, false}), ...);
}

void registerRegisters(HandlerTable &table);     // special registers
void registerAddressSpaces(HandlerTable &table); // shared arrays, casts, mapa
void registerBarriers(HandlerTable &table);      // barriers, fences, clusters, timers
void registerAsync(HandlerTable &table);         // cp.async, mbarrier
void registerBulk(HandlerTable &table);          // bulk copies, TMA
void registerWgmma(HandlerTable &table);         // groups of wgmma
void registerConvert(HandlerTable &table);       // nvvm.convert.*
void registerMath(HandlerTable &table);      // approximate functions, libdevice, intrinsics, integer division, shifts
void registerChecks(HandlerTable &table);    // loads, stores, atomics
void registerInlinePtx(HandlerTable &table); // the few texts that are known

// --- steps
/// Is this one of the ops that warp programs are made of?
bool isWarpOp(Operation *op);
/// Gathers the warp ops of a block into programs.
LogicalResult lowerWarpOps(KernelToHost &kernel, Block &block);
/// Chains of wgmma on one accumulator become one call.
LogicalResult lowerWgmmas(KernelToHost &kernel, Block &block);
bool isWgmma(Operation *op);
/// Before they are lowered: what they ask of registers is reported where it is not so.
void checkWgmmaRegisters(KernelToHost &kernel);
/// What a function's loops need.
struct LoopPlan {
  llvm::SetVector<Operation *> yieldAfter; // accesses that decide when a loop ends: it waits on memory
  SmallVector<Block *> pollIn;             // headers of loops that count nothing
  bool spins() const { return !yieldAfter.empty(); }
};
LoopPlan planLoops(LLVM::LLVMFuncOp function);
/// Lets spin loops yield, and loops that may never end be interrupted.
void instrumentLoops(KernelToHost &kernel, const LoopPlan &plan);
/// Counts blocks for a profile.
void instrumentBlocks(KernelToHost &kernel);
/// Has the function anything that orders the memory accesses of its block with another's?
bool ordersBlocks(LLVM::LLVMFuncOp function);
/// Does it speak of the kernel before it in the stream?
bool isDependent(LLVM::LLVMFuncOp function);

unsigned spaceOf(Value pointer);
bool isShared(Value pointer);

} // namespace phobos::tohost
